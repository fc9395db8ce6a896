/*
 * An array, whoever made it, that is given to any number of readers.
 */
#ifndef CONFLUENT_KAFKA_ARROW_SHARED_H
#define CONFLUENT_KAFKA_ARROW_SHARED_H

#include "arrow/export.h"

typedef struct shared_array {
    _Atomic int references;
    struct ArrowSchema schema;
    struct ArrowArray array;
} shared_array;

/* Takes both over, also on failure: NULL without memory. */
shared_array *shared_array_new(struct ArrowSchema *schema, struct ArrowArray *array);
/*
 * From any thread, which may have to take the GIL where the array's maker is Python code; NULL does
 * nothing.
 */
void shared_array_release(shared_array *self);

/* A view of child number `child`, which keeps the whole alive; NULL without memory. */
shared_array *shared_array_child(shared_array *self, int64_t child);

/* A view of the first `rows` rows of a struct array; NULL without memory. */
shared_array *shared_array_head(shared_array *self, int64_t rows);

/*
 * A new struct array of `count` columns, which are views; all have as many rows as the first. NULL
 * without memory.
 */
shared_array *shared_array_join(shared_array *const *columns, const char *const *names,
                                size_t count);

/* Its owners are shared_arrays. */
extern const arrow_exporter shared_array_exporter;

#endif

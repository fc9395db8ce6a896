/*
 * An array of any origin that can be given to any number of readers.
 */
#ifndef CONFLUENT_KAFKA_ARROW_SHARED_H
#define CONFLUENT_KAFKA_ARROW_SHARED_H

#include "arrow/export.h"

typedef struct shared_array {
    _Atomic int references;
    struct ArrowSchema schema;
    struct ArrowArray array;
} shared_array;

/* Takes ownership of both, even on failure. NULL if there is no memory. */
shared_array *shared_array_new(struct ArrowSchema *schema, struct ArrowArray *array);
/*
 * Any thread may call it. It may have to take the GIL, if the array's owner is Python code. NULL
 * does nothing.
 */
void shared_array_release(shared_array *self);

/* A view of child number `child`, which keeps the whole array alive; NULL: no memory. */
shared_array *shared_array_child(shared_array *self, int64_t child);

/* A view of the first `rows` rows of a struct array; NULL if there is no memory. */
shared_array *shared_array_head(shared_array *self, int64_t rows);

/*
 * A new struct array of `count` columns, which are views. All must have as many rows as the first.
 * NULL if there is no memory.
 */
shared_array *shared_array_join(shared_array *const *columns, const char *const *names,
                                size_t count);

/* The owners that it takes are shared_arrays. */
extern const arrow_exporter shared_array_exporter;

#endif

/*
 * Reading somebody else's arrays through the Arrow PyCapsule protocol (no pyarrow needed).
 */
#ifndef CONFLUENT_KAFKA_ARROW_SOURCE_H
#define CONFLUENT_KAFKA_ARROW_SOURCE_H

#include "arrow/abi.h"
#include "base/module_state.h"

typedef struct {
    PyObject *exported; /* what the object gave: capsules */
    struct ArrowArrayStream stream; /* moved here, if it was one, */
    struct ArrowSchema schema;      /* and its type */
} arrow_source;

/* Takes `array` (of type `schema`) over, also on failure. 0, or -1 with an exception. */
typedef int arrow_taker(void *context, const struct ArrowSchema *schema,
                        struct ArrowArray *array, const char *name);

/*
 * Gives `taker` the array of an object with __arrow_c_array__(), or one after the other those of
 * __arrow_c_stream__(). `source` is zero before; `name` is the argument's, and `wanted` says in a
 * TypeError what it must be. 0, or -1 with an exception; the source is released either way once
 * its arrays are.
 */
int arrow_source_read(arrow_source *source, PyObject *object, const char *name,
                      const char *wanted, arrow_taker *taker, void *context);
/* With the GIL, since the arrays' owner may be Python code; no exception may be set. */
void arrow_source_release(arrow_source *source);

#endif

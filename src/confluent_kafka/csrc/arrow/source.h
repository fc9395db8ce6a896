/*
 * Reads arrays of other libraries through the Arrow PyCapsule protocol (no pyarrow needed).
 */
#ifndef CONFLUENT_KAFKA_ARROW_SOURCE_H
#define CONFLUENT_KAFKA_ARROW_SOURCE_H

#include "arrow/abi.h"
#include "base/module_state.h"

typedef struct {
    PyObject *exported; /* the capsules that the object returned */
    struct ArrowArrayStream stream; /* moved here, if the object returned a stream, */
    struct ArrowSchema schema;      /* and the stream's type */
} arrow_source;

/* Takes ownership of `array`, of type `schema`, even on failure. 0, or -1 with an exception. */
typedef int arrow_taker(void *context, const struct ArrowSchema *schema,
                        struct ArrowArray *array, const char *name);

/*
 * Passes the array of an object with __arrow_c_array__() to `taker`, or one after the other the
 * arrays of __arrow_c_stream__(). `source` must be zeroed before. `name` is the argument's name;
 * `wanted` describes it for a TypeError. 0, or -1 with an exception; the caller releases the source
 * in both cases, after the arrays.
 */
int arrow_source_read(arrow_source *source, PyObject *object, const char *name,
                      const char *wanted, arrow_taker *taker, void *context);
/* Call it with the GIL, because the arrays' owner may be Python code. No exception may be set. */
void arrow_source_release(arrow_source *source);

#endif

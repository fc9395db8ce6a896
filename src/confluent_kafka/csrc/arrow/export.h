/*
 * Arrays of ours for others: the capsules of the Arrow PyCapsule protocol.
 */
#ifndef CONFLUENT_KAFKA_ARROW_EXPORT_H
#define CONFLUENT_KAFKA_ARROW_EXPORT_H

#include "arrow/abi.h"
#include "base/module_state.h"

/*
 * How one kind of owner fills the structs: 0, or -1 without memory. What they hold must keep
 * itself alive. `share` is one more reference to the owner, which `release` drops from any thread.
 */
typedef struct {
    int (*schema)(void *owner, struct ArrowSchema *schema);
    int (*array)(void *owner, struct ArrowArray *array);
    void *(*share)(void *owner);
    void (*release)(void *owner);
} arrow_exporter;

/*
 * Each gives a new capsule that owns its struct, or NULL with a MemoryError: any number of times.
 */
PyObject *arrow_schema_capsule(const arrow_exporter *exporter, void *owner);
/* The pair that __arrow_c_array__() returns. */
PyObject *arrow_array_capsules(const arrow_exporter *exporter, void *owner);
/* A stream of one array, for readers that take only streams (DuckDB). */
PyObject *arrow_stream_capsule(const arrow_exporter *exporter, void *owner);

#endif

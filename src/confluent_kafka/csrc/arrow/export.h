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
 * For a `release`: the children and the dictionary, unless a reader has moved them away, and the
 * memory of `children`.
 */
void arrow_schema_release_children(struct ArrowSchema *schema);
void arrow_array_release_children(struct ArrowArray *array);

/*
 * What __arrow_c_schema__() returns: a new capsule that owns its struct, or NULL with a
 * MemoryError; any number of times, as the other two.
 */
PyObject *arrow_schema_capsule(const arrow_exporter *exporter, void *owner);

/* A new capsule of a stream of the arrays of `count` owners, at least one, of one type. */
PyObject *arrow_stream_capsule(const arrow_exporter *exporter, void *const *owners, size_t count);

/*
 * __arrow_c_array__() and __arrow_c_stream__() of a type whose arrays these are: METH_FASTCALL and
 * METH_KEYWORDS with one argument, requested_schema. It is not followed, which the protocol allows.
 * The stream has one array, for readers that take only streams (DuckDB).
 */
PyObject *arrow_c_array_of(PyObject *self, const arrow_exporter *exporter, void *owner,
                           PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *arrow_c_stream_of(PyObject *self, const arrow_exporter *exporter, void *owner,
                            PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

#endif

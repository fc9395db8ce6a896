/*
 * Exports our arrays, in capsules of the Arrow PyCapsule protocol.
 */
#ifndef CONFLUENT_KAFKA_ARROW_EXPORT_H
#define CONFLUENT_KAFKA_ARROW_EXPORT_H

#include "arrow/abi.h"
#include "base/module_state.h"

/*
 * Fills the structs for one kind of owner: 0, or -1 if there is no memory. The structs must keep
 * their data alive. `share` adds a reference to the owner, which `release` drops on any thread.
 */
typedef struct {
    int (*schema)(void *owner, struct ArrowSchema *schema);
    int (*array)(void *owner, struct ArrowArray *array);
    void *(*share)(void *owner);
    void (*release)(void *owner);
} arrow_exporter;

/*
 * For a `release` function: releases the children and the dictionary, unless a reader has moved
 * them away, and the memory of `children`.
 */
void arrow_schema_release_children(struct ArrowSchema *schema);
void arrow_array_release_children(struct ArrowArray *array);

/*
 * The result of __arrow_c_schema__(): a new capsule that owns its struct, or NULL with a
 * MemoryError. Like the other two, it may be called any number of times.
 */
PyObject *arrow_schema_capsule(const arrow_exporter *exporter, void *owner);

/* A new capsule with a stream of the arrays of `count` owners: at least one, all of one type. */
PyObject *arrow_stream_capsule(const arrow_exporter *exporter, void *const *owners, size_t count);

/*
 * __arrow_c_array__() and __arrow_c_stream__() for a type with such arrays: METH_FASTCALL and
 * METH_KEYWORDS with one argument, requested_schema, which is ignored, as the protocol allows.
 * The stream has one array; it is for readers that only take streams (DuckDB).
 */
PyObject *arrow_c_array_of(PyObject *self, const arrow_exporter *exporter, void *owner,
                           PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);
PyObject *arrow_c_stream_of(PyObject *self, const arrow_exporter *exporter, void *owner,
                            PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames);

#endif

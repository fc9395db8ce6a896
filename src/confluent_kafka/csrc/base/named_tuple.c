#include "base/named_tuple.h"

bool
is_tuple_type(PyObject *object)
{
    return PyType_Check(object) && PyType_IsSubtype((PyTypeObject *)object, &PyTuple_Type);
}

/*
 * Untracks a tuple that cannot be part of a cycle, as the garbage collector itself does for plain
 * tuples, but not for subclasses.
 */
static void
untrack_if_possible(PyObject *tuple)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, i);
        if (PyObject_IS_GC(item) && PyObject_GC_IsTracked(item)) {
            return;
        }
    }
    PyObject_GC_UnTrack(tuple);
}

PyObject *
named_tuple(PyObject *type, PyObject *const *items, Py_ssize_t count)
{
    PyTypeObject *kind = (PyTypeObject *)type;
    bool complete = true;
    for (Py_ssize_t i = 0; i < count; i++) {
        complete = complete && items[i] != NULL;
    }
    PyObject *tuple = complete ? kind->tp_alloc(kind, count) : NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (tuple == NULL) {
            Py_XDECREF(items[i]);
        }
        else {
            PyTuple_SET_ITEM(tuple, i, items[i]);
        }
    }
    if (tuple != NULL) {
#if PY_VERSION_HEX >= 0x030E0000
        ((PyTupleObject *)tuple)->ob_hash = -1; /* not computed yet */
#endif
        untrack_if_possible(tuple);
    }
    return tuple;
}

#include "base/named_tuple.h"

bool
is_tuple_type(PyObject *object)
{
    return PyType_Check(object) && PyType_IsSubtype((PyTypeObject *)object, &PyTuple_Type);
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
        PyObject_GC_UnTrack(tuple);
    }
    return tuple;
}

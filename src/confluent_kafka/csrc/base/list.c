#include "base/list.h"

PyObject *
list_of(size_t count, PyObject *(*item)(const void *from, size_t i), const void *from)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *made = item(from, i);
        if (made == NULL) {
            Py_CLEAR(list);
        }
        else {
            PyList_SET_ITEM(list, (Py_ssize_t)i, made);
        }
    }
    return list;
}

#include "base/text.h"

#include "base/module_state.h"

#include <string.h>

PyObject *
text_from(const char *text)
{
    if (text == NULL) {
        Py_RETURN_NONE;
    }
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *
nearest_name(PyObject *given, PyObject *names)
{
    PyObject *nearest = NULL, *matches = NULL;
    PyObject *get_close_matches = import_attribute("difflib", "get_close_matches");
    if (get_close_matches != NULL) {
        matches = PyObject_CallFunction(get_close_matches, "OOi", given, names, 1);
    }
    if (matches != NULL) {
        nearest = PyList_GET_SIZE(matches) > 0 ? PyList_GET_ITEM(matches, 0) : Py_None;
        Py_INCREF(nearest);
    }
    Py_XDECREF(get_close_matches);
    Py_XDECREF(matches);
    return nearest;
}

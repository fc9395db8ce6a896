#include "base/text.h"

#include "base/module_state.h"

#include <string.h>

PyObject *
text_from(const char *text)
{
    if (text == NULL) {
        Py_RETURN_NONE;
    }
    return text_from_bytes(text, strlen(text));
}

PyObject *
text_from_bytes(const char *text, size_t size)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
}

PyObject *
bytes_or_none(const void *data, size_t size)
{
    if (data == NULL) {
        Py_RETURN_NONE;
    }
    return PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
}

/* Returns 1, 0, or -1 with an exception. */
static int
is_instance_of(PyObject *value, const char *module, const char *name)
{
    PyObject *type = import_attribute(module, name);
    int result = type == NULL ? -1 : PyObject_IsInstance(value, type);
    Py_XDECREF(type);
    return result;
}

/* Text of a path. A path of bytes is not text. */
static PyObject *
text_of_path(PyObject *path)
{
    PyObject *text = PyOS_FSPath(path);
    if (text != NULL && !PyUnicode_Check(text)) {
        Py_SETREF(text, Py_NewRef(Py_None));
    }
    return text;
}

PyObject *
text_of_value(PyObject *value)
{
    if (PyUnicode_Check(value)) {
        return Py_NewRef(value);
    }
    if (PyBool_Check(value) || PyFloat_Check(value)) {
        return PyObject_Str(value);
    }
    if (PyLong_Check(value)) {
        return PyLong_Type.tp_repr(value); /* str() of an enum's member would be its name */
    }
    if (PyObject_HasAttrString((PyObject *)Py_TYPE(value), "__fspath__")) {
        return text_of_path(value);
    }
    int known = is_instance_of(value, "uuid", "UUID");
    if (known == 0) {
        known = is_instance_of(value, "decimal", "Decimal");
    }
    return known < 0 ? NULL : known ? PyObject_Str(value) : Py_NewRef(Py_None);
}

void
add_note(const char *format, ...)
{
    PyObject *raised = PyErr_GetRaisedException();
    va_list arguments;
    va_start(arguments, format);
    PyObject *note = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    PyObject *added = note == NULL ? NULL : PyObject_CallMethod(raised, "add_note", "O", note);
    Py_XDECREF(note);
    Py_XDECREF(added);
    PyErr_SetRaisedException(raised); /* also if there was no memory for the note */
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

#include "arrow/row_columns.h"

#include <string.h>

#include "base/text.h"

const char *const row_column_names[COLUMN_COUNT] = {
    "key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers",
};

int
row_column_named(const char *name)
{
    int column = 0;
    while (column < COLUMN_COUNT && strcmp(row_column_names[column], name) != 0) {
        column++;
    }
    return column;
}

/* A list of the names of all columns. */
static PyObject *
column_names(void)
{
    PyObject *names = PyList_New(0);
    for (int column = 0; names != NULL && column < COLUMN_COUNT; column++) {
        PyObject *name = PyUnicode_FromString(row_column_names[column]);
        if (name == NULL || PyList_Append(names, name) < 0) {
            Py_CLEAR(names);
        }
        Py_XDECREF(name);
    }
    return names;
}

void
refuse_column(const char *argument, PyObject *given)
{
    PyObject *names = column_names();
    PyObject *nearest = names == NULL ? NULL : nearest_name(given, names);
    if (nearest == Py_None) {
        PyErr_Format(PyExc_ValueError, "%s has an unknown column %R; allowed are %R", argument,
                     given, names);
    }
    else if (nearest != NULL) {
        PyErr_Format(PyExc_ValueError, "%s has an unknown column %R; did you mean %R?",
                     argument, given, nearest);
    }
    Py_XDECREF(nearest);
    Py_XDECREF(names);
}

#include "values/reduce.h"

PyObject *
reduce_to_arguments(PyObject *self, PyObject *arguments)
{
    if (arguments == NULL) {
        return NULL;
    }
    /* Only an exception or an instance of a Python subclass has a __dict__. */
    PyObject *attributes = attribute_of(self, "__dict__");
    if (attributes == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            Py_DECREF(arguments);
            return NULL;
        }
        PyErr_Clear();
        return Py_BuildValue("(ON)", Py_TYPE(self), arguments);
    }
    if (PyDict_Check(attributes) && PyDict_GET_SIZE(attributes) == 0) {
        Py_DECREF(attributes);
        return Py_BuildValue("(ON)", Py_TYPE(self), arguments);
    }
    return Py_BuildValue("(ONN)", Py_TYPE(self), arguments, attributes);
}

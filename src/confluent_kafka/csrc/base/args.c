#include "base/args.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static const char *
parameter_name(const signature *sig, int index)
{
#define NAME(name) #name,
    static const char *const names[] = {PARAMETERS(NAME)};
#undef NAME
    return names[sig->parameters[index]];
}

/* Index of the keyword `name` in the signature, or -1. */
static int
find_parameter(module_state *state, const signature *sig, PyObject *name)
{
    for (int i = 0; i < sig->count; i++) {
        if (state->parameters[sig->parameters[i]] == name) {
            return i;
        }
    }
    /* A name that was built at run time is equal to ours, but is another object. */
    for (int i = 0; i < sig->count; i++) {
        if (PyUnicode_Compare(state->parameters[sig->parameters[i]], name) == 0) {
            return i;
        }
    }
    return -1;
}

static int
refuse_keyword(const signature *sig, PyObject *name)
{
    PyObject *list = PyList_New(0);
    if (list == NULL) {
        return -1;
    }
    for (int i = 0; i < sig->count; i++) {
        PyObject *text = PyUnicode_FromString(parameter_name(sig, i));
        if (text == NULL || PyList_Append(list, text) < 0) {
            Py_XDECREF(text);
            Py_DECREF(list);
            return -1;
        }
        Py_DECREF(text);
    }
    PyObject *comma = PyUnicode_FromString(", ");
    PyObject *names = comma == NULL ? NULL : PyUnicode_Join(comma, list);
    if (names != NULL) {
        PyErr_Format(PyExc_TypeError, "%s takes no argument %R; it takes: %U",
                     sig->function, name, names);
    }
    Py_XDECREF(comma);
    Py_XDECREF(names);
    Py_DECREF(list);
    return -1;
}

static int
check_places(const signature *sig, Py_ssize_t nargs)
{
    if (nargs <= sig->positional) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s takes at most %d positional argument%s (%zd given)",
                 sig->function, sig->positional, sig->positional == 1 ? "" : "s", nargs);
    return -1;
}

static int
take_keyword(module_state *state, const signature *sig, PyObject *name, PyObject *value,
             PyObject **values)
{
    int index = find_parameter(state, sig, name);
    if (index < 0) {
        return PyErr_Occurred() ? -1 : refuse_keyword(sig, name);
    }
    if (values[index] != NULL) {
        PyErr_Format(PyExc_TypeError, "%s got argument '%s' twice", sig->function,
                     parameter_name(sig, index));
        return -1;
    }
    values[index] = value;
    return 0;
}

static int
check_required(const signature *sig, PyObject **values)
{
    for (int i = 0; i < sig->required; i++) {
        if (values[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s needs argument '%s'", sig->function,
                         parameter_name(sig, i));
            return -1;
        }
    }
    return 0;
}

int
args_parse(module_state *state, const signature *sig, PyObject *const *args,
           Py_ssize_t nargs, PyObject *kwnames, PyObject **values)
{
    if (check_places(sig, nargs) < 0) {
        return -1;
    }
    for (int i = 0; i < sig->count; i++) {
        values[i] = i < nargs ? args[i] : NULL;
    }
    Py_ssize_t keywords = kwnames == NULL ? 0 : PyTuple_GET_SIZE(kwnames);
    for (Py_ssize_t i = 0; i < keywords; i++) {
        if (take_keyword(state, sig, PyTuple_GET_ITEM(kwnames, i), args[nargs + i],
                         values) < 0) {
            return -1;
        }
    }
    return check_required(sig, values);
}

int
args_parse_tuple(module_state *state, const signature *sig, PyObject *args, PyObject *kwargs,
                 PyObject **values)
{
    Py_ssize_t nargs = PyTuple_GET_SIZE(args);
    if (check_places(sig, nargs) < 0) {
        return -1;
    }
    for (int i = 0; i < sig->count; i++) {
        values[i] = i < nargs ? PyTuple_GET_ITEM(args, i) : NULL;
    }
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (kwargs != NULL && PyDict_Next(kwargs, &position, &name, &value)) {
        if (take_keyword(state, sig, name, value, values) < 0) {
            return -1;
        }
    }
    return check_required(sig, values);
}

/* Python refuses to convert an int of more than some thousand digits to text. */
static PyObject *
repr_of_long_int(PyObject *number)
{
    PyErr_Clear();
    PyObject *bits = PyObject_CallMethod(number, "bit_length", NULL);
    PyObject *text = bits == NULL ? NULL : PyUnicode_FromFormat("an int of %S bits", bits);
    Py_XDECREF(bits);
    return text;
}

PyObject *
short_repr(PyObject *object)
{
    PyObject *text = PyObject_Repr(object);
    if (text == NULL && PyLong_Check(object) && PyErr_ExceptionMatches(PyExc_ValueError)) {
        return repr_of_long_int(object);
    }
    if (text == NULL || PyUnicode_GET_LENGTH(text) <= 80) {
        return text;
    }
    PyObject *start = PyUnicode_Substring(text, 0, 77);
    Py_DECREF(text);
    if (start == NULL) {
        return NULL;
    }
    PyObject *cut = PyUnicode_FromFormat("%U...", start);
    Py_DECREF(start);
    return cut;
}

static int
wrong_type(const char *name, const char *allowed, PyObject *given)
{
    PyErr_Format(PyExc_TypeError, "%s must be %s, not %.100s", name, allowed,
                 Py_TYPE(given)->tp_name);
    return -1;
}

int
arg_int64(PyObject *object, const char *name, int64_t minimum, int64_t maximum,
          int64_t *result)
{
    PyObject *number = PyIndex_Check(object) ? PyNumber_Index(object) : NULL;
    if (number == NULL) {
        return PyErr_Occurred() ? -1 : wrong_type(name, "int", object);
    }
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    if (value == -1 && overflow == 0 && PyErr_Occurred()) {
        return -1;
    }
    if (overflow != 0 || value < minimum || value > maximum) {
        /* OverflowError for a number that does not even fit into Kafka's int16, int32 or int64. */
        bool too_large = overflow != 0
                         || (minimum == INT16_MIN && maximum == INT16_MAX)
                         || (maximum == INT32_MAX && (value > INT32_MAX || value < INT32_MIN));
        PyObject *text = short_repr(object);
        if (text != NULL) {
            PyErr_Format(too_large ? PyExc_OverflowError : PyExc_ValueError,
                         "%s must be an int from %lld to %lld, not %U", name,
                         (long long)minimum, (long long)maximum, text);
            Py_DECREF(text);
        }
        return -1;
    }
    *result = value;
    return 0;
}

int
arg_int32(PyObject *object, const char *name, int32_t minimum, int32_t maximum,
          int32_t *result)
{
    int64_t value;
    if (arg_int64(object, name, minimum, maximum, &value) < 0) {
        return -1;
    }
    *result = (int32_t)value;
    return 0;
}

int
arg_double(PyObject *object, const char *name, double *result)
{
    double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
            PyErr_Clear();
            PyErr_Format(PyExc_OverflowError, "%s is too large a number", name);
        }
        else if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            wrong_type(name, "a number", object);
        }
        return -1;
    }
    if (isnan(value)) {
        PyErr_Format(PyExc_ValueError, "%s must be a number, not NaN", name);
        return -1;
    }
    *result = value;
    return 0;
}

int
arg_bool(PyObject *object, const char *name, bool *result)
{
    if (!PyLong_Check(object)) {
        return wrong_type(name, "bool", object);
    }
    int64_t value;
    if (arg_int64(object, name, 0, 1, &value) < 0) {
        return -1;
    }
    *result = value != 0;
    return 0;
}

int
arg_callable(PyObject *object, const char *name, PyObject **result)
{
    *result = NULL;
    if (object == NULL || object == Py_None) {
        return 0;
    }
    if (!PyCallable_Check(object)) {
        return wrong_type(name, "callable or None", object);
    }
    *result = object;
    return 0;
}

int
arg_function(PyObject *object, const char *name)
{
    return PyCallable_Check(object) ? 0 : wrong_type(name, "callable", object);
}

/* A lone surrogate has no UTF-8 form. The error names the argument that contains it. */
static int
not_utf8(const char *name)
{
    if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError,
                     "%s cannot be encoded as UTF-8: it has a lone surrogate", name);
    }
    return -1;
}

const char *
arg_utf8(PyObject *object, const char *name, Py_ssize_t *size)
{
    if (!PyUnicode_Check(object)) {
        wrong_type(name, "str", object);
        return NULL;
    }
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (text == NULL) {
        not_utf8(name);
        return NULL;
    }
    if (strlen(text) != (size_t)length) {
        PyErr_Format(PyExc_ValueError, "%s must not contain a NUL character", name);
        return NULL;
    }
    if (size != NULL) {
        *size = length;
    }
    return text;
}

PyObject *
arg_value_text(PyObject *object, const char *name)
{
    PyObject *text = text_of_value(object);
    if (text == Py_None) {
        Py_DECREF(text);
        wrong_type(name, "str, int, float, bool, UUID, Decimal or a path", object);
        return NULL;
    }
    if (text != NULL && arg_utf8(text, name, NULL) == NULL) {
        Py_CLEAR(text);
    }
    return text;
}

int
arg_list(PyObject *object, const char *name, const char *of_what)
{
    if (PyList_Check(object) || PyTuple_Check(object)) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s must be a list of %s, not %.100s", name, of_what,
                 Py_TYPE(object)->tp_name);
    return -1;
}

int
arg_list_or(PyObject *object, const char *name, const char *of_what, const char *text)
{
    if (PyList_Check(object) || PyTuple_Check(object)) {
        return 0;
    }
    PyErr_SetString(PyExc_TypeError, text);
    add_note("%s must be a list of %s, not %.100s", name, of_what, Py_TYPE(object)->tp_name);
    return -1;
}

int
bytes_view_get(PyObject *object, const char *name, bytes_view *view)
{
    view->data = NULL;
    view->size = 0;
    view->buffer.obj = NULL;
    if (object == NULL || object == Py_None) {
        return 0;
    }
    if (PyBytes_Check(object)) {
        view->data = PyBytes_AS_STRING(object);
        view->size = (size_t)PyBytes_GET_SIZE(object);
        return 0;
    }
    if (PyUnicode_Check(object)) {
        Py_ssize_t size;
        view->data = PyUnicode_AsUTF8AndSize(object, &size);
        if (view->data == NULL) {
            return not_utf8(name);
        }
        view->size = (size_t)size;
        return 0;
    }
    if (!PyObject_CheckBuffer(object)) {
        return wrong_type(name, "bytes or str, bytearray, memoryview or None", object);
    }
    if (PyObject_GetBuffer(object, &view->buffer, PyBUF_SIMPLE) < 0) {
        view->buffer.obj = NULL;
        if (PyErr_ExceptionMatches(PyExc_BufferError)) {
            PyErr_Clear();
            PyErr_Format(PyExc_ValueError, "%s must be a contiguous buffer", name);
        }
        return -1;
    }
    /* An empty bytearray may have no address, but NULL would mean a null value to Kafka. */
    view->data = view->buffer.buf != NULL ? view->buffer.buf : "";
    view->size = (size_t)view->buffer.len;
    return 0;
}

void
bytes_view_release(bytes_view *view)
{
    if (view->buffer.obj != NULL) {
        PyBuffer_Release(&view->buffer);
    }
}

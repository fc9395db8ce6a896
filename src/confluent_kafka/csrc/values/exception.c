/*
 * KafkaException, and raising it.
 */
#include "values/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <structmember.h>

#include "base/text.h"

/* ---- raising ---- */

void
raise_kafka_error_object(module_state *state, PyObject *kafka_error)
{
    if (kafka_error == NULL) {
        return;
    }
    /* PyErr_SetObject() with the KafkaError, which is an exception itself, would set the context on
     * the KafkaError. So the KafkaException is created here, and gets the context. */
    PyObject *exception = PyObject_CallOneArg(state->KafkaException, kafka_error);
    if (exception != NULL) {
        PyErr_SetObject(state->KafkaException, exception);
        Py_DECREF(exception);
    }
    Py_DECREF(kafka_error);
}

void
raise_kafka_error(module_state *state, rd_kafka_resp_err_t code, const char *format, ...)
{
    if (format == NULL) {
        raise_kafka_error_object(state, kafka_error_new(state, code, NULL));
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    PyObject *reason = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    raise_kafka_error_object(state, kafka_error_with_reason(state, code, reason));
}

int
raise_if_error(module_state *state, rd_kafka_error_t *error)
{
    if (error == NULL) {
        return 0;
    }
    raise_kafka_error_object(state, kafka_error_from(state, error));
    rd_kafka_error_destroy(error);
    return -1;
}

/* ---- the type ---- */

typedef struct {
    PyBaseExceptionObject exception;
    PyObject *weak_references;
} KafkaException;

static PyMemberDef members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(KafkaException, weak_references), READONLY,
     NULL},
    {NULL, 0, 0, 0, NULL},
};

static int
traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    return ((PyTypeObject *)PyExc_Exception)->tp_traverse(object, visit, arg);
}

static int
clear(PyObject *object)
{
    return ((PyTypeObject *)PyExc_Exception)->tp_clear(object);
}

/* The KafkaError it was raised with, or None; new reference. */
static PyObject *
first_argument(PyObject *object)
{
    module_state *state = module_state_of_type(Py_TYPE(object));
    PyObject *arguments = attribute_of(object, "args");
    PyObject *error = Py_None;
    if (arguments == NULL) {
        return NULL;
    }
    if (PyTuple_Check(arguments) && PyTuple_GET_SIZE(arguments) > 0
        && PyObject_TypeCheck(PyTuple_GET_ITEM(arguments, 0), state->KafkaError)) {
        error = PyTuple_GET_ITEM(arguments, 0);
    }
    Py_INCREF(error);
    Py_DECREF(arguments);
    return error;
}

/* An application's subclass may have an attribute of this name; then that value is returned. */
static PyObject *
get_error(PyObject *object, void *Py_UNUSED(closure))
{
    PyObject *attributes = PyObject_GenericGetDict(object, NULL);
    PyObject *name = attributes == NULL ? NULL : PyUnicode_InternFromString("error");
    PyObject *error = NULL;
    int found = name == NULL ? -1 : PyDict_GetItemRef(attributes, name, &error);
    Py_XDECREF(name);
    Py_XDECREF(attributes);
    return found == 0 ? first_argument(object) : error;
}

static int
set_error(PyObject *object, PyObject *error, void *Py_UNUSED(closure))
{
    PyObject *attributes = PyObject_GenericGetDict(object, NULL);
    if (attributes == NULL) {
        return -1;
    }
    int result = error != NULL ? PyDict_SetItemString(attributes, "error", error)
                               : PyDict_DelItemString(attributes, "error");
    Py_DECREF(attributes);
    if (result < 0 && PyErr_ExceptionMatches(PyExc_KeyError)) {
        PyErr_SetString(PyExc_AttributeError,
                        "error cannot be deleted: it is the first item of args");
    }
    return result;
}

static PyObject *
code(PyObject *object, PyObject *Py_UNUSED(unused))
{
    PyObject *error = first_argument(object);
    PyObject *number = error;
    if (error != NULL && error != Py_None) {
        number = PyLong_FromLong((long)kafka_error_code(error));
        Py_DECREF(error);
    }
    return number;
}

PyDoc_STRVAR(kafka_exception_doc,
"librdkafka or a broker refused an operation. ``exception.error`` is the KafkaError, with the\n"
"code and the flags to act on; ``exception.args[0]`` is the same object.\n"
"``exception.kafka_message`` is the message that failed, or None.");

PyDoc_STRVAR(error_doc,
"The KafkaError it was raised with, or None.");

PyDoc_STRVAR(code_doc,
"code($self, /)\n--\n\n"
"Return the code of ``error``, an int to compare with the constants of KafkaError, or None.");

static PyMethodDef methods[] = {
    {"code", code, METH_NOARGS, code_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"error", get_error, set_error, error_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* No tp_dealloc: CPython's own clears weak references and frees the exception's fields. */
static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)kafka_exception_doc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_members, members},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "confluent_kafka.cimpl.KafkaException",
    .basicsize = sizeof(KafkaException),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = slots,
};

int
kafka_exception_type_add(PyObject *module, module_state *state)
{
    PyTypeObject *base = (PyTypeObject *)PyExc_Exception;
    state->KafkaException = (PyObject *)module_add_type(module, &spec, base);
    return state->KafkaException == NULL
                   || PyObject_SetAttr(state->KafkaException, state->names[N_kafka_message],
                                       Py_None) < 0
               ? -1
               : 0;
}

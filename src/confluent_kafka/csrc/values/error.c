#include "values/error.h"

#include <stdarg.h>

#include "base/args.h"
#include "base/text.h"
#include "values/reduce.h"

typedef struct {
    PyObject_HEAD
    rd_kafka_resp_err_t code;
    bool fatal, retriable, txn_requires_abort;
    PyObject *reason; /* str */
} KafkaError;

/* A KafkaError without flags; steals `reason` (NULL: an exception is set). */
static KafkaError *
make_error(module_state *state, rd_kafka_resp_err_t code, PyObject *reason)
{
    if (reason == NULL) {
        return NULL;
    }
    KafkaError *self = (KafkaError *)state->KafkaError->tp_alloc(state->KafkaError, 0);
    if (self == NULL) {
        Py_DECREF(reason);
        return NULL;
    }
    self->code = code;
    self->reason = reason;
    self->fatal = code == RD_KAFKA_RESP_ERR__FATAL;
    return self;
}

PyObject *
kafka_error_new(module_state *state, rd_kafka_resp_err_t code, const char *reason)
{
    PyObject *text = text_from(reason != NULL ? reason : rd_kafka_err2str(code));
    return (PyObject *)make_error(state, code, text);
}

PyObject *
kafka_error_from(module_state *state, const rd_kafka_error_t *error)
{
    KafkaError *self = make_error(state, rd_kafka_error_code(error),
                                  text_from(rd_kafka_error_string(error)));
    if (self != NULL) {
        self->fatal = rd_kafka_error_is_fatal(error);
        self->retriable = rd_kafka_error_is_retriable(error);
        self->txn_requires_abort = rd_kafka_error_txn_requires_abort(error);
    }
    return (PyObject *)self;
}

PyObject *
kafka_error_or_none(module_state *state, rd_kafka_resp_err_t code, const char *reason)
{
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        Py_RETURN_NONE;
    }
    return kafka_error_new(state, code, reason);
}

rd_kafka_resp_err_t
kafka_error_code(PyObject *kafka_error)
{
    return ((KafkaError *)kafka_error)->code;
}

int
kafka_error_add_cause(PyObject *kafka_error, const char *cause)
{
    KafkaError *self = (KafkaError *)kafka_error;
    PyObject *reason = PyUnicode_FromFormat("%U; last failure: %s", self->reason, cause);
    if (reason == NULL) {
        return -1;
    }
    Py_SETREF(self->reason, reason);
    return 0;
}

int
arg_kafka_error(module_state *state, PyObject *object, const char *name)
{
    if (object == NULL || object == Py_None
        || PyObject_TypeCheck(object, state->KafkaError)) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s must be KafkaError or None, not %.100s", name,
                 Py_TYPE(object)->tp_name);
    return -1;
}

void
raise_kafka_error_object(module_state *state, PyObject *kafka_error)
{
    if (kafka_error != NULL) {
        PyErr_SetObject(state->KafkaException, kafka_error);
        Py_DECREF(kafka_error);
    }
}

void
raise_kafka_error(module_state *state, rd_kafka_resp_err_t code, const char *format, ...)
{
    PyObject *reason;
    if (format == NULL) {
        reason = text_from(rd_kafka_err2str(code));
    }
    else {
        va_list arguments;
        va_start(arguments, format);
        reason = PyUnicode_FromFormatV(format, arguments);
        va_end(arguments);
    }
    raise_kafka_error_object(state, (PyObject *)make_error(state, code, reason));
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

SIGNATURE(kafka_error_signature, "KafkaError()", 1, 5, P_error, P_reason, P_fatal,
          P_retriable, P_txn_requires_abort);

static PyObject *
kafka_error_tp_new(PyTypeObject *type, PyObject *Py_UNUSED(args),
                   PyObject *Py_UNUSED(kwargs))
{
    PyObject *reason = PyUnicode_FromString("");
    if (reason == NULL) {
        return NULL;
    }
    KafkaError *self = (KafkaError *)type->tp_alloc(type, 0);
    if (self == NULL) {
        Py_DECREF(reason);
        return NULL;
    }
    self->reason = reason;
    return (PyObject *)self;
}

/* The text given, or librdkafka's own; new reference. */
static PyObject *
reason_from_arg(PyObject *reason, int32_t code)
{
    if (reason == NULL || reason == Py_None) {
        return text_from(rd_kafka_err2str((rd_kafka_resp_err_t)code));
    }
    if (!PyUnicode_Check(reason)) {
        PyErr_Format(PyExc_TypeError, "reason must be str or None, not %.100s",
                     Py_TYPE(reason)->tp_name);
        return NULL;
    }
    return PyUnicode_FromObject(reason);
}

static int
kafka_error_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    KafkaError *self = (KafkaError *)object;
    enum { ERROR, REASON, FATAL, RETRIABLE, ABORT, COUNT };
    PyObject *values[COUNT];
    int32_t code;
    bool fatal = false, retriable = false, txn_requires_abort = false;
    module_state *state = module_state_of_type(Py_TYPE(self));
    if (args_parse_tuple(state, &kafka_error_signature, args, kwargs, values) < 0
        || arg_int32(values[ERROR], "error", INT32_MIN, INT32_MAX, &code) < 0
        || (values[FATAL] != NULL && arg_bool(values[FATAL], "fatal", &fatal) < 0)
        || (values[RETRIABLE] != NULL
            && arg_bool(values[RETRIABLE], "retriable", &retriable) < 0)
        || (values[ABORT] != NULL
            && arg_bool(values[ABORT], "txn_requires_abort", &txn_requires_abort) < 0)) {
        return -1;
    }
    PyObject *reason = reason_from_arg(values[REASON], code);
    if (reason == NULL) {
        return -1;
    }
    self->code = (rd_kafka_resp_err_t)code;
    self->fatal = fatal;
    self->retriable = retriable;
    self->txn_requires_abort = txn_requires_abort;
    Py_SETREF(self->reason, reason);
    return 0;
}

static int
kafka_error_traverse(PyObject *object, visitproc visit, void *arg)
{
    KafkaError *self = (KafkaError *)object;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->reason);
    return 0;
}

static void
kafka_error_dealloc(PyObject *object)
{
    KafkaError *self = (KafkaError *)object;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->reason);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
kafka_error_repr(PyObject *object)
{
    KafkaError *self = (KafkaError *)object;
    return PyUnicode_FromFormat("KafkaError{%scode=%s,val=%d,str=\"%U\"}",
                                self->fatal ? "FATAL," : "",
                                rd_kafka_err2name(self->code), (int)self->code,
                                self->reason);
}

static Py_hash_t
kafka_error_hash(PyObject *object)
{
    KafkaError *self = (KafkaError *)object;
    /* Equal to an int, so hashed like one; -1 would mean an exception. */
    Py_hash_t hash = (Py_hash_t)self->code;
    return hash == -1 ? -2 : hash;
}

static PyObject *
kafka_error_richcompare(PyObject *object, PyObject *other, int operation)
{
    KafkaError *self = (KafkaError *)object;
    module_state *state = module_state_of_type(Py_TYPE(self));
    PyObject *theirs;
    if (PyObject_TypeCheck(other, state->KafkaError)) {
        theirs = PyLong_FromLong((long)((KafkaError *)other)->code);
    }
    else if (PyLong_Check(other)) {
        theirs = Py_NewRef(other);
    }
    else {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *mine = PyLong_FromLong((long)self->code);
    PyObject *result = NULL;
    if (mine != NULL && theirs != NULL) {
        result = PyObject_RichCompare(mine, theirs, operation);
    }
    Py_XDECREF(mine);
    Py_XDECREF(theirs);
    return result;
}

static PyObject *
kafka_error_code_method(PyObject *object, PyObject *Py_UNUSED(unused))
{
    KafkaError *self = (KafkaError *)object;
    return PyLong_FromLong((long)self->code);
}

static PyObject *
kafka_error_name(PyObject *object, PyObject *Py_UNUSED(unused))
{
    KafkaError *self = (KafkaError *)object;
    return text_from(rd_kafka_err2name(self->code));
}

static PyObject *
kafka_error_str(PyObject *object, PyObject *Py_UNUSED(unused))
{
    KafkaError *self = (KafkaError *)object;
    return Py_NewRef(self->reason);
}

static PyObject *
kafka_error_fatal(PyObject *object, PyObject *Py_UNUSED(unused))
{
    KafkaError *self = (KafkaError *)object;
    return PyBool_FromLong(self->fatal);
}

static PyObject *
kafka_error_retriable(PyObject *object, PyObject *Py_UNUSED(unused))
{
    KafkaError *self = (KafkaError *)object;
    return PyBool_FromLong(self->retriable);
}

static PyObject *
kafka_error_txn_requires_abort(PyObject *object, PyObject *Py_UNUSED(unused))
{
    KafkaError *self = (KafkaError *)object;
    return PyBool_FromLong(self->txn_requires_abort);
}

static PyObject *
kafka_error_reduce(PyObject *object, PyObject *Py_UNUSED(unused))
{
    KafkaError *self = (KafkaError *)object;
    PyObject *arguments = Py_BuildValue(
        "(iONNN)", (int)self->code, self->reason, PyBool_FromLong(self->fatal),
        PyBool_FromLong(self->retriable), PyBool_FromLong(self->txn_requires_abort));
    return reduce_to_arguments(object, arguments);
}

PyDoc_STRVAR(kafka_error_doc,
"KafkaError(error, reason=None, fatal=False, retriable=False, txn_requires_abort=False)\n"
"--\n\n"
"An error, or an event that is reported like one (such as _PARTITION_EOF).\n\n"
"Every code that librdkafka knows is a constant of this class: names with a leading\n"
"underscore are the client's own, the others come from brokers. A KafkaError equals and\n"
"orders like its code, so ``error == KafkaError._PARTITION_EOF`` and\n"
"``error.code() == KafkaError._PARTITION_EOF`` say the same.\n\n"
"Args:\n"
"    error (int): the code.\n"
"    reason (str): what went wrong; librdkafka's text for the code when None.\n"
"    fatal (bool): the client cannot go on.\n"
"    retriable (bool): the operation may be tried again.\n"
"    txn_requires_abort (bool): the transaction must be aborted.\n\n"
"Raises:\n"
"    TypeError, ValueError, OverflowError: an argument is not of these types or ranges.\n\n"
"librdkafka: rd_kafka_error_t, rd_kafka_resp_err_t, rd_kafka_get_err_descs().");

PyDoc_STRVAR(kafka_error_code_doc,
"code($self, /)\n--\n\n"
"The error code, an int to compare with the constants of KafkaError.\n\n"
"librdkafka: rd_kafka_error_code().");

PyDoc_STRVAR(kafka_error_name_doc,
"name($self, /)\n--\n\n"
"The code's name, as the constant is called: \"_TIMED_OUT\".\n\n"
"librdkafka: rd_kafka_err2name().");

PyDoc_STRVAR(kafka_error_str_doc,
"str($self, /)\n--\n\n"
"What went wrong, for people to read.\n\n"
"librdkafka: rd_kafka_error_string(), rd_kafka_err2str().");

PyDoc_STRVAR(kafka_error_fatal_doc,
"fatal($self, /)\n--\n\n"
"True when the client cannot go on and a new one has to be created.\n\n"
"librdkafka: rd_kafka_error_is_fatal().");

PyDoc_STRVAR(kafka_error_retriable_doc,
"retriable($self, /)\n--\n\n"
"True when the same operation may be tried again. Set by the transactional calls.\n\n"
"librdkafka: rd_kafka_error_is_retriable().");

PyDoc_STRVAR(kafka_error_txn_requires_abort_doc,
"txn_requires_abort($self, /)\n--\n\n"
"True when the current transaction must be aborted with abort_transaction() and begun\n"
"again. Set by the transactional calls.\n\n"
"librdkafka: rd_kafka_error_txn_requires_abort().");

static PyMethodDef kafka_error_methods[] = {
    {"code", kafka_error_code_method, METH_NOARGS, kafka_error_code_doc},
    {"name", kafka_error_name, METH_NOARGS, kafka_error_name_doc},
    {"str", kafka_error_str, METH_NOARGS, kafka_error_str_doc},
    {"fatal", kafka_error_fatal, METH_NOARGS, kafka_error_fatal_doc},
    {"retriable", kafka_error_retriable, METH_NOARGS,
     kafka_error_retriable_doc},
    {"txn_requires_abort", kafka_error_txn_requires_abort, METH_NOARGS,
     kafka_error_txn_requires_abort_doc},
    {"__reduce__", kafka_error_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot kafka_error_slots[] = {
    {Py_tp_doc, (void *)kafka_error_doc},
    {Py_tp_new, kafka_error_tp_new},
    {Py_tp_init, kafka_error_init},
    {Py_tp_traverse, kafka_error_traverse},
    {Py_tp_dealloc, kafka_error_dealloc},
    {Py_tp_repr, kafka_error_repr},
    {Py_tp_hash, kafka_error_hash},
    {Py_tp_richcompare, kafka_error_richcompare},
    {Py_tp_methods, kafka_error_methods},
    {0, NULL},
};

/* Not Py_TPFLAGS_IMMUTABLETYPE: the constants are set once the type exists. */
static PyType_Spec kafka_error_spec = {
    .name = "confluent_kafka.cimpl.KafkaError",
    .basicsize = sizeof(KafkaError),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = kafka_error_slots,
};

PyDoc_STRVAR(kafka_exception_doc,
"Raised when librdkafka or a broker refuses an operation. ``exception.args[0]`` is the\n"
"KafkaError, with the code and the flags to act on.");

static int
add_error_constants(PyTypeObject *type)
{
    const struct rd_kafka_err_desc *descriptions;
    size_t count;
    rd_kafka_get_err_descs(&descriptions, &count);
    for (size_t i = 0; i < count; i++) {
        /* Codes that nobody uses are holes; the ends of the ranges have no text. */
        if (descriptions[i].name == NULL || descriptions[i].desc == NULL) {
            continue;
        }
        PyObject *code = PyLong_FromLong((long)descriptions[i].code);
        if (code == NULL) {
            return -1;
        }
        int failed = PyObject_SetAttrString((PyObject *)type, descriptions[i].name, code);
        Py_DECREF(code);
        if (failed) {
            return -1;
        }
    }
    return 0;
}

int
error_types_add(PyObject *module, module_state *state)
{
    state->KafkaError = module_add_type(module, &kafka_error_spec, NULL);
    if (state->KafkaError == NULL || add_error_constants(state->KafkaError) < 0) {
        return -1;
    }
    state->KafkaException = PyErr_NewExceptionWithDoc(
        "confluent_kafka.cimpl.KafkaException", kafka_exception_doc, NULL, NULL);
    if (state->KafkaException == NULL) {
        return -1;
    }
    return PyModule_AddObjectRef(module, "KafkaException", state->KafkaException);
}

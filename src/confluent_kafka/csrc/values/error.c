#include "values/error.h"

#include "base/args.h"
#include "base/text.h"
#include "values/reduce.h"

typedef struct {
    PyBaseExceptionObject exception;
    rd_kafka_resp_err_t code;
    bool fatal, retriable, txn_requires_abort;
    PyObject *reason; /* str; NULL means librdkafka's text for the code */
} KafkaError;

/*
 * Most errors are only asked for their code and never raised. So librdkafka's text and the `args`
 * of the exception are made only when they are read, see kafka_error_args().
 */
static KafkaError *
allocate_error(PyTypeObject *type)
{
    PyObject *no_arguments = PyTuple_New(0);
    if (no_arguments == NULL) {
        return NULL;
    }
    PyObject *self = ((PyTypeObject *)PyExc_Exception)->tp_new(type, no_arguments, NULL);
    Py_DECREF(no_arguments);
    return (KafkaError *)self;
}

/* Steals `reason`. */
static KafkaError *
make_error(module_state *state, rd_kafka_resp_err_t code, PyObject *reason)
{
    KafkaError *self = allocate_error(state->KafkaError);
    if (self == NULL) {
        Py_XDECREF(reason);
        return NULL;
    }
    self->code = code;
    self->fatal = code == RD_KAFKA_RESP_ERR__FATAL;
    self->reason = reason;
    return self;
}

PyObject *
kafka_error_with_reason(module_state *state, rd_kafka_resp_err_t code, PyObject *reason)
{
    return reason == NULL ? NULL : (PyObject *)make_error(state, code, reason);
}

PyObject *
kafka_error_new(module_state *state, rd_kafka_resp_err_t code, const char *reason)
{
    if (reason != NULL) {
        return kafka_error_with_reason(state, code, text_from(reason));
    }
    return (PyObject *)make_error(state, code, NULL);
}

PyObject *
kafka_error_from(module_state *state, const rd_kafka_error_t *error)
{
    KafkaError *self = (KafkaError *)kafka_error_with_reason(
        state, rd_kafka_error_code(error), text_from(rd_kafka_error_string(error)));
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

PyObject *
kafka_error_reason(PyObject *kafka_error)
{
    KafkaError *self = (KafkaError *)kafka_error;
    return self->reason != NULL ? Py_NewRef(self->reason)
                                : text_from(rd_kafka_err2str(self->code));
}

/* Appends a text, after a separator. */
static int
add_to_reason(PyObject *kafka_error, const char *before, const char *text)
{
    KafkaError *self = (KafkaError *)kafka_error;
    PyObject *reason = kafka_error_reason(kafka_error);
    if (reason == NULL) {
        return -1;
    }
    PyObject *longer = PyUnicode_FromFormat("%U%s%s", reason, before, text);
    Py_DECREF(reason);
    if (longer == NULL) {
        return -1;
    }
    Py_XSETREF(self->reason, longer);
    return 0;
}

int
kafka_error_add_cause(PyObject *kafka_error, const char *cause)
{
    return add_to_reason(kafka_error, "; last failure: ", cause);
}

int
kafka_error_add_advice(PyObject *kafka_error, const char *advice)
{
    return add_to_reason(kafka_error, ": ", advice);
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

/* ---- the type ---- */

SIGNATURE(kafka_error_signature, "KafkaError()", 1, 5, P_error, P_reason, P_fatal,
          P_retriable, P_txn_requires_abort);

/* Has no code and no text until __init__() has run. */
static PyObject *
kafka_error_tp_new(PyTypeObject *type, PyObject *Py_UNUSED(args),
                   PyObject *Py_UNUSED(kwargs))
{
    KafkaError *self = allocate_error(type);
    if (self == NULL) {
        return NULL;
    }
    self->reason = PyUnicode_FromString("");
    if (self->reason == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/* The given text, or NULL for librdkafka's text: 0, or -1 with an exception. */
static int
arg_reason(PyObject *object, PyObject **reason)
{
    if (object == NULL || object == Py_None) {
        *reason = NULL;
        return 0;
    }
    if (!PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "reason must be str or None, not %.100s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *reason = PyUnicode_FromObject(object);
    return *reason == NULL ? -1 : 0;
}

static int
kafka_error_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    KafkaError *self = (KafkaError *)object;
    enum { ERROR, REASON, FATAL, RETRIABLE, ABORT, COUNT };
    PyObject *values[COUNT];
    PyObject *reason;
    int32_t code;
    bool fatal = false, retriable = false, txn_requires_abort = false;
    module_state *state = module_state_of_type(Py_TYPE(self));
    if (args_parse_tuple(state, &kafka_error_signature, args, kwargs, values) < 0
        || arg_int32(values[ERROR], "error", INT32_MIN, INT32_MAX, &code) < 0
        || (values[FATAL] != NULL && arg_bool(values[FATAL], "fatal", &fatal) < 0)
        || (values[RETRIABLE] != NULL
            && arg_bool(values[RETRIABLE], "retriable", &retriable) < 0)
        || (values[ABORT] != NULL
            && arg_bool(values[ABORT], "txn_requires_abort", &txn_requires_abort) < 0)
        || arg_reason(values[REASON], &reason) < 0) {
        return -1;
    }
    self->code = (rd_kafka_resp_err_t)code;
    self->fatal = fatal;
    self->retriable = retriable;
    self->txn_requires_abort = txn_requires_abort;
    Py_XSETREF(self->reason, reason);
    return 0;
}

/* Does not visit the reason: a str cannot be in a cycle, and visiting it costs time. */
static int
kafka_error_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    return ((PyTypeObject *)PyExc_Exception)->tp_traverse(object, visit, arg);
}

/* Keeps the reason, because a cleared error can still be seen. */
static int
kafka_error_clear(PyObject *object)
{
    return ((PyTypeObject *)PyExc_Exception)->tp_clear(object);
}

static void
kafka_error_dealloc(PyObject *object)
{
    KafkaError *self = (KafkaError *)object;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_TRASHCAN_BEGIN(object, kafka_error_dealloc)
    (void)kafka_error_clear(object);
    Py_XDECREF(self->reason);
    type->tp_free(self);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

static PyObject *
kafka_error_repr(PyObject *object)
{
    KafkaError *self = (KafkaError *)object;
    PyObject *reason = kafka_error_reason(object);
    if (reason == NULL) {
        return NULL;
    }
    PyObject *repr = PyUnicode_FromFormat(
        "KafkaError{%scode=%s,val=%d,str=\"%U\"}", self->fatal ? "FATAL," : "",
        rd_kafka_err2name(self->code), (int)self->code, reason);
    Py_DECREF(reason);
    return repr;
}

static Py_hash_t
kafka_error_hash(PyObject *object)
{
    KafkaError *self = (KafkaError *)object;
    /* Equal to an int, and therefore hashed like one; -1 would mean an exception. */
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
    return kafka_error_reason(object);
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

/* The arguments that create an equal error, a new tuple. */
static PyObject *
kafka_error_fields(KafkaError *self)
{
    return Py_BuildValue(
        "(iNNNN)", (int)self->code, kafka_error_reason((PyObject *)self),
        PyBool_FromLong(self->fatal), PyBool_FromLong(self->retriable),
        PyBool_FromLong(self->txn_requires_abort));
}

static PyObject *
kafka_error_args(PyObject *object, void *Py_UNUSED(closure))
{
    KafkaError *self = (KafkaError *)object;
    PyObject *given;
    Py_BEGIN_CRITICAL_SECTION(object);
    given = Py_XNewRef(self->exception.args); /* NULL after the garbage collector cleared it */
    Py_END_CRITICAL_SECTION();
    if (given != NULL && PyTuple_GET_SIZE(given) > 0) {
        return given;
    }
    Py_XDECREF(given);
    return kafka_error_fields(self);
}

/* Sets `args`, as for any exception; the error itself does not change. */
static int
kafka_error_set_args(PyObject *object, PyObject *args, void *Py_UNUSED(closure))
{
    KafkaError *self = (KafkaError *)object;
    if (args == NULL) {
        PyErr_SetString(PyExc_TypeError, "args may not be deleted");
        return -1;
    }
    PyObject *given = PySequence_Tuple(args);
    if (given == NULL) {
        return -1;
    }
    Py_BEGIN_CRITICAL_SECTION(object);
    Py_XSETREF(self->exception.args, given);
    Py_END_CRITICAL_SECTION();
    return 0;
}

static PyObject *
kafka_error_reduce(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return reduce_to_arguments(object, kafka_error_fields((KafkaError *)object));
}

PyDoc_STRVAR(kafka_error_doc,
"KafkaError(error, reason=None, fatal=False, retriable=False, txn_requires_abort=False)\n"
"--\n\n"
"An error, or an event that is reported like one (such as _PARTITION_EOF).\n\n"
"Every code of librdkafka is a constant of this class. Names with a leading underscore\n"
"are the client's own codes; all others come from brokers. A KafkaError compares like its code,\n"
"so ``error == KafkaError._PARTITION_EOF`` means the same as\n"
"``error.code() == KafkaError._PARTITION_EOF``.\n\n"
"It is an exception class, so that ``except (KafkaError, KafkaException)`` works and the error\n"
"itself can be raised. The calls of this package raise KafkaException.\n\n"
"Args:\n"
"    error (int): the code.\n"
"    reason (str): what went wrong; librdkafka's text for the code when None.\n"
"    fatal (bool): the client cannot continue.\n"
"    retriable (bool): the operation may be tried again.\n"
"    txn_requires_abort (bool): the transaction must be aborted.\n\n"
"Raises:\n"
"    TypeError, ValueError, OverflowError: an argument has a wrong type or value.\n\n"
"librdkafka: rd_kafka_error_t, rd_kafka_resp_err_t, rd_kafka_get_err_descs().");

PyDoc_STRVAR(kafka_error_code_doc,
"code($self, /)\n--\n\n"
"Return the error code, an int to compare with the constants of KafkaError.\n\n"
"librdkafka: rd_kafka_error_code().");

PyDoc_STRVAR(kafka_error_name_doc,
"name($self, /)\n--\n\n"
"Return the code's name, which is the name of the constant: \"_TIMED_OUT\".\n\n"
"librdkafka: rd_kafka_err2name().");

PyDoc_STRVAR(kafka_error_str_doc,
"str($self, /)\n--\n\n"
"Return the text of the error, for people to read.\n\n"
"librdkafka: rd_kafka_error_string(), rd_kafka_err2str().");

PyDoc_STRVAR(kafka_error_fatal_doc,
"fatal($self, /)\n--\n\n"
"Return True if the client cannot continue and you have to create a new one.\n\n"
"librdkafka: rd_kafka_error_is_fatal().");

PyDoc_STRVAR(kafka_error_retriable_doc,
"retriable($self, /)\n--\n\n"
"Return True if you may try the same operation again. Transactional calls set it.\n\n"
"librdkafka: rd_kafka_error_is_retriable().");

PyDoc_STRVAR(kafka_error_txn_requires_abort_doc,
"txn_requires_abort($self, /)\n--\n\n"
"Return True if you must abort the current transaction with abort_transaction() and begin a new\n"
"one. Transactional calls set it.\n\n"
"librdkafka: rd_kafka_error_txn_requires_abort().");

PyDoc_STRVAR(kafka_error_args_doc,
"The arguments that create an equal error, a tuple: ``KafkaError(*error.args)``. A program may\n"
"set other arguments, which changes nothing else.");

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

static PyGetSetDef kafka_error_properties[] = {
    {"args", kafka_error_args, kafka_error_set_args, kafka_error_args_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot kafka_error_slots[] = {
    {Py_tp_doc, (void *)kafka_error_doc},
    {Py_tp_new, kafka_error_tp_new},
    {Py_tp_init, kafka_error_init},
    {Py_tp_traverse, kafka_error_traverse},
    {Py_tp_clear, kafka_error_clear},
    {Py_tp_dealloc, kafka_error_dealloc},
    {Py_tp_repr, kafka_error_repr},
    {Py_tp_str, kafka_error_repr},
    {Py_tp_hash, kafka_error_hash},
    {Py_tp_richcompare, kafka_error_richcompare},
    {Py_tp_methods, kafka_error_methods},
    {Py_tp_getset, kafka_error_properties},
    {0, NULL},
};

/* Not Py_TPFLAGS_IMMUTABLETYPE: the constants are set once the type exists. */
static PyType_Spec kafka_error_spec = {
    .name = "confluent_kafka.cimpl.KafkaError",
    .basicsize = sizeof(KafkaError),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = kafka_error_slots,
};

/* Former names of some codes in librdkafka, which older programs use. */
static const struct {
    const char *name;
    rd_kafka_resp_err_t code;
} old_names[] = {
    {"GROUP_LOAD_IN_PROGRESS", RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS},
    {"GROUP_COORDINATOR_NOT_AVAILABLE", RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE},
    {"NOT_COORDINATOR_FOR_GROUP", RD_KAFKA_RESP_ERR_NOT_COORDINATOR},
};

/* 0, or -1 with an exception. */
static int
add_error_constant(PyTypeObject *type, const char *name, rd_kafka_resp_err_t code)
{
    PyObject *number = PyLong_FromLong((long)code);
    int failed = number == NULL ? -1 : PyObject_SetAttrString((PyObject *)type, name, number);
    Py_XDECREF(number);
    return failed;
}

static int
add_error_constants(PyTypeObject *type)
{
    const struct rd_kafka_err_desc *descriptions;
    size_t count;
    rd_kafka_get_err_descs(&descriptions, &count);
    for (size_t i = 0; i < count; i++) {
        /* Unused codes are gaps; the ends of the ranges have no text. */
        if (descriptions[i].name == NULL || descriptions[i].desc == NULL) {
            continue;
        }
        if (add_error_constant(type, descriptions[i].name, descriptions[i].code) < 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < sizeof(old_names) / sizeof(old_names[0]); i++) {
        if (add_error_constant(type, old_names[i].name, old_names[i].code) < 0) {
            return -1;
        }
    }
    return 0;
}

int
kafka_error_type_add(PyObject *module, module_state *state)
{
    PyTypeObject *base = (PyTypeObject *)PyExc_Exception;
    state->KafkaError = module_add_type(module, &kafka_error_spec, base);
    return state->KafkaError == NULL ? -1 : add_error_constants(state->KafkaError);
}

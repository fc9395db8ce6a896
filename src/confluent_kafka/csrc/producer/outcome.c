/*
 * The objects that settle futures: the report's Message, or types of a compatibility API.
 */
#include "producer/producer.h"

#include "base/named_tuple.h"
#include "client/guard.h"
#include "values/message.h"

/* ---- the types ---- */

#define RECORD_FIELDS 7
#define PARTITION_FIELDS 2

/* Argument `name`: a subclass of tuple, or -1 with an exception. */
static int
check_tuple_type(PyObject *object, const char *name)
{
    if (is_tuple_type(object)) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s must be a named tuple, not %R", name, object);
    return -1;
}

const char producer_settle_as_doc[] =
"_settle_as($self, record_type, partition_type, failure, /)\n--\n\n"
"Settle futures with other objects than Message and KafkaException. Call it before _send().\n\n"
"Args:\n"
"    record_type (type or None): a named tuple of seven fields: topic; partition; topic and\n"
"        partition as one partition_type; offset; timestamp in milliseconds or None; whether the\n"
"        broker made the timestamp (0 or 1); and None. With None instead of a type, futures are\n"
"        settled with None.\n"
"    partition_type (type): a named tuple of topic and partition.\n"
"    failure (callable(KafkaException)): returns the exception to use instead.";

PyObject *
producer_settle_as(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Producer *self = (Producer *)object;
    if (nargs != 3) {
        PyErr_Format(PyExc_TypeError, "_settle_as() takes 3 arguments, not %zd", nargs);
        return NULL;
    }
    if ((args[0] != Py_None && check_tuple_type(args[0], "record_type") < 0)
        || check_tuple_type(args[1], "partition_type") < 0) {
        return NULL;
    }
    if (!PyCallable_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "failure must be callable");
        return NULL;
    }
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    Py_XSETREF(self->record_type, Py_NewRef(args[0]));
    Py_XSETREF(self->partition_type, Py_NewRef(args[1]));
    Py_XSETREF(self->failure, Py_NewRef(args[2]));
    client_leave(&self->client);
    Py_RETURN_NONE;
}

/* ---- a record ---- */

/* A new reference to the object, which may be NULL. */
static PyObject *
same(PyObject *object)
{
    return Py_XNewRef(object);
}

static PyObject *
record_from(Producer *self, const rd_kafka_message_t *report)
{
    if (self->record_type == Py_None) {
        Py_RETURN_NONE;
    }
    rd_kafka_timestamp_type_t kind;
    int64_t timestamp = rd_kafka_message_timestamp(report, &kind);
    bool known = kind != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
    PyObject *topic = topic_names_get(&self->client.names, report->rkt);
    PyObject *partition = topic == NULL ? NULL : PyLong_FromLong(report->partition);
    PyObject *place[PARTITION_FIELDS] = {same(topic), same(partition)};
    PyObject *fields[RECORD_FIELDS] = {
        topic,
        partition,
        partition == NULL ? NULL : named_tuple(self->partition_type, place, PARTITION_FIELDS),
        PyLong_FromLongLong(report->offset),
        known ? PyLong_FromLongLong(timestamp) : Py_NewRef(Py_None),
        PyLong_FromLong(kind == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME),
        Py_NewRef(Py_None),
    };
    if (partition == NULL) {
        Py_XDECREF(place[0]);
    }
    return named_tuple(self->record_type, fields, RECORD_FIELDS);
}

/* ---- a message, or an exception ---- */

/* The report's Message; if the delivery failed, a KafkaException. New reference. */
static PyObject *
outcome_of(Producer *self, PyObject *message)
{
    module_state *state = self->client.state;
    PyObject *error = message_error(message);
    if (error == NULL || error == Py_None) {
        Py_XDECREF(error);
        return error == NULL ? NULL : Py_NewRef(message);
    }
    PyObject *exception = PyObject_CallOneArg(state->KafkaException, error);
    Py_DECREF(error);
    if (exception != NULL
        && PyObject_SetAttr(exception, state->names[N_kafka_message], message) < 0) {
        Py_CLEAR(exception);
    }
    if (exception != NULL && self->failure != NULL) {
        Py_SETREF(exception, PyObject_CallOneArg(self->failure, exception));
    }
    return exception;
}

static PyObject *
message_or_exception(Producer *self, const rd_kafka_message_t *report)
{
    PyObject *message =
        message_borrow_delivered(self->client.state, &self->client.names, report);
    if (message == NULL) {
        return NULL;
    }
    PyObject *outcome = outcome_of(self, message);
    PyObject *raised = outcome == NULL ? PyErr_GetRaisedException() : NULL;
    if (message_end_borrow(message) < 0) {
        Py_CLEAR(outcome);
        Py_XDECREF(raised);
        return NULL;
    }
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
    return outcome;
}

PyObject *
producer_outcome(Producer *self, const rd_kafka_message_t *report)
{
    bool delivered = report->err == RD_KAFKA_RESP_ERR_NO_ERROR;
    PyObject *outcome = delivered && self->record_type != NULL
                            ? record_from(self, report)
                            : message_or_exception(self, report);
    return outcome != NULL ? outcome : PyErr_GetRaisedException();
}

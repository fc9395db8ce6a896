/*
 * Calls of the mock API: the guard, and arguments that several methods have.
 */
#include "mock/mock.h"

#include <math.h>
#include <string.h>

#include "values/error.h"

#define MAX_SECONDS (24 * 3600)

/* ---- the guard ---- */

bool
mock_in_forked_child(MockCluster *self)
{
    return self->owner_pid != process_id();
}

WITHOUT_GIL void
mock_let_brokers_settle(MockCluster *self)
{
#ifndef RD_KAFKA_HAS_MOCK_ON_REQUEST
    rd_kafka_poll(self->rk, 1);
#else
    (void)self;
#endif
}

int
mock_cluster_call(MockCluster *self, mock_call *call, rd_kafka_resp_err_t *error)
{
    /* Checked before taking the lock, which a thread that does not exist in the child may hold. */
    if (mock_in_forked_child(self)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "MockCluster was created before os.fork() and its brokers run "
                        "in the parent process: control them there; clients in the "
                        "child can connect to its bootstrap_servers");
        return -1;
    }
    bool open;
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(self->lock, WAIT_LOCK);
    open = self->cluster != NULL;
    if (open) {
        mock_let_brokers_settle(self);
        *error = call->run(self, call);
    }
    PyThread_release_lock(self->lock);
    Py_END_ALLOW_THREADS
    if (!open) {
        PyErr_SetString(PyExc_RuntimeError,
                        "MockCluster has been closed: create a new one");
        return -1;
    }
    return 0;
}

PyObject *
mock_cluster_do(MockCluster *self, mock_call *call)
{
    rd_kafka_resp_err_t error;
    if (mock_cluster_call(self, call, &error) < 0) {
        return NULL;
    }
    switch (error) {
    case RD_KAFKA_RESP_ERR_NO_ERROR:
        Py_RETURN_NONE;
    case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS:
        raise_kafka_error(self->state, error, "topic '%s' already exists", call->topic);
        return NULL;
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        raise_kafka_error(self->state, error, "topic '%s' has no partition %d",
                          call->topic, (int)call->partition);
        return NULL;
    default:
        raise_kafka_error(self->state, error, NULL);
        return NULL;
    }
}

/* ---- arguments ---- */

int
mock_arg_broker_id(MockCluster *self, PyObject *object, int32_t *result)
{
    if (object == NULL || object == Py_None) {
        *result = -1;
        return 0;
    }
    return arg_int32(object, "broker_id", 1, self->brokers, result);
}

int
mock_arg_topic(PyObject *object, const char **result)
{
    Py_ssize_t size;
    const char *topic = arg_utf8(object, "topic", &size);
    if (topic == NULL) {
        return -1;
    }
    /* The mock accepts any name, but a test must not pass with a name that Kafka refuses. */
    size_t legal = strspn(topic, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789._-");
    if (size == 0 || size > 249 || legal != (size_t)size || strcmp(topic, ".") == 0
        || strcmp(topic, "..") == 0) {
        PyErr_Format(PyExc_ValueError,
                     "topic must be 1 to 249 of the characters a-z, A-Z, 0-9, '.', '_' "
                     "and '-' (and not '.' or '..'), not %R",
                     object);
        return -1;
    }
    *result = topic;
    return 0;
}

int
mock_arg_milliseconds(PyObject *seconds, const char *name, int *result)
{
    double value;
    if (arg_double(seconds, name, &value) < 0) {
        return -1;
    }
    if (value < 0 || value > MAX_SECONDS) {
        PyErr_Format(PyExc_ValueError, "%s must be 0 to %d seconds, not %R", name,
                     MAX_SECONDS, seconds);
        return -1;
    }
    *result = (int)lround(value * 1000);
    return 0;
}

static bool
known_error_code(int64_t code)
{
    const struct rd_kafka_err_desc *table;
    size_t count;
    rd_kafka_get_err_descs(&table, &count);
    for (size_t i = 0; i < count; i++) {
        if ((int64_t)table[i].code == code && table[i].name != NULL) {
            return true;
        }
    }
    return false;
}

int
mock_arg_error(MockCluster *self, PyObject *object, const char *name, bool or_disconnect,
               rd_kafka_resp_err_t *result)
{
    int64_t code;
    if (PyObject_TypeCheck(object, self->state->KafkaError)) {
        code = kafka_error_code(object);
    }
    else if (!PyLong_Check(object)) {
        PyErr_Format(PyExc_TypeError,
                     "%s must be error codes such as "
                     "KafkaError.NOT_LEADER_FOR_PARTITION, or KafkaError objects, not %s",
                     name, Py_TYPE(object)->tp_name);
        return -1;
    }
    else if (arg_int64(object, name, INT64_MIN, INT64_MAX, &code) < 0) {
        return -1;
    }
    /* Codes below UNKNOWN (-1) are librdkafka's own, which no broker sends. */
    bool allowed = code >= RD_KAFKA_RESP_ERR_UNKNOWN
                   || (or_disconnect && code == RD_KAFKA_RESP_ERR__TRANSPORT);
    if (!allowed || !known_error_code(code)) {
        PyErr_Format(PyExc_ValueError,
                     "%s: %lld is not an error that a broker sends; give a code >= -1 "
                     "that KafkaError names%s",
                     name, (long long)code,
                     or_disconnect ? ", or KafkaError._TRANSPORT to close the connection"
                                   : "");
        return -1;
    }
    *result = (rd_kafka_resp_err_t)code;
    return 0;
}

/*
 * MockCluster: coordinators, and the timeouts of groups.
 */
#include "mock/mock.h"

#include <string.h>

const char mock_set_coordinator_doc[] =
"set_coordinator($self, /, coordinator_type, key, broker_id)\n--\n\n"
"Choose the coordinator of a consumer group or a transactional producer.\n\n"
"Args:\n"
"    coordinator_type (str): \"group\" or \"transaction\".\n"
"    key (str): the group.id or transactional.id.\n"
"    broker_id (int): the coordinator. Without this call, a hash of the key selects it.\n\n"
"librdkafka: rd_kafka_mock_coordinator_set().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_coordinator(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_coordinator_set(self->cluster, call->text, call->key,
                                         call->broker_id);
}

static int
arg_coordinator_type(PyObject *object, const char **result)
{
    *result = arg_utf8(object, "coordinator_type", NULL);
    if (*result == NULL) {
        return -1;
    }
    if (strcmp(*result, "group") != 0 && strcmp(*result, "transaction") != 0) {
        PyErr_Format(PyExc_ValueError,
                     "coordinator_type must be 'group' or 'transaction', not %R", object);
        return -1;
    }
    return 0;
}

PyObject *
mock_set_coordinator(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    SIGNATURE(arguments, "set_coordinator()", 3, 3, P_coordinator_type, P_key,
              P_broker_id);
    PyObject *values[3];
    mock_call call = {.run = run_set_coordinator};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || arg_coordinator_type(values[0], &call.text) < 0
        || (call.key = arg_utf8(values[1], "key", NULL)) == NULL
        || arg_int32(values[2], "broker_id", 1, self->brokers, &call.broker_id) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

/* ---- timeouts ---- */

/* Implements a method with one argument in seconds, of at least `minimum` milliseconds. */
static PyObject *
set_time(MockCluster *self, const signature *arguments, const char *name, int minimum,
         mock_call *call, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *values[1];
    if (args_parse(self->state, arguments, args, nargs, kwnames, values) < 0
        || mock_arg_milliseconds(values[0], name, &call->milliseconds) < 0) {
        return NULL;
    }
    if (call->milliseconds < minimum) {
        PyErr_Format(PyExc_ValueError, "%s must be at least 0.001 seconds, not %R", name,
                     values[0]);
        return NULL;
    }
    return mock_cluster_do(self, call);
}

const char mock_set_group_initial_rebalance_delay_doc[] =
"set_group_initial_rebalance_delay($self, /, delay)\n--\n\n"
"Set how long a new group waits for more members before its first assignment.\n\n"
"This is the broker's group.initial.rebalance.delay.ms, for groups of the classic protocol.\n"
"Members that join within this time share the first assignment. Later members start a\n"
"rebalance.\n\n"
"Args:\n"
"    delay (float): seconds, 0 to 86,400; 0.1 in a new MockCluster (Kafka's own default is 3).\n\n"
"librdkafka: rd_kafka_mock_group_initial_rebalance_delay_ms().";

static rd_kafka_resp_err_t
run_set_delay(MockCluster *self, mock_call *call)
{
    rd_kafka_mock_group_initial_rebalance_delay_ms(self->cluster, call->milliseconds);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_set_group_initial_rebalance_delay(MockCluster *self, PyObject *const *args,
                                       Py_ssize_t nargs, PyObject *kwnames)
{
    SIGNATURE(arguments, "set_group_initial_rebalance_delay()", 1, 1, P_delay);
    mock_call call = {.run = run_set_delay};
    return set_time(self, &arguments, "delay", 0, &call, args, nargs, kwnames);
}

const char mock_set_group_consumer_heartbeat_interval_doc[] =
"set_group_consumer_heartbeat_interval($self, /, interval)\n--\n\n"
"Set how often members of a KIP-848 group send heartbeats and receive assignments.\n\n"
"This is the broker's group.consumer.heartbeat.interval.ms, for members that join\n"
"afterwards.\n\n"
"Args:\n"
"    interval (float): seconds, 0.001 to 86,400; 3 in a new MockCluster.\n\n"
"librdkafka: rd_kafka_mock_set_group_consumer_heartbeat_interval_ms().";

static rd_kafka_resp_err_t
run_set_heartbeat_interval(MockCluster *self, mock_call *call)
{
    rd_kafka_mock_set_group_consumer_heartbeat_interval_ms(self->cluster,
                                                           call->milliseconds);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_set_group_consumer_heartbeat_interval(MockCluster *self, PyObject *const *args,
                                           Py_ssize_t nargs, PyObject *kwnames)
{
    SIGNATURE(arguments, "set_group_consumer_heartbeat_interval()", 1, 1, P_interval);
    mock_call call = {.run = run_set_heartbeat_interval};
    return set_time(self, &arguments, "interval", 1, &call, args, nargs, kwnames);
}

const char mock_set_group_consumer_session_timeout_doc[] =
"set_group_consumer_session_timeout($self, /, timeout)\n--\n\n"
"Set how long a member of a KIP-848 group may be silent before it is removed.\n\n"
"This is the broker's group.consumer.session.timeout.ms, for members that join\n"
"afterwards.\n\n"
"Args:\n"
"    timeout (float): seconds, 0.001 to 86,400; 30 in a new MockCluster.\n\n"
"librdkafka: rd_kafka_mock_set_group_consumer_session_timeout_ms().";

static rd_kafka_resp_err_t
run_set_session_timeout(MockCluster *self, mock_call *call)
{
    rd_kafka_mock_set_group_consumer_session_timeout_ms(self->cluster,
                                                        call->milliseconds);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_set_group_consumer_session_timeout(MockCluster *self, PyObject *const *args,
                                        Py_ssize_t nargs, PyObject *kwnames)
{
    SIGNATURE(arguments, "set_group_consumer_session_timeout()", 1, 1, P_timeout);
    mock_call call = {.run = run_set_session_timeout};
    return set_time(self, &arguments, "timeout", 1, &call, args, nargs, kwnames);
}

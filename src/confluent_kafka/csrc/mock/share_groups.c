/*
 * MockCluster: the settings of share groups (KIP-932).
 */
#include "mock/mock.h"

#if HAVE_SHARE_CONSUMER

const char mock_set_share_group_auto_offset_reset_doc[] =
"set_share_group_auto_offset_reset($self, /, offset_reset)\n--\n\n"
"Set where share groups begin to read a partition.\n\n"
"This is the groups' share.auto.offset.reset.\n\n"
"Args:\n"
"    offset_reset (str): \"earliest\", or \"latest\" as in a new MockCluster.\n\n"
"librdkafka: rd_kafka_mock_sharegroup_set_auto_offset_reset().";

SIGNATURE(set_offset_reset_signature, "set_share_group_auto_offset_reset()", 1, 1,
          P_offset_reset);

static rd_kafka_resp_err_t
run_set_offset_reset(MockCluster *self, mock_call *call)
{
    rd_kafka_mock_sharegroup_set_auto_offset_reset(self->cluster, (int)call->count);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_set_share_group_auto_offset_reset(MockCluster *self, PyObject *const *args,
                                       Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *values[1];
    mock_call call = {.run = run_set_offset_reset};
    if (args_parse(self->state, &set_offset_reset_signature, args, nargs, kwnames, values) < 0
        || arg_utf8(values[0], "offset_reset", NULL) == NULL) {
        return NULL;
    }
    if (PyUnicode_CompareWithASCIIString(values[0], "earliest") == 0) {
        call.count = 1;
    }
    else if (PyUnicode_CompareWithASCIIString(values[0], "latest") != 0) {
        PyErr_Format(PyExc_ValueError, "offset_reset must be 'earliest' or 'latest', not %R",
                     values[0]);
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_share_group_heartbeat_interval_doc[] =
"set_share_group_heartbeat_interval($self, /, interval)\n--\n\n"
"Set how often members of share groups send heartbeats and receive assignments.\n\n"
"This is the groups' share.heartbeat.interval.ms, for members that join afterwards.\n\n"
"Args:\n"
"    interval (float): seconds, 0.001 to 86,400; 5 in a new MockCluster.\n\n"
"librdkafka: rd_kafka_mock_sharegroup_set_heartbeat_interval().";

SIGNATURE(set_heartbeat_signature, "set_share_group_heartbeat_interval()", 1, 1, P_interval);

static rd_kafka_resp_err_t
run_set_heartbeat(MockCluster *self, mock_call *call)
{
    rd_kafka_mock_sharegroup_set_heartbeat_interval(self->cluster, call->milliseconds);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_set_share_group_heartbeat_interval(MockCluster *self, PyObject *const *args,
                                        Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *values[1];
    mock_call call = {.run = run_set_heartbeat};
    if (args_parse(self->state, &set_heartbeat_signature, args, nargs, kwnames, values) < 0
        || mock_arg_milliseconds(values[0], "interval", &call.milliseconds) < 0) {
        return NULL;
    }
    if (call.milliseconds < 1) {
        PyErr_Format(PyExc_ValueError, "interval must be at least 0.001 seconds, not %R",
                     values[0]);
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_share_group_record_lock_duration_doc[] =
"set_share_group_record_lock_duration($self, /, duration)\n--\n\n"
"Set how long a record is locked for the share group member that acquired it.\n\n"
"This is the groups' share.record.lock.duration.ms, for records that are fetched afterwards. The\n"
"brokers check once a second for expired locks.\n\n"
"Args:\n"
"    duration (float): seconds, 0.001 to 86,400; 30 in a new MockCluster.\n\n"
"librdkafka: rd_kafka_mock_sharegroup_set_record_lock_duration().";

SIGNATURE(set_lock_duration_signature, "set_share_group_record_lock_duration()", 1, 1,
          P_duration);

static rd_kafka_resp_err_t
run_set_lock_duration(MockCluster *self, mock_call *call)
{
    rd_kafka_mock_sharegroup_set_record_lock_duration(self->cluster, call->milliseconds);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_set_share_group_record_lock_duration(MockCluster *self, PyObject *const *args,
                                          Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *values[1];
    mock_call call = {.run = run_set_lock_duration};
    if (args_parse(self->state, &set_lock_duration_signature, args, nargs, kwnames, values) < 0
        || mock_arg_milliseconds(values[0], "duration", &call.milliseconds) < 0) {
        return NULL;
    }
    if (call.milliseconds < 1) {
        PyErr_Format(PyExc_ValueError, "duration must be at least 0.001 seconds, not %R",
                     values[0]);
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_share_group_delivery_count_limit_doc[] =
"set_share_group_delivery_count_limit($self, /, limit)\n--\n\n"
"Set how often share groups deliver a record before they archive it.\n\n"
"This is the groups' share.delivery.count.limit.\n\n"
"Args:\n"
"    limit (int): 1 to 2**31-1; 5 in a new MockCluster.\n\n"
"librdkafka: rd_kafka_mock_sharegroup_set_max_delivery_attempts().";

SIGNATURE(set_count_limit_signature, "set_share_group_delivery_count_limit()", 1, 1, P_limit);

static rd_kafka_resp_err_t
run_set_count_limit(MockCluster *self, mock_call *call)
{
    rd_kafka_mock_sharegroup_set_max_delivery_attempts(self->cluster, (int)call->count);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_set_share_group_delivery_count_limit(MockCluster *self, PyObject *const *args,
                                          Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *values[1];
    int32_t limit;
    mock_call call = {.run = run_set_count_limit};
    if (args_parse(self->state, &set_count_limit_signature, args, nargs, kwnames, values) < 0
        || arg_int32(values[0], "limit", 1, INT32_MAX, &limit) < 0) {
        return NULL;
    }
    call.count = limit;
    return mock_cluster_do(self, &call);
}

#endif

/*
 * MockCluster: restore the state of an earlier run. Python calls these methods
 * (confluent_kafka.testing).
 */
#include "mock/mock.h"

#ifdef RD_KAFKA_HAS_MOCK_WRITTEN_STATE

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_cluster_id(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_cluster_set_id(self->cluster, call->text);
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_topic_id(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_topic_set_id(self->cluster, call->topic, call->high, call->low);
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_leader_epoch(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_partition_set_leader_epoch(self->cluster, call->topic,
                                                    call->partition, call->leader_epoch);
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_add_aborted(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_partition_add_aborted(self->cluster, call->topic, call->partition,
                                               call->producer_id, call->low, call->high);
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_commit_offset(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_committed_offset_set(self->cluster, call->key, call->topic,
                                              call->partition, call->low, call->text);
}

#else

static rd_kafka_resp_err_t
run_missing(MockCluster *self, mock_call *call)
{
    (void)self, (void)call;
    return RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED;
}

#define run_set_cluster_id run_missing
#define run_set_topic_id run_missing
#define run_set_leader_epoch run_missing
#define run_add_aborted run_missing
#define run_commit_offset run_missing

#endif

const char mock__set_cluster_id_doc[] =
"_set_cluster_id($self, /, value)\n--\n\n"
"Replace the id of the cluster.\n\n"
"Args:\n"
"    value (str): the id, of at most 31 bytes.\n\n"
"librdkafka: rd_kafka_mock_cluster_set_id(), of our patch mock-written-state.";

PyObject *
mock__set_cluster_id(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    SIGNATURE(arguments, "_set_cluster_id()", 1, 1, P_value);
    PyObject *values[1];
    mock_call call = {.run = run_set_cluster_id};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.text = arg_utf8(values[0], "value", NULL)) == NULL) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock__set_topic_id_doc[] =
"_set_topic_id($self, /, topic, most_significant_bits, least_significant_bits)\n--\n\n"
"Replace the id of a topic.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    most_significant_bits (int): the first half of the id.\n"
"    least_significant_bits (int): the second half of the id.\n\n"
"librdkafka: rd_kafka_mock_topic_set_id(), of our patch mock-written-state.";

PyObject *
mock__set_topic_id(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    SIGNATURE(arguments, "_set_topic_id()", 3, 3, P_topic, P_most_significant_bits,
              P_least_significant_bits);
    PyObject *values[3];
    mock_call call = {.run = run_set_topic_id};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int64(values[1], "most_significant_bits", INT64_MIN, INT64_MAX, &call.high)
               < 0
        || arg_int64(values[2], "least_significant_bits", INT64_MIN, INT64_MAX, &call.low)
               < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock__set_leader_epoch_doc[] =
"_set_leader_epoch($self, /, topic, partition, leader_epoch)\n--\n\n"
"Replace the leader epoch of a partition.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.\n"
"    leader_epoch (int): the epoch.\n\n"
"librdkafka: rd_kafka_mock_partition_set_leader_epoch(), of our patch mock-written-state.";

PyObject *
mock__set_leader_epoch(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    SIGNATURE(arguments, "_set_leader_epoch()", 3, 3, P_topic, P_partition, P_leader_epoch);
    PyObject *values[3];
    mock_call call = {.run = run_set_leader_epoch};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int32(values[1], "partition", 0, INT32_MAX, &call.partition) < 0
        || arg_int32(values[2], "leader_epoch", 0, INT32_MAX, &call.leader_epoch) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock__add_aborted_doc[] =
"_add_aborted($self, /, topic, partition, producer_id, low, high)\n--\n\n"
"Add an aborted transaction to the log of a partition.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.\n"
"    producer_id (int): the id of the producer.\n"
"    low (int): the offset of the transaction's first record.\n"
"    high (int): the offset before the transaction's marker.\n\n"
"librdkafka: rd_kafka_mock_partition_add_aborted(), of our patch mock-written-state.";

PyObject *
mock__add_aborted(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    SIGNATURE(arguments, "_add_aborted()", 5, 5, P_topic, P_partition, P_producer_id, P_low,
              P_high);
    PyObject *values[5];
    mock_call call = {.run = run_add_aborted};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int32(values[1], "partition", 0, INT32_MAX, &call.partition) < 0
        || arg_int64(values[2], "producer_id", 0, INT64_MAX, &call.producer_id) < 0
        || arg_int64(values[3], "low", 0, INT64_MAX, &call.low) < 0
        || arg_int64(values[4], "high", 0, INT64_MAX, &call.high) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock__commit_offset_doc[] =
"_commit_offset($self, /, group, topic, partition, offset, metadata)\n--\n\n"
"Set a group's committed offset for a partition. The group need not exist.\n\n"
"Args:\n"
"    group (str): the id of the group.\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.\n"
"    offset (int): the offset of the next record.\n"
"    metadata (str or None): the text that the group committed with the offset.\n\n"
"librdkafka: rd_kafka_mock_committed_offset_set(), of our patch mock-written-state.";

PyObject *
mock__commit_offset(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    SIGNATURE(arguments, "_commit_offset()", 5, 5, P_group, P_topic, P_partition, P_offset,
              P_metadata);
    PyObject *values[5];
    mock_call call = {.run = run_commit_offset};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.key = arg_utf8(values[0], "group", NULL)) == NULL
        || (call.topic = arg_utf8(values[1], "topic", NULL)) == NULL
        || arg_int32(values[2], "partition", 0, INT32_MAX, &call.partition) < 0
        || arg_int64(values[3], "offset", 0, INT64_MAX, &call.low) < 0
        || (values[4] != Py_None
            && (call.text = arg_utf8(values[4], "metadata", NULL)) == NULL)) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

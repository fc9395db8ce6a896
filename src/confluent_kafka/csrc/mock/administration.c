/*
 * MockCluster: the state that administration requests read and change. Python answers these
 * requests (confluent_kafka.testing).
 */
#include "mock/mock.h"

/* A partition costs about 400 bytes; if there is no memory for it, librdkafka aborts. */
#define MAX_PARTITIONS 10000

#if !defined(RD_KAFKA_HAS_MOCK_SNAPSHOT) || !defined(RD_KAFKA_HAS_MOCK_REPLICAS)             \
    || !defined(RD_KAFKA_HAS_MOCK_START_OFFSETS)

/* Without the patch mock-on-request, Python code does not get here, because _offers() refuses. */
static rd_kafka_resp_err_t
run_missing(MockCluster *self, mock_call *call)
{
    (void)self, (void)call;
    return RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED;
}

#endif

#ifdef RD_KAFKA_HAS_MOCK_SNAPSHOT

WITHOUT_GIL static rd_kafka_resp_err_t
run_snapshot(MockCluster *self, mock_call *call)
{
    call->bytes = rd_kafka_mock_snapshot(self->cluster, &call->count);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_records(MockCluster *self, mock_call *call)
{
    call->bytes = rd_kafka_mock_partition_records(self->cluster, call->topic, call->partition,
                                                  &call->count);
    return call->bytes == NULL ? RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART
                               : RD_KAFKA_RESP_ERR_NO_ERROR;
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_add_partitions(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_topic_add_partitions(self->cluster, call->topic, call->partition);
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_delete_topic(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_topic_delete(self->cluster, call->topic);
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_delete_records(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_partition_delete_records(self->cluster, call->topic, call->partition,
                                                  call->low);
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_delete_group(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_group_delete(self->cluster, call->key);
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_delete_offset(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_committed_offset_delete(self->cluster, call->key, call->topic,
                                                 call->partition);
}

#else

#define run_snapshot run_missing
#define run_records run_missing
#define run_add_partitions run_missing
#define run_delete_topic run_missing
#define run_delete_records run_missing
#define run_delete_group run_missing
#define run_delete_offset run_missing

#endif

#ifdef RD_KAFKA_HAS_MOCK_REPLICAS

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_replicas(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_partition_set_replicas(self->cluster, call->topic, call->partition,
                                                call->bytes, call->count);
}

#else

#define run_set_replicas run_missing

#endif

#ifdef RD_KAFKA_HAS_MOCK_START_OFFSETS

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_share_offset(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_share_start_offset_set(self->cluster, call->key, call->topic,
                                                call->partition, call->low);
}

#else

#define run_set_share_offset run_missing

#endif

/* ---- reading ---- */

/* Runs a call that returns bytes. */
static PyObject *
bytes_of(MockCluster *self, mock_call *call)
{
    PyObject *done = mock_cluster_do(self, call);
    if (done == NULL) {
        return NULL;
    }
    Py_DECREF(done);
    PyObject *result = PyBytes_FromStringAndSize(call->bytes, (Py_ssize_t)call->count);
    rd_kafka_mem_free(NULL, call->bytes);
    return result;
}

const char mock__snapshot_doc[] =
"_snapshot($self, /)\n--\n\n"
"Return the brokers, topics, committed offsets and groups.\n\n"
"Returns:\n"
"    bytes: The format of rd_kafka_mock_snapshot().";

PyObject *
mock__snapshot(MockCluster *self, PyObject *unused)
{
    (void)unused;
    mock_call call = {.run = run_snapshot};
    return bytes_of(self, &call);
}

const char mock__records_doc[] =
"_records($self, /, topic, partition)\n--\n\n"
"Return a copy of a partition's record batches.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.\n\n"
"Returns:\n"
"    bytes: The record batches, as in a Fetch response.";

PyObject *
mock__records(MockCluster *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    SIGNATURE(arguments, "_records()", 2, 2, P_topic, P_partition);
    PyObject *values[2];
    mock_call call = {.run = run_records};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int32(values[1], "partition", 0, INT32_MAX, &call.partition) < 0) {
        return NULL;
    }
    return bytes_of(self, &call);
}

/* ---- changes ---- */

const char mock__add_partitions_doc[] =
"_add_partitions($self, /, topic, partitions)\n--\n\n"
"Add partitions to a topic.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    partitions (int): the new number of partitions, up to 10,000.";

PyObject *
mock__add_partitions(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    SIGNATURE(arguments, "_add_partitions()", 2, 2, P_topic, P_partitions);
    PyObject *values[2];
    mock_call call = {.run = run_add_partitions};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int32(values[1], "partitions", 1, MAX_PARTITIONS, &call.partition) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock__delete_topic_doc[] =
"_delete_topic($self, /, topic)\n--\n\n"
"Delete a topic.\n\n"
"Args:\n"
"    topic (str): the name of the topic.";

PyObject *
mock__delete_topic(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    SIGNATURE(arguments, "_delete_topic()", 1, 1, P_topic);
    PyObject *values[1];
    mock_call call = {.run = run_delete_topic};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock__delete_records_doc[] =
"_delete_records($self, /, topic, partition, offset)\n--\n\n"
"Delete the oldest records of a partition.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.\n"
"    offset (int): the first offset to keep.";

PyObject *
mock__delete_records(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    SIGNATURE(arguments, "_delete_records()", 3, 3, P_topic, P_partition, P_offset);
    PyObject *values[3];
    mock_call call = {.run = run_delete_records};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int32(values[1], "partition", 0, INT32_MAX, &call.partition) < 0
        || arg_int64(values[2], "offset", 0, INT64_MAX, &call.low) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock__delete_group_doc[] =
"_delete_group($self, /, group)\n--\n\n"
"Delete a group that has no members, and its committed offsets.\n\n"
"Args:\n"
"    group (str): the id of the group.";

PyObject *
mock__delete_group(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    SIGNATURE(arguments, "_delete_group()", 1, 1, P_group);
    PyObject *values[1];
    mock_call call = {.run = run_delete_group};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.key = arg_utf8(values[0], "group", NULL)) == NULL) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock__delete_offset_doc[] =
"_delete_offset($self, /, group, topic, partition)\n--\n\n"
"Delete a group's committed offset for a partition, if there is one.\n\n"
"Args:\n"
"    group (str): the id of the group.\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.";

PyObject *
mock__delete_offset(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    SIGNATURE(arguments, "_delete_offset()", 3, 3, P_group, P_topic, P_partition);
    PyObject *values[3];
    mock_call call = {.run = run_delete_offset};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.key = arg_utf8(values[0], "group", NULL)) == NULL
        || (call.topic = arg_utf8(values[1], "topic", NULL)) == NULL
        || arg_int32(values[2], "partition", 0, INT32_MAX, &call.partition) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock__set_replicas_doc[] =
"_set_replicas($self, /, topic, partition, broker_ids)\n--\n\n"
"Assign brokers to a partition as its replicas.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.\n"
"    broker_ids (list of int): the brokers, in order. If the leader is not one of them, the first\n"
"        one becomes the leader.";

/* The ids in list `brokers` as a C array, to be freed with PyMem_Free(). */
static int32_t *
arg_broker_ids(MockCluster *self, PyObject *brokers, size_t *count)
{
    if (arg_list(brokers, "broker_ids", "ids of brokers") < 0) {
        return NULL;
    }
    PyObject *items = PySequence_Tuple(brokers); /* a copy that nobody else can change */
    if (items == NULL) {
        return NULL;
    }
    Py_ssize_t size = PyTuple_GET_SIZE(items);
    int32_t *ids = PyMem_New(int32_t, size + 1);
    if (ids == NULL) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; ids != NULL && i < size; i++) {
        if (arg_int32(PyTuple_GET_ITEM(items, i), "broker_ids", 1, self->brokers, &ids[i])
            < 0) {
            PyMem_Free(ids);
            ids = NULL;
        }
    }
    Py_DECREF(items);
    *count = (size_t)size;
    return ids;
}

PyObject *
mock__set_replicas(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    SIGNATURE(arguments, "_set_replicas()", 3, 3, P_topic, P_partition, P_broker_ids);
    PyObject *values[3];
    mock_call call = {.run = run_set_replicas};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int32(values[1], "partition", 0, INT32_MAX, &call.partition) < 0
        || (call.bytes = arg_broker_ids(self, values[2], &call.count)) == NULL) {
        return NULL;
    }
    PyObject *done = mock_cluster_do(self, &call);
    PyMem_Free(call.bytes);
    return done;
}

const char mock__set_share_offset_doc[] =
"_set_share_offset($self, /, group, topic, partition, offset)\n--\n\n"
"Set where a share group continues in a partition; the group is created if it does not exist.\n\n"
"Args:\n"
"    group (str): the id of the group.\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.\n"
"    offset (int): the offset of the next record; -1 makes the group forget the partition.";

PyObject *
mock__set_share_offset(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    SIGNATURE(arguments, "_set_share_offset()", 4, 4, P_group, P_topic, P_partition, P_offset);
    PyObject *values[4];
    mock_call call = {.run = run_set_share_offset};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.key = arg_utf8(values[0], "group", NULL)) == NULL
        || (call.topic = arg_utf8(values[1], "topic", NULL)) == NULL
        || arg_int32(values[2], "partition", 0, INT32_MAX, &call.partition) < 0
        || arg_int64(values[3], "offset", -1, INT64_MAX, &call.low) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

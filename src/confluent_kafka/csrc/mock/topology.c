/*
 * MockCluster: topics, partitions and brokers.
 */
#include "mock/mock.h"

/* A partition costs about 400 bytes; if there is no memory for it, librdkafka aborts. */
#define MAX_PARTITIONS 10000

/* Reads topic, partition and broker, which three methods have. */
static int
parse_placement(PyObject **values, MockCluster *self, mock_call *call)
{
    if (mock_arg_topic(values[0], &call->topic) < 0
        || arg_int32(values[1], "partition", 0, MAX_PARTITIONS - 1, &call->partition)
               < 0) {
        return -1;
    }
    return mock_arg_broker_id(self, values[2], &call->broker_id);
}

const char mock_create_topic_doc[] =
"create_topic($self, /, topic, partitions=1, replication_factor=1)\n--\n\n"
"Create a topic.\n\n"
"Args:\n"
"    topic (str): the name of the topic, in the characters that Kafka allows.\n"
"    partitions (int): the number of partitions, 1 to 10,000.\n"
"    replication_factor (int): the number of replicas of each partition, 1 to the number of\n"
"        brokers. The leader is a random one of them, which becomes the\n"
"        first (preferred) replica.\n\n"
"Raises:\n"
"    KafkaException: TOPIC_ALREADY_EXISTS.\n\n"
"librdkafka: rd_kafka_mock_topic_create().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_create_topic(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_topic_create(self->cluster, call->topic, (int)call->low,
                                      (int)call->high);
}

PyObject *
mock_create_topic(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    SIGNATURE(arguments, "create_topic()", 1, 3, P_topic, P_partitions,
              P_replication_factor);
    PyObject *values[3];
    mock_call call = {.run = run_create_topic, .low = 1, .high = 1};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_topic(values[0], &call.topic) < 0
        || (values[1] != NULL
            && arg_int64(values[1], "partitions", 1, MAX_PARTITIONS, &call.low) < 0)
        || (values[2] != NULL
            && arg_int64(values[2], "replication_factor", 1, self->brokers, &call.high)
                   < 0)) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_topic_error_doc[] =
"set_topic_error($self, /, topic, error)\n--\n\n"
"Make Metadata and AddPartitionsToTxn requests about a topic fail.\n\n"
"Args:\n"
"    topic (str): the name of the topic. It is created with 4 partitions if it does not exist.\n"
"    error (int, KafkaError or None): the error in every response from now on, such as\n"
"        KafkaError.TOPIC_AUTHORIZATION_FAILED; None ends it.\n\n"
"librdkafka: rd_kafka_mock_topic_set_error().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_topic_error(MockCluster *self, mock_call *call)
{
    rd_kafka_mock_topic_set_error(self->cluster, call->topic, call->errors[0]);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_set_topic_error(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    SIGNATURE(arguments, "set_topic_error()", 2, 2, P_topic, P_error);
    PyObject *values[2];
    rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
    mock_call call = {.run = run_set_topic_error, .errors = &error};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_topic(values[0], &call.topic) < 0
        || (values[1] != Py_None
            && mock_arg_error(self, values[1], "error", false, &error) < 0)) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_leader_doc[] =
"set_leader($self, /, topic, partition, broker_id)\n--\n\n"
"Move a partition's leadership to another broker, with a new leader epoch.\n\n"
"Args:\n"
"    topic (str): the name of the topic. If it does not exist, it is created with enough\n"
"        partitions.\n"
"    partition (int): the number of the partition.\n"
"    broker_id (int or None): the new leader; None leaves the partition without a leader.\n\n"
"Raises:\n"
"    KafkaException: UNKNOWN_TOPIC_OR_PART: the topic has fewer partitions.\n\n"
"librdkafka: rd_kafka_mock_partition_set_leader().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_leader(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_partition_set_leader(self->cluster, call->topic, call->partition,
                                              call->broker_id);
}

PyObject *
mock_set_leader(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames)
{
    SIGNATURE(arguments, "set_leader()", 3, 3, P_topic, P_partition, P_broker_id);
    PyObject *values[3];
    mock_call call = {.run = run_set_leader};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || parse_placement(values, self, &call) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_follower_doc[] =
"set_follower($self, /, topic, partition, broker_id)\n--\n\n"
"Set the replica that a leader tells consumers to fetch from (KIP-392).\n\n"
"Args:\n"
"    topic (str): the name of the topic. If it does not exist, it is created with enough\n"
"        partitions.\n"
"    partition (int): the number of the partition.\n"
"    broker_id (int or None): the follower; None for the leader itself.\n\n"
"Raises:\n"
"    KafkaException: UNKNOWN_TOPIC_OR_PART: the topic has fewer partitions.\n\n"
"librdkafka: rd_kafka_mock_partition_set_follower().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_follower(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_partition_set_follower(self->cluster, call->topic,
                                                call->partition, call->broker_id);
}

PyObject *
mock_set_follower(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    SIGNATURE(arguments, "set_follower()", 3, 3, P_topic, P_partition, P_broker_id);
    PyObject *values[3];
    mock_call call = {.run = run_set_follower};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || parse_placement(values, self, &call) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_follower_watermarks_doc[] =
"set_follower_watermarks($self, /, topic, partition, low, high)\n--\n\n"
"Make a partition's follower lag behind, or lack the oldest records.\n\n"
"Args:\n"
"    topic (str): the name of the topic. If it does not exist, it is created with enough\n"
"        partitions.\n"
"    partition (int): the number of the partition.\n"
"    low (int or None): the first offset that the follower has; None for the leader's.\n"
"    high (int or None): the offset after its last record; None for the leader's.\n\n"
"Raises:\n"
"    KafkaException: UNKNOWN_TOPIC_OR_PART: the topic has fewer partitions.\n\n"
"librdkafka: rd_kafka_mock_partition_set_follower_wmarks().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_follower_watermarks(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_partition_set_follower_wmarks(
        self->cluster, call->topic, call->partition, call->low, call->high);
}

static int
arg_watermark(PyObject *object, const char *name, int64_t *result)
{
    *result = -1;
    return object == Py_None ? 0 : arg_int64(object, name, 0, INT64_MAX, result);
}

PyObject *
mock_set_follower_watermarks(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames)
{
    SIGNATURE(arguments, "set_follower_watermarks()", 4, 4, P_topic, P_partition, P_low,
              P_high);
    PyObject *values[4];
    mock_call call = {.run = run_set_follower_watermarks};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_topic(values[0], &call.topic) < 0
        || arg_int32(values[1], "partition", 0, MAX_PARTITIONS - 1, &call.partition) < 0
        || arg_watermark(values[2], "low", &call.low) < 0
        || arg_watermark(values[3], "high", &call.high) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

/* ---- brokers ---- */

const char mock_set_broker_down_doc[] =
"set_broker_down($self, /, broker_id=None)\n--\n\n"
"Stop a broker: close its connections and refuse new ones, until set_broker_up().\n\n"
"Partitions keep their leader; move it with set_leader(). The Metadata responses of the other\n"
"brokers no longer contain this broker.\n\n"
"Args:\n"
"    broker_id (int or None): the broker; None for all.\n\n"
"librdkafka: rd_kafka_mock_broker_set_down().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_broker_down(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_broker_set_down(self->cluster, call->broker_id);
}

PyObject *
mock_set_broker_down(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    SIGNATURE(arguments, "set_broker_down()", 0, 1, P_broker_id);
    PyObject *values[1];
    mock_call call = {.run = run_set_broker_down};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_broker_id(self, values[0], &call.broker_id) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_broker_up_doc[] =
"set_broker_up($self, /, broker_id=None)\n--\n\n"
"Start a broker again after set_broker_down(), on the same port and with its records.\n\n"
"Args:\n"
"    broker_id (int or None): the broker; None for all.\n\n"
"librdkafka: rd_kafka_mock_broker_set_up().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_broker_up(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_broker_set_up(self->cluster, call->broker_id);
}

PyObject *
mock_set_broker_up(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    SIGNATURE(arguments, "set_broker_up()", 0, 1, P_broker_id);
    PyObject *values[1];
    mock_call call = {.run = run_set_broker_up};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_broker_id(self, values[0], &call.broker_id) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_rack_doc[] =
"set_rack($self, /, broker_id, rack)\n--\n\n"
"Set the rack that Metadata responses name for a broker.\n\n"
"Args:\n"
"    broker_id (int or None): the broker; None for all.\n"
"    rack (str): the rack's name.\n\n"
"librdkafka: rd_kafka_mock_broker_set_rack().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_rack(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_broker_set_rack(self->cluster, call->broker_id, call->text);
}

PyObject *
mock_set_rack(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
              PyObject *kwnames)
{
    SIGNATURE(arguments, "set_rack()", 2, 2, P_broker_id, P_rack);
    PyObject *values[2];
    mock_call call = {.run = run_set_rack};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_broker_id(self, values[0], &call.broker_id) < 0
        || (call.text = arg_utf8(values[1], "rack", NULL)) == NULL) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

const char mock_set_round_trip_time_doc[] =
"set_round_trip_time($self, /, broker_id, round_trip_time)\n--\n\n"
"Delay all responses of a broker.\n\n"
"Args:\n"
"    broker_id (int or None): the broker; None for all.\n"
"    round_trip_time (float): seconds, 0 to 86,400, in steps of 1 ms.\n\n"
"librdkafka: rd_kafka_mock_broker_set_rtt().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_round_trip_time(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_broker_set_rtt(self->cluster, call->broker_id,
                                        call->milliseconds);
}

PyObject *
mock_set_round_trip_time(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                         PyObject *kwnames)
{
    SIGNATURE(arguments, "set_round_trip_time()", 2, 2, P_broker_id, P_round_trip_time);
    PyObject *values[2];
    mock_call call = {.run = run_set_round_trip_time};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_broker_id(self, values[0], &call.broker_id) < 0
        || mock_arg_milliseconds(values[1], "round_trip_time", &call.milliseconds) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

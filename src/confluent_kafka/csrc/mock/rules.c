/*
 * MockCluster: what a topic accepts, for Python (confluent_kafka.testing).
 */
#include "mock/mock.h"

#ifdef RD_KAFKA_HAS_MOCK_TOPIC_RULES

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_topic_rules(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_topic_set_rules(self->cluster, call->topic, call->rules);
}

#else

static rd_kafka_resp_err_t
run_set_topic_rules(MockCluster *self, mock_call *call)
{
    (void)self, (void)call;
    return RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED;
}

#endif

const char mock__set_topic_rules_doc[] =
"_set_topic_rules($self, /, topic, max_size, low, high, append_time, compacted)\n--\n\n"
"Set what a topic accepts from now on.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    max_size (int): the size of the largest batch, in bytes.\n"
"    low (int): how much older than now a record may be, in milliseconds.\n"
"    high (int): how much newer than now a record may be, in milliseconds.\n"
"    append_time (bool): whether the brokers replace the timestamps of records.\n"
"    compacted (bool): whether each record needs a key.\n\n"
"Raises:\n"
"    KafkaException: UNKNOWN_TOPIC_OR_PART; _NOT_IMPLEMENTED: this librdkafka lacks the patch\n"
"        mock-topic-rules.\n\n"
"librdkafka: rd_kafka_mock_topic_set_rules(), of our patch mock-topic-rules.";

PyObject *
mock__set_topic_rules(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    SIGNATURE(arguments, "_set_topic_rules()", 6, 6, P_topic, P_max_size, P_low, P_high,
              P_append_time, P_compacted);
    PyObject *values[6];
    bool append_time, compacted;
    mock_topic_rules rules;
    mock_call call = {.run = run_set_topic_rules, .rules = &rules};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int32(values[1], "max_size", 0, INT32_MAX, &rules.max_message_bytes) < 0
        || arg_int64(values[2], "low", 0, INT64_MAX, &rules.timestamp_before_max_ms) < 0
        || arg_int64(values[3], "high", 0, INT64_MAX, &rules.timestamp_after_max_ms) < 0
        || arg_bool(values[4], "append_time", &append_time) < 0
        || arg_bool(values[5], "compacted", &compacted) < 0) {
        return NULL;
    }
    rules.log_append_time = append_time;
    rules.compacted = compacted;
    return mock_cluster_do(self, &call);
}

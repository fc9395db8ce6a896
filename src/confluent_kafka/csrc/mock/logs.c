/*
 * MockCluster: writing the log of a partition anew, for Python (confluent_kafka.testing).
 */
#include "mock/mock.h"

#ifdef RD_KAFKA_HAS_MOCK_WRITTEN_LOGS

WITHOUT_GIL static rd_kafka_resp_err_t
run_write_records(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_partition_write_records(self->cluster, call->topic, call->partition,
                                                 call->text, call->count, call->low, call->high);
}

#else

static rd_kafka_resp_err_t
run_write_records(MockCluster *self, mock_call *call)
{
    (void)self, (void)call;
    return RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED;
}

#endif

const char mock__write_records_doc[] =
"_write_records($self, /, topic, partition, data, low, high)\n--\n\n"
"Replace the log of a partition up to an offset. Later records stay.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.\n"
"    data (bytes): record batches of format 2, with increasing offsets.\n"
"    low (int): the first offset of the log. A log that begins later keeps its first offset.\n"
"    high (int): the offset after the written part. A shorter log then ends at this offset.\n\n"
"Raises:\n"
"    KafkaException: UNKNOWN_TOPIC_OR_PART; INVALID_MSG: nothing was written, because `data`\n"
"        contains something other than batches between `low` and `high`; _NOT_IMPLEMENTED: this\n"
"        librdkafka lacks the patch mock-written-logs.\n\n"
"librdkafka: rd_kafka_mock_partition_write_records(), of our patch mock-written-logs.";

PyObject *
mock__write_records(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    SIGNATURE(arguments, "_write_records()", 5, 5, P_topic, P_partition, P_data, P_low,
              P_high);
    PyObject *values[5];
    bytes_view batches;
    mock_call call = {.run = run_write_records};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int32(values[1], "partition", 0, INT32_MAX, &call.partition) < 0
        || arg_int64(values[3], "low", 0, INT64_MAX, &call.low) < 0
        || arg_int64(values[4], "high", 0, INT64_MAX, &call.high) < 0
        || bytes_view_get(values[2], "data", &batches) < 0) {
        return NULL;
    }
    call.text = batches.data;
    call.count = batches.size;
    PyObject *done = mock_cluster_do(self, &call);
    bytes_view_release(&batches);
    return done;
}

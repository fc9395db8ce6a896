/*
 * MockCluster: transactions.
 */
#include "mock/mock.h"

#ifdef RD_KAFKA_HAS_MOCK_TRANSACTION_VERSION

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_transaction_version(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_set_transaction_version(self->cluster, (int16_t)call->count);
}

#else

static rd_kafka_resp_err_t
run_set_transaction_version(MockCluster *self, mock_call *call)
{
    (void)self;
    return call->count == 1 ? RD_KAFKA_RESP_ERR_NO_ERROR : RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED;
}

#endif

#ifdef RD_KAFKA_HAS_MOCK_TXNS_LISTED

WITHOUT_GIL static rd_kafka_resp_err_t
run_write_marker(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_partition_write_marker(self->cluster, call->topic, call->partition,
                                                call->low, (int16_t)call->high,
                                                (int)call->count);
}

#else

static rd_kafka_resp_err_t
run_write_marker(MockCluster *self, mock_call *call)
{
    (void)self, (void)call;
    return RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED;
}

#endif

const char mock_set_transaction_version_doc[] =
"set_transaction_version($self, /, version)\n--\n\n"
"Set the feature transaction.version of the cluster, which clients learn when they connect.\n\n"
"With version 2 (KIP-890) each transaction has an epoch of its own, so that a request of an\n"
"earlier transaction that arrives late is refused. Clusters of Kafka 4 have version 2 unless\n"
"they were upgraded from an older release.\n\n"
"Args:\n"
"    version (int): 1 or 2; 2 in a new MockCluster, and 1 if librdkafka lacks our patch.\n\n"
"Raises:\n"
"    KafkaException: _NOT_IMPLEMENTED: `version` is 2, and this librdkafka lacks the patch\n"
"        mock-transaction-version.\n\n"
"librdkafka: rd_kafka_mock_set_transaction_version(), of our patch mock-transaction-version.";

PyObject *
mock_set_transaction_version(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                             PyObject *kwnames)
{
    SIGNATURE(arguments, "set_transaction_version()", 1, 1, P_version);
    PyObject *values[1];
    int32_t version;
    mock_call call = {.run = run_set_transaction_version};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || arg_int32(values[0], "version", 1, 2, &version) < 0) {
        return NULL;
    }
    call.count = version;
    return mock_cluster_do(self, &call);
}

const char mock__write_marker_doc[] =
"_write_marker($self, /, topic, partition, producer_id, producer_epoch, committed)\n--\n\n"
"Write a marker to a partition, where it ends the transaction of a producer.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    partition (int): the number of the partition.\n"
"    producer_id (int): the id of the producer.\n"
"    producer_epoch (int): the epoch of the producer.\n"
"    committed (bool): True if the transaction is committed, False if it is aborted.";

PyObject *
mock__write_marker(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    SIGNATURE(arguments, "_write_marker()", 5, 5, P_topic, P_partition, P_producer_id,
              P_producer_epoch, P_committed);
    PyObject *values[5];
    bool committed;
    mock_call call = {.run = run_write_marker};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (call.topic = arg_utf8(values[0], "topic", NULL)) == NULL
        || arg_int32(values[1], "partition", 0, INT32_MAX, &call.partition) < 0
        || arg_int64(values[2], "producer_id", 0, INT64_MAX, &call.low) < 0
        || arg_int64(values[3], "producer_epoch", 0, INT16_MAX, &call.high) < 0
        || arg_bool(values[4], "committed", &committed) < 0) {
        return NULL;
    }
    call.count = committed;
    return mock_cluster_do(self, &call);
}

/*
 * MockCluster: how much a client may send and read, for Python (confluent_kafka.testing).
 */
#include "mock/mock.h"

#ifdef RD_KAFKA_HAS_MOCK_QUOTAS

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_client_quota(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_set_client_quota(self->cluster, call->text, call->low, call->high);
}

#else

static rd_kafka_resp_err_t
run_set_client_quota(MockCluster *self, mock_call *call)
{
    (void)self, (void)call;
    return RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED;
}

#endif

const char mock__set_client_quota_doc[] =
"_set_client_quota($self, /, client_id, produce_rate, fetch_rate)\n--\n\n"
"Limit how much a client sends to and reads from each broker.\n\n"
"Args:\n"
"    client_id (str or None): the 'client.id', or None for the clients that have no quota of\n"
"        their own.\n"
"    produce_rate (int): bytes per second that a client may send; 0: no limit.\n"
"    fetch_rate (int): bytes per second that a client may read; 0: no limit.\n\n"
"Raises:\n"
"    KafkaException: _NOT_IMPLEMENTED: this librdkafka lacks the patch mock-quotas.\n\n"
"librdkafka: rd_kafka_mock_set_client_quota(), of our patch mock-quotas.";

PyObject *
mock__set_client_quota(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    SIGNATURE(arguments, "_set_client_quota()", 3, 3, P_client_id, P_produce_rate,
              P_fetch_rate);
    PyObject *values[3];
    mock_call call = {.run = run_set_client_quota};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (values[0] != Py_None
            && (call.text = arg_utf8(values[0], "client_id", NULL)) == NULL)
        || arg_int64(values[1], "produce_rate", 0, INT64_MAX, &call.low) < 0
        || arg_int64(values[2], "fetch_rate", 0, INT64_MAX, &call.high) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

/*
 * The kinds of requests, by name.
 */
#include "mock/mock.h"

#include <string.h>

#include "base/text.h"

#ifdef RD_KAFKA_HAS_MOCK_TRANSACTION_VERSION
#define OF_TRANSACTIONS(newest, without_patch) newest
#else
#define OF_TRANSACTIONS(newest, without_patch) without_patch
#endif

/* Python answers the later versions (confluent_kafka.testing). */
#ifdef RD_KAFKA_HAS_MOCK_SNAPSHOT
#define OF_ADMINISTRATION(newest, without_patch) newest
#else
#define OF_ADMINISTRATION(newest, without_patch) without_patch
#endif

#ifdef RD_KAFKA_HAS_SHARE_RENEWAL
#define OF_RENEWAL(newest, without_patch) newest
#else
#define OF_RENEWAL(newest, without_patch) without_patch
#endif

const mock_request_kind mock_request_kinds[] = {
    {"Produce", 0, OF_TRANSACTIONS(12, 9)},
    {"Fetch", 1, 11},
    {"ListOffsets", 2, OF_ADMINISTRATION(11, 7)},
    {"Metadata", 3, 12},
    {"OffsetCommit", 8, 9},
    {"OffsetFetch", 9, 6},
    {"FindCoordinator", 10, 6},
    {"JoinGroup", 11, 5},
    {"Heartbeat", 12, 3},
    {"LeaveGroup", 13, 5},
    {"SyncGroup", 14, 3},
    {"ApiVersions", 18, OF_TRANSACTIONS(3, 2)},
    {"InitProducerId", 22, OF_TRANSACTIONS(5, 4)},
    {"OffsetForLeaderEpoch", 23, 2},
    {"AddPartitionsToTxn", 24, 1},
    {"AddOffsetsToTxn", 25, 1},
    {"EndTxn", 26, OF_TRANSACTIONS(5, 1)},
    {"TxnOffsetCommit", 28, OF_TRANSACTIONS(5, 3)},
    {"ConsumerGroupHeartbeat", 68, 1},
    {"GetTelemetrySubscriptions", 71, 0},
    {"PushTelemetry", 72, 0},
    {"ShareGroupHeartbeat", 76, 1},
    {"ShareFetch", 78, 1},
    {"ShareAcknowledge", 79, OF_RENEWAL(2, 1)},
    {NULL, -1, -1},
};

static PyObject *
all_request_names(void)
{
    PyObject *names = PyList_New(0);
    for (const mock_request_kind *kind = mock_request_kinds; names != NULL && kind->name != NULL;
         kind++) {
        PyObject *name = PyUnicode_FromString(kind->name);
        if (name == NULL || PyList_Append(names, name) < 0) {
            Py_CLEAR(names);
        }
        Py_XDECREF(name);
    }
    return names;
}

/* The names to suggest instead of `given`: the most similar one, or all; new list. */
static int
refuse_request(PyObject *given)
{
    PyObject *names = all_request_names();
    PyObject *nearest = names == NULL ? NULL : nearest_name(given, names);
    if (nearest == Py_None) {
        PyErr_Format(PyExc_ValueError, "request must be one of %S, not %R", names, given);
    }
    else if (nearest != NULL) {
        PyErr_Format(PyExc_ValueError, "request: no kind %R; did you mean %R?", given,
                     nearest);
    }
    Py_XDECREF(names);
    Py_XDECREF(nearest);
    return -1;
}

int
mock_arg_request(PyObject *object, int16_t *api_key)
{
    const char *name = arg_utf8(object, "request", NULL);
    if (name == NULL) {
        return -1;
    }
    for (const mock_request_kind *kind = mock_request_kinds; kind->name != NULL; kind++) {
        if (strcmp(kind->name, name) == 0) {
            *api_key = kind->api_key;
            return 0;
        }
    }
    return refuse_request(object);
}

const char mock__answers_doc[] =
"_answers($self, /, api_key)\n--\n\n"
"Return whether the brokers themselves answer a kind of request.\n\n"
"Args:\n"
"    api_key (int): the kind of request.";

static rd_kafka_resp_err_t
run_answers(MockCluster *self, mock_call *call)
{
    (void)self;
    for (const mock_request_kind *kind = mock_request_kinds; kind->name != NULL; kind++) {
        call->count += kind->api_key == call->low;
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock__answers(MockCluster *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    SIGNATURE(arguments, "_answers()", 1, 1, P_api_key);
    PyObject *values[1];
    mock_call call = {.run = run_answers};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || arg_int64(values[0], "api_key", INT16_MIN, INT16_MAX, &call.low) < 0) {
        return NULL;
    }
    rd_kafka_resp_err_t error;
    return mock_cluster_call(self, &call, &error) < 0 ? NULL : PyBool_FromLong(call.count > 0);
}

/* The kinds that only Python answers, by API key; NULL for other keys. */
static const char *const other_names[] = {
    [15] = "DescribeGroups",
    [16] = "ListGroups",
    [17] = "SaslHandshake",
    [19] = "CreateTopics",
    [20] = "DeleteTopics",
    [21] = "DeleteRecords",
    [27] = "WriteTxnMarkers",
    [29] = "DescribeAcls",
    [30] = "CreateAcls",
    [31] = "DeleteAcls",
    [32] = "DescribeConfigs",
    [33] = "AlterConfigs",
    [34] = "AlterReplicaLogDirs",
    [35] = "DescribeLogDirs",
    [36] = "SaslAuthenticate",
    [37] = "CreatePartitions",
    [38] = "CreateDelegationToken",
    [39] = "RenewDelegationToken",
    [40] = "ExpireDelegationToken",
    [41] = "DescribeDelegationToken",
    [42] = "DeleteGroups",
    [43] = "ElectLeaders",
    [44] = "IncrementalAlterConfigs",
    [45] = "AlterPartitionReassignments",
    [46] = "ListPartitionReassignments",
    [47] = "OffsetDelete",
    [48] = "DescribeClientQuotas",
    [49] = "AlterClientQuotas",
    [50] = "DescribeUserScramCredentials",
    [51] = "AlterUserScramCredentials",
    [52] = "Vote",
    [53] = "BeginQuorumEpoch",
    [54] = "EndQuorumEpoch",
    [55] = "DescribeQuorum",
    [56] = "AlterPartition",
    [57] = "UpdateFeatures",
    [58] = "Envelope",
    [59] = "FetchSnapshot",
    [60] = "DescribeCluster",
    [61] = "DescribeProducers",
    [62] = "BrokerRegistration",
    [63] = "BrokerHeartbeat",
    [64] = "UnregisterBroker",
    [65] = "DescribeTransactions",
    [66] = "ListTransactions",
    [67] = "AllocateProducerIds",
    [69] = "ConsumerGroupDescribe",
    [70] = "ControllerRegistration",
    [73] = "AssignReplicasToDirs",
    [74] = "ListConfigResources",
    [75] = "DescribeTopicPartitions",
    [77] = "ShareGroupDescribe",
    [80] = "AddRaftVoter",
    [81] = "RemoveRaftVoter",
    [82] = "UpdateRaftVoter",
    [83] = "InitializeShareGroupState",
    [84] = "ReadShareGroupState",
    [85] = "WriteShareGroupState",
    [86] = "DeleteShareGroupState",
    [87] = "ReadShareGroupStateSummary",
    [88] = "StreamsGroupHeartbeat",
    [89] = "StreamsGroupDescribe",
    [90] = "DescribeShareGroupOffsets",
    [91] = "AlterShareGroupOffsets",
    [92] = "DeleteShareGroupOffsets",
    [93] = "StreamsGroupTopologyDescriptionUpdate",
    [94] = "UnregisterController",
};

PyObject *
mock_request_name(int16_t api_key)
{
    for (const mock_request_kind *kind = mock_request_kinds; kind->name != NULL; kind++) {
        if (kind->api_key == api_key) {
            return PyUnicode_FromString(kind->name);
        }
    }
    size_t count = sizeof(other_names) / sizeof(other_names[0]);
    if (api_key >= 0 && (size_t)api_key < count && other_names[api_key] != NULL) {
        return PyUnicode_FromString(other_names[api_key]);
    }
    /* For a librdkafka that is newer than the tables. */
    return PyUnicode_FromFormat("ApiKey%d", (int)api_key);
}

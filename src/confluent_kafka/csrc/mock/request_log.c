/*
 * MockCluster: the request log.
 */
#include "mock/mock.h"

#include "base/list.h"

static PyStructSequence_Field mock_request_fields[] = {
    {"request", "the request's name in Kafka's protocol, such as \"Produce\""},
    {"api_key", "the request's API key"},
    {"broker_id", "the id of the broker that received it"},
    {"timestamp",
     "the time in seconds, on the clock of time.monotonic() (on macOS, of time.time())"},
    {NULL, NULL},
};

static PyStructSequence_Desc mock_request_desc = {
    .name = "confluent_kafka.cimpl.MockRequest",
    .doc = "A request that a MockCluster received, an entry of MockCluster.requests().",
    .fields = mock_request_fields,
    .n_in_sequence = 4,
};

int
mock_request_type_add(PyObject *module, module_state *state)
{
    state->MockRequest = PyStructSequence_NewType(&mock_request_desc);
    if (state->MockRequest == NULL) {
        return -1;
    }
    return PyModule_AddObjectRef(module, "MockRequest", (PyObject *)state->MockRequest);
}

const char mock_start_request_tracking_doc[] =
"start_request_tracking($self, /)\n--\n\n"
"Start an empty request log.\n\n"
"The log grows until clear_requests(), so it is off in a new MockCluster.\n\n"
"librdkafka: rd_kafka_mock_start_request_tracking().";

static rd_kafka_resp_err_t
run_start_tracking(MockCluster *self, mock_call *call)
{
    (void)call;
    rd_kafka_mock_start_request_tracking(self->cluster);
    self->tracking = true;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_start_request_tracking(MockCluster *self, PyObject *unused)
{
    (void)unused;
    mock_call call = {.run = run_start_tracking};
    return mock_cluster_do(self, &call);
}

const char mock_stop_request_tracking_doc[] =
"stop_request_tracking($self, /)\n--\n\n"
"Stop the request log and delete its entries.\n\n"
"librdkafka: rd_kafka_mock_stop_request_tracking().";

static rd_kafka_resp_err_t
run_stop_tracking(MockCluster *self, mock_call *call)
{
    (void)call;
    rd_kafka_mock_stop_request_tracking(self->cluster);
    self->tracking = false;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_stop_request_tracking(MockCluster *self, PyObject *unused)
{
    (void)unused;
    mock_call call = {.run = run_stop_tracking};
    return mock_cluster_do(self, &call);
}

const char mock_clear_requests_doc[] =
"clear_requests($self, /)\n--\n\n"
"Delete the entries of the request log.\n\n"
"librdkafka: rd_kafka_mock_clear_requests().";

static rd_kafka_resp_err_t
run_clear_requests(MockCluster *self, mock_call *call)
{
    (void)call;
    rd_kafka_mock_clear_requests(self->cluster);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_clear_requests(MockCluster *self, PyObject *unused)
{
    (void)unused;
    mock_call call = {.run = run_clear_requests};
    return mock_cluster_do(self, &call);
}

static PyObject *
request_entry(module_state *state, rd_kafka_mock_request_t *request)
{
    PyObject *entry = PyStructSequence_New(state->MockRequest);
    if (entry == NULL) {
        return NULL;
    }
    int16_t api_key = rd_kafka_mock_request_api_key(request);
    PyObject *fields[] = {
        mock_request_name(api_key),
        PyLong_FromLong(api_key),
        PyLong_FromLong(rd_kafka_mock_request_id(request)),
        PyFloat_FromDouble((double)rd_kafka_mock_request_timestamp(request) / 1e6),
    };
    bool complete = true;
    for (int i = 0; i < 4; i++) {
        complete = complete && fields[i] != NULL;
        PyStructSequence_SetItem(entry, i, fields[i]); /* steals the reference */
    }
    if (!complete) {
        Py_CLEAR(entry);
    }
    return entry;
}

const char mock_requests_doc[] =
"requests($self, /)\n--\n\n"
"Return the requests that were received since start_request_tracking().\n\n"
"Returns:\n"
"    list of MockRequest: (request, api_key, broker_id, timestamp), oldest first. Requests that\n"
"    mock brokers do not support are not included.\n\n"
"Raises:\n"
"    RuntimeError: the request log was not started.\n\n"
"librdkafka: rd_kafka_mock_get_requests().";

static rd_kafka_resp_err_t
run_get_requests(MockCluster *self, mock_call *call)
{
    if (!self->tracking) {
        return RD_KAFKA_RESP_ERR__STATE;
    }
    call->requests = rd_kafka_mock_get_requests(self->cluster, &call->count);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

typedef struct {
    module_state *state;
    rd_kafka_mock_request_t **requests;
} recorded;

static PyObject *
entry_of(const void *from, size_t i)
{
    const recorded *log = from;
    return request_entry(log->state, log->requests[i]);
}

PyObject *
mock_requests(MockCluster *self, PyObject *unused)
{
    (void)unused;
    mock_call call = {.run = run_get_requests};
    rd_kafka_resp_err_t error;
    if (mock_cluster_call(self, &call, &error) < 0) {
        return NULL;
    }
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
        PyErr_SetString(PyExc_RuntimeError,
                        "requests are not being recorded: call start_request_tracking() "
                        "first");
        return NULL;
    }
    recorded from = {self->state, call.requests};
    PyObject *list = list_of(call.count, entry_of, &from);
    if (call.requests != NULL) {
        rd_kafka_mock_request_destroy_array(call.requests, call.count);
    }
    return list;
}

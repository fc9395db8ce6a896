/*
 * MockCluster: request kinds, injected errors and protocol versions.
 */
#include "mock/mock.h"

#include <string.h>

#include "base/text.h"

/* ---- injected errors ---- */

const char mock_inject_errors_doc[] =
"inject_errors($self, /, request, errors, *, broker_id=None, round_trip_time=None)\n"
"--\n\n"
"Make the next requests of one kind fail, each with the next error of a list.\n\n"
"Args:\n"
"    request (str): the name in Kafka's protocol, such as \"Produce\", \"Fetch\", \"Metadata\",\n"
"        \"OffsetCommit\", \"FindCoordinator\" or \"JoinGroup\".\n"
"    errors (list of int or KafkaError): the errors of the responses, such as\n"
"        KafkaError.NOT_LEADER_FOR_PARTITION. KafkaError._TRANSPORT closes the connection,\n"
"        KafkaError.NO_ERROR lets a request pass. An empty list changes nothing.\n"
"    broker_id (int or None): only for requests to this broker. These errors are used before\n"
"        errors for any broker (None).\n"
"    round_trip_time (float or None): the delay of each of these responses in seconds, 0 to\n"
"        86,400. Needs broker_id.\n\n"
"Raises:\n"
"    ValueError: the request or the code is unknown; the error suggests the most similar name.\n\n"
"librdkafka: rd_kafka_mock_push_request_errors_array(),\n"
"rd_kafka_mock_broker_push_request_error_rtts().";

static rd_kafka_resp_err_t
run_inject_errors(MockCluster *self, mock_call *call)
{
    if (call->count == 0) {
        return RD_KAFKA_RESP_ERR_NO_ERROR; /* librdkafka would store an empty stack of errors */
    }
    if (call->broker_id == -1) {
        rd_kafka_mock_push_request_errors_array(self->cluster, call->api_key, call->count,
                                                call->errors);
        return RD_KAFKA_RESP_ERR_NO_ERROR;
    }
    rd_kafka_resp_err_t result = RD_KAFKA_RESP_ERR_NO_ERROR;
    for (size_t i = 0; i < call->count && result == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
        result = rd_kafka_mock_broker_push_request_error_rtts(
            self->cluster, call->broker_id, call->api_key, 1, call->errors[i],
            call->milliseconds);
    }
    return result;
}

/* The codes in list `errors` as a C array, to be freed with PyMem_Free(). */
static rd_kafka_resp_err_t *
arg_errors(MockCluster *self, PyObject *errors, size_t *count)
{
    if (arg_list(errors, "errors", "error codes") < 0) {
        return NULL;
    }
    PyObject *items = PySequence_Tuple(errors); /* a copy that nobody else can change */
    if (items == NULL) {
        return NULL;
    }
    Py_ssize_t size = PyTuple_GET_SIZE(items);
    rd_kafka_resp_err_t *codes = PyMem_New(rd_kafka_resp_err_t, size);
    if (codes == NULL) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; codes != NULL && i < size; i++) {
        if (mock_arg_error(self, PyTuple_GET_ITEM(items, i), "errors", true, &codes[i])
            < 0) {
            PyMem_Free(codes);
            codes = NULL;
        }
    }
    Py_DECREF(items);
    *count = (size_t)size;
    return codes;
}

static int
arg_delay(PyObject *round_trip_time, mock_call *call)
{
    if (round_trip_time == NULL || round_trip_time == Py_None) {
        return 0;
    }
    if (call->broker_id == -1) {
        PyErr_SetString(PyExc_ValueError,
                        "round_trip_time needs broker_id: delays are per broker");
        return -1;
    }
    return mock_arg_milliseconds(round_trip_time, "round_trip_time", &call->milliseconds);
}

PyObject *
mock_inject_errors(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    SIGNATURE(arguments, "inject_errors()", 2, 2, P_request, P_errors, P_broker_id,
              P_round_trip_time);
    PyObject *values[4];
    mock_call call = {.run = run_inject_errors};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_request(values[0], &call.api_key) < 0
        || mock_arg_broker_id(self, values[2], &call.broker_id) < 0
        || arg_delay(values[3], &call) < 0
        || (call.errors = arg_errors(self, values[1], &call.count)) == NULL) {
        return NULL;
    }
    PyObject *result = mock_cluster_do(self, &call);
    PyMem_Free(call.errors);
    return result;
}

const char mock_pending_errors_doc[] =
"pending_errors($self, /, request, broker_id)\n--\n\n"
"Return the number of injected errors for one broker that have not been used yet.\n\n"
"Args:\n"
"    request (str): the name of the request.\n"
"    broker_id (int): the broker. Errors that were injected for any broker are not counted.\n\n"
"Returns:\n"
"    int.\n\n"
"librdkafka: rd_kafka_mock_broker_error_stack_cnt().";

static rd_kafka_resp_err_t
run_pending_errors(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_broker_error_stack_cnt(self->cluster, call->broker_id,
                                                call->api_key, &call->count);
}

PyObject *
mock_pending_errors(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                    PyObject *kwnames)
{
    SIGNATURE(arguments, "pending_errors()", 2, 2, P_request, P_broker_id);
    PyObject *values[2];
    mock_call call = {.run = run_pending_errors};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_request(values[0], &call.api_key) < 0
        || arg_int32(values[1], "broker_id", 1, self->brokers, &call.broker_id) < 0) {
        return NULL;
    }
    PyObject *done = mock_cluster_do(self, &call);
    if (done == NULL) {
        return NULL;
    }
    Py_DECREF(done);
    return PyLong_FromSize_t(call.count);
}

const char mock_clear_errors_doc[] =
"clear_errors($self, /, request=None)\n--\n\n"
"Remove pending errors that were injected for any broker.\n\n"
"Errors that were injected for one broker stay: librdkafka cannot remove them; see\n"
"pending_errors().\n\n"
"Args:\n"
"    request (str or None): the name of the request; None for every kind.\n\n"
"librdkafka: rd_kafka_mock_clear_request_errors().";

static rd_kafka_resp_err_t
run_clear_errors(MockCluster *self, mock_call *call)
{
    for (const mock_request_kind *kind = mock_request_kinds; kind->name != NULL; kind++) {
        if (call->api_key == -1 || call->api_key == kind->api_key) {
            rd_kafka_mock_clear_request_errors(self->cluster, kind->api_key);
        }
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

PyObject *
mock_clear_errors(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    SIGNATURE(arguments, "clear_errors()", 0, 1, P_request);
    PyObject *values[1];
    mock_call call = {.run = run_clear_errors, .api_key = -1};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || (values[0] != NULL && values[0] != Py_None
            && mock_arg_request(values[0], &call.api_key) < 0)) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

/* ---- protocol versions ---- */

const char mock_set_api_versions_doc[] =
"set_api_versions($self, /, request, min_version, max_version)\n--\n\n"
"Make the brokers offer other versions of a request, as older brokers do.\n\n"
"Clients ask for the versions when they connect, so connected clients keep theirs.\n\n"
"Args:\n"
"    request (str): the name of the request.\n"
"    min_version, max_version (int or None): the range in ApiVersions responses; at most the\n"
"        range that a new MockCluster offers. None for both withdraws the request.\n\n"
"librdkafka: rd_kafka_mock_set_apiversion().";

WITHOUT_GIL static rd_kafka_resp_err_t
run_set_api_versions(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_set_apiversion(self->cluster, call->api_key, (int16_t)call->low,
                                        (int16_t)call->high);
}

/* Checks versions, because the brokers crash at a version that they cannot read. */
static int64_t
highest_version(int16_t api_key)
{
    const mock_request_kind *kind = mock_request_kinds;
    while (kind->api_key != api_key) {
        kind++;
    }
    return kind->highest_version;
}

/* For the request `call->api_key`, which has already been read. */
static int
arg_version_range(PyObject *minimum, PyObject *maximum, mock_call *call)
{
    int64_t highest = highest_version(call->api_key);
    call->low = call->high = -1;
    if (minimum == Py_None && maximum == Py_None) {
        return 0;
    }
    if (arg_int64(minimum, "min_version", 0, highest, &call->low) < 0) {
        return -1;
    }
    return arg_int64(maximum, "max_version", call->low, highest, &call->high);
}

PyObject *
mock_set_api_versions(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    SIGNATURE(arguments, "set_api_versions()", 3, 3, P_request, P_min_version,
              P_max_version);
    PyObject *values[3];
    mock_call call = {.run = run_set_api_versions};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || mock_arg_request(values[0], &call.api_key) < 0
        || arg_version_range(values[1], values[2], &call) < 0) {
        return NULL;
    }
    return mock_cluster_do(self, &call);
}

#include "client/raw_request.h"

#include <stdlib.h>
#include <string.h>

#include "base/deadline.h"
#include "client/guard.h"
#include "client/raw_header.h"
#include "client/request.h"
#include "values/error.h"

/* The maximum size of a request, the default of the brokers' socket.request.max.bytes. */
#define MAX_BODY (100 * 1024 * 1024)
/* The longest time that librdkafka waits for an answer. */
#define LONGEST_MS (3600 * 1000)

/* The broker to ask. */
enum target { ANY, CONTROLLER, GROUP_COORDINATOR, TRANSACTION_COORDINATOR };

/* ---- sending ---- */

/* The input of a request. */
typedef struct {
    int16_t api_key, version;
    enum target target;
    int32_t broker; /* -1: `target` selects the broker */
    size_t size;    /* of the body, including the tags of the header */
    char body[];
} raw_input;

#ifdef RD_KAFKA_HAS_RAWREQUEST

static void
free_event(void *answer)
{
    rd_kafka_event_destroy(answer);
}

/* The event with the answer, or NULL if nobody waits for it any more. */
WITHOUT_GIL static rd_kafka_event_t *
wait_for_event(request *self, rd_kafka_queue_t *queue)
{
    rd_kafka_event_t *event;
    do { /* librdkafka ends the request at its timeout */
        event = rd_kafka_queue_poll(queue, WAIT_SLICE_MS);
    } while (event == NULL && !request_is_given_up(self));
    return event;
}

/* NULL, or the reason why librdkafka refuses the options. */
WITHOUT_GIL static rd_kafka_error_t *
set_options(rd_kafka_AdminOptions_t *options, const raw_input *input, int timeout_ms)
{
    char text[256];
    rd_kafka_resp_err_t code =
        rd_kafka_AdminOptions_set_request_timeout(options, timeout_ms, text, sizeof(text));
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR && input->broker >= 0) {
        code = rd_kafka_AdminOptions_set_broker(options, input->broker, text, sizeof(text));
    }
    return code == RD_KAFKA_RESP_ERR_NO_ERROR ? NULL : rd_kafka_error_new(code, "%s", text);
}

WITHOUT_GIL static void
send_input(request *self, const rd_kafka_AdminOptions_t *options, rd_kafka_queue_t *queue)
{
    static const rd_kafka_RawRequest_target_t targets[] = {
        [ANY] = RD_KAFKA_RAWREQUEST_ANY,
        [CONTROLLER] = RD_KAFKA_RAWREQUEST_CONTROLLER,
        [GROUP_COORDINATOR] = RD_KAFKA_RAWREQUEST_GROUP_COORDINATOR,
        [TRANSACTION_COORDINATOR] = RD_KAFKA_RAWREQUEST_TXN_COORDINATOR,
    };
    const raw_input *input = self->input;
    rd_kafka_RawRequest(self->rk, input->api_key, input->version, input->body, input->size,
                        targets[input->target], self->name, options, queue);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_raw(request *self, int timeout_ms)
{
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(self->rk, RD_KAFKA_ADMIN_OP_ANY);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(self->rk);
    rd_kafka_error_t *error = set_options(options, self->input, timeout_ms);
    if (error == NULL) {
        send_input(self, options, queue);
        rd_kafka_event_t *event = wait_for_event(self, queue);
        if (event != NULL && rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
            error = rd_kafka_error_new(rd_kafka_event_error(event), "request(): %s",
                                       rd_kafka_event_error_string(event));
        }
        self->answer = event;
        self->free_answer = free_event;
    }
    rd_kafka_queue_destroy(queue);
    rd_kafka_AdminOptions_destroy(options);
    return error;
}

int
raw_requests_check(module_state *Py_UNUSED(state))
{
    return 0;
}

/* The bytes of an answer, borrowed from it. */
static const void *
answer_of(const request *made, size_t *size)
{
    return rd_kafka_event_RawRequest_answer(made->answer, size);
}

#else

WITHOUT_GIL static rd_kafka_error_t *
attempt_raw(request *Py_UNUSED(self), int Py_UNUSED(timeout_ms))
{
    return request_error(RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED, "request()");
}

int
raw_requests_check(module_state *state)
{
    raise_kafka_error(state, RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED,
                      "this librdkafka (%s) cannot send raw requests: they need the patch "
                      "raw-request, which the pinned librdkafka has; build this package "
                      "without LIBRDKAFKA=system",
                      rd_kafka_version_str());
    return -1;
}

static const void *
answer_of(const request *Py_UNUSED(made), size_t *Py_UNUSED(size))
{
    return NULL;
}

#endif

/* ---- arguments ---- */

/* The arguments of request(); `coordinator` is borrowed. */
typedef struct {
    int16_t api_key, version;
    enum target target;
    int32_t broker;
    const char *coordinator;
    int timeout_ms;
} raw_target;

static int
read_coordinator(PyObject *object, raw_target *to)
{
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 2) {
        PyErr_Format(PyExc_TypeError,
                     "coordinator must be a tuple (kind, key), such as (\"group\", \"orders\"), "
                     "not %.200s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    const char *kind = arg_utf8(PyTuple_GET_ITEM(object, 0), "coordinator's kind", NULL);
    if (kind == NULL) {
        return -1;
    }
    if (strcmp(kind, "group") == 0) {
        to->target = GROUP_COORDINATOR;
    }
    else if (strcmp(kind, "transaction") == 0) {
        to->target = TRANSACTION_COORDINATOR;
    }
    else {
        PyErr_Format(PyExc_ValueError,
                     "coordinator's kind must be \"group\" or \"transaction\", not %R",
                     PyTuple_GET_ITEM(object, 0));
        return -1;
    }
    to->coordinator = arg_utf8(PyTuple_GET_ITEM(object, 1), "coordinator's key", NULL);
    return to->coordinator == NULL ? -1 : 0;
}

/* Checks that at most one of the three arguments selects the broker. */
static int
read_target(PyObject *broker, PyObject *controller, PyObject *coordinator, raw_target *to)
{
    bool of_controller = false;
    if (controller != NULL && arg_bool(controller, "controller", &of_controller) < 0) {
        return -1;
    }
    bool of_broker = broker != NULL && broker != Py_None;
    bool of_coordinator = coordinator != NULL && coordinator != Py_None;
    if (of_broker + of_controller + of_coordinator > 1) {
        PyErr_SetString(PyExc_ValueError,
                        "give only one of broker, controller and coordinator: each selects the "
                        "broker to ask");
        return -1;
    }
    to->broker = -1;
    to->target = of_controller ? CONTROLLER : ANY;
    if (of_broker) {
        return arg_int32(broker, "broker", 0, INT32_MAX, &to->broker);
    }
    return of_coordinator ? read_coordinator(coordinator, to) : 0;
}

/* The body cannot be a str, whose encoding would be a guess. */
static int
read_body(PyObject *object, bytes_view *body)
{
    if (object != NULL && !PyObject_CheckBuffer(object)) {
        PyErr_Format(PyExc_TypeError, "body must be bytes-like, not %.200s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    return bytes_view_get(object, "body", body);
}

static int
read_timeout(PyObject *object, int *timeout_ms)
{
    if (timeout_ms_from_arg(object, "timeout", timeout_ms) < 0) {
        return -1;
    }
    if (*timeout_ms > LONGEST_MS) {
        PyErr_Format(PyExc_ValueError, "timeout must be at most 3600 seconds, not %R", object);
        return -1;
    }
    if (*timeout_ms < 0) {
        *timeout_ms = LONGEST_MS;
    }
    return 0;
}

static int
read_int16(PyObject *object, const char *name, int16_t *result)
{
    int32_t number;
    if (arg_int32(object, name, 0, INT16_MAX, &number) < 0) {
        return -1;
    }
    *result = (int16_t)number;
    return 0;
}

/* ---- one request ---- */

/* A request with this body; `body` may be NULL. NULL with an exception. */
static request *
new_raw_request(const raw_target *to, const void *body, size_t size)
{
    const bool has_tags = raw_request_has_tags(to->api_key, to->version);
    request *made = request_new(attempt_raw, to->timeout_ms, to->coordinator);
    raw_input *input = made == NULL ? NULL : malloc(sizeof(*input) + 1 + size);
    if (input == NULL) {
        if (made != NULL) {
            request_end(made);
            PyErr_NoMemory();
        }
        return NULL;
    }
    *input = (raw_input){to->api_key, to->version, to->target, to->broker, size + has_tags};
    input->body[0] = 0; /* no tags */
    if (size > 0) {
        memcpy(input->body + has_tags, body, size);
    }
    made->input = input;
    made->asks_once = true; /* it may already have been carried out */
    return made;
}

/* Makes a request and waits for it; the caller ends it. NULL with an exception. */
static request *
ask(Client *self, const raw_target *to, const void *body, size_t size)
{
    request *made = new_raw_request(to, body, size);
    return made == NULL || request_run(self, made, "request()") < 0 ? NULL : made;
}

/* The body of the answer, borrowed; NULL with an exception. */
static const unsigned char *
body_of_answer(Client *self, const raw_target *to, const request *made, size_t *size)
{
    const unsigned char *data = answer_of(made, size);
    size_t tags = 0;
    if (data != NULL && raw_answer_has_tags(to->api_key, to->version)) {
        tags = raw_tags_size(data, *size);
        if (tags == 0) {
            data = NULL;
        }
    }
    if (data == NULL) {
        raise_kafka_error(self->state, RD_KAFKA_RESP_ERR__BAD_MSG,
                          "request(): the header of the answer cannot be read");
        return NULL;
    }
    *size -= tags;
    return data + tags;
}

PyDoc_STRVAR(request_doc,
"request($self, /, api_key, version, body=b'', *, broker=None, controller=False,\n"
"        coordinator=None, timeout=-1)\n--\n\n"
"Send a request of Kafka's protocol, over this client's connections, and return its answer.\n\n"
"The request goes to any broker, or to the broker that ``broker``, ``controller`` or\n"
"``coordinator`` selects. It is sent once: after a timeout or a lost connection, the broker may\n"
"or may not have carried it out. Until the broker answers, the connection carries no other\n"
"answers.\n\n"
"Args:\n"
"    api_key (int): the kind of request, 0 to 32,767: 3 is Metadata.\n"
"    version (int): its version, 0 to 32,767, which defines the form of body and answer.\n"
"    body (bytes-like): the request in the form of that version, without its header; up to\n"
"        100 MiB.\n"
"    broker (int, optional): the id of the broker to ask.\n"
"    controller (bool): ask the controller.\n"
"    coordinator (tuple, optional): ask a coordinator, (\"group\", group id) or\n"
"        (\"transaction\", transactional id).\n"
"    timeout (float): seconds to wait for the broker and its answer, up to 3,600; -1 waits for\n"
"        an hour.\n\n"
"Returns:\n"
"    bytes: The answer in the form of this version, without its header. If the broker refuses the\n"
"    request, the answer contains the error.\n\n"
"Raises:\n"
"    KafkaException: _UNSUPPORTED_FEATURE when the broker does not have this version; nothing is\n"
"        sent then. _TIMED_OUT or _TRANSPORT when no answer came, _INTR after wakeup().\n"
"        _NOT_IMPLEMENTED with a librdkafka that is not the pinned one.\n"
"    ValueError: two of broker, controller and coordinator are given; the body is too long.\n\n"
"librdkafka: rd_kafka_RawRequest(), from our patch raw-request.");

SIGNATURE(request_signature, "request()", 2, 3, P_api_key, P_version, P_body, P_broker,
          P_controller, P_coordinator, P_timeout);

static PyObject *
request_bytes(Client *self, const raw_target *to, const bytes_view *body)
{
    request *made = ask(self, to, body->data, body->size);
    if (made == NULL) {
        return NULL;
    }
    size_t size;
    const unsigned char *data = body_of_answer(self, to, made, &size);
    PyObject *result =
        data == NULL ? NULL
                     : PyBytes_FromStringAndSize((const char *)data, (Py_ssize_t)size);
    request_end(made);
    return result;
}

static PyObject *
request_with_body(Client *self, const raw_target *to, const bytes_view *body)
{
    if (body->size > MAX_BODY) {
        PyErr_Format(PyExc_ValueError, "body must be at most 100 MiB (%d bytes), not %zu",
                     MAX_BODY, body->size);
        return NULL;
    }
    if (client_enter_or(self, HANDLE_CLOSED) < 0) {
        return NULL;
    }
    PyObject *result =
        raw_requests_check(self->state) < 0 ? NULL : request_bytes(self, to, body);
    client_leave(self);
    return result;
}

static PyObject *
raw_request(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[7];
    raw_target to = {0};
    bytes_view body;
    if (client_args_or(self, HANDLE_CLOSED, &request_signature, args, nargs, kwnames, values) < 0
        || read_int16(values[0], "api_key", &to.api_key) < 0
        || read_int16(values[1], "version", &to.version) < 0
        || read_target(values[3], values[4], values[5], &to) < 0
        || read_timeout(values[6], &to.timeout_ms) < 0
        || read_body(values[2], &body) < 0) {
        return NULL;
    }
    PyObject *result = request_with_body(self, &to, &body);
    bytes_view_release(&body);
    return result;
}

/* ---- api_versions ---- */

#define API_VERSIONS 18

static int16_t
read_big_endian(const unsigned char *data)
{
    return (int16_t)((uint16_t)data[0] << 8 | data[1]);
}

/* Adds the `count` entries at `data`: 0, or -1 with an exception. */
static int
add_versions(PyObject *result, const unsigned char *data, size_t count)
{
    const size_t of_entry = 6;
    for (size_t i = 0; i < count; i++, data += of_entry) {
        PyObject *key = PyLong_FromLong(read_big_endian(data));
        PyObject *range = Py_BuildValue("(ii)", (int)read_big_endian(data + 2),
                                        (int)read_big_endian(data + 4));
        int failed = key == NULL || range == NULL || PyDict_SetItem(result, key, range) < 0;
        Py_XDECREF(key);
        Py_XDECREF(range);
        if (failed) {
            return -1;
        }
    }
    return 0;
}

/* From the answer's version 0: an error code, and an array of (key, lowest, highest). */
static PyObject *
versions_from(Client *self, const unsigned char *data, size_t size)
{
    const size_t before = 6, of_entry = 6;
    int16_t code = size >= before ? read_big_endian(data) : 0;
    if (code != 0) {
        raise_kafka_error(self->state, code, NULL);
        return NULL;
    }
    size_t count = size >= before ? (size_t)data[4] << 8 | data[5] : 0;
    if (size < before || data[2] != 0 || data[3] != 0 || size != before + count * of_entry) {
        raise_kafka_error(self->state, RD_KAFKA_RESP_ERR__BAD_MSG,
                          "api_versions(): the answer cannot be read");
        return NULL;
    }
    PyObject *result = PyDict_New();
    if (result != NULL && add_versions(result, data + before, count) < 0) {
        Py_CLEAR(result);
    }
    return result;
}

PyDoc_STRVAR(api_versions_doc,
"api_versions($self, /, broker=None, timeout=-1)\n--\n\n"
"Ask a broker which requests it supports, and in which versions.\n\n"
"Args:\n"
"    broker (int, optional): the id of the broker to ask; any when None.\n"
"    timeout (float): seconds to wait for the answer, up to 3,600; -1 waits for an hour.\n\n"
"Returns:\n"
"    dict: By API key the pair (lowest version, highest version).\n\n"
"Raises:\n"
"    KafkaException: as for request().\n\n"
"librdkafka: rd_kafka_RawRequest(), from our patch raw-request. KIP-35.");

SIGNATURE(api_versions_signature, "api_versions()", 0, 2, P_broker, P_timeout);

static PyObject *
request_versions(Client *self, const raw_target *to)
{
    request *made = ask(self, to, NULL, 0);
    if (made == NULL) {
        return NULL;
    }
    size_t size;
    const unsigned char *data = body_of_answer(self, to, made, &size);
    PyObject *result = data == NULL ? NULL : versions_from(self, data, size);
    request_end(made);
    return result;
}

static PyObject *
api_versions(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[2];
    raw_target to = {.api_key = API_VERSIONS};
    if (client_args_or(self, HANDLE_CLOSED, &api_versions_signature, args, nargs, kwnames,
                       values) < 0
        || read_target(values[0], NULL, NULL, &to) < 0
        || read_timeout(values[1], &to.timeout_ms) < 0
        || client_enter_or(self, HANDLE_CLOSED) < 0) {
        return NULL;
    }
    PyObject *result =
        raw_requests_check(self->state) < 0 ? NULL : request_versions(self, &to);
    client_leave(self);
    return result;
}

PyMethodDef raw_request_methods[] = {
    {"request", WITH_KEYWORDS(raw_request), request_doc},
    {"api_versions", WITH_KEYWORDS(api_versions), api_versions_doc},
    {NULL, NULL, 0, NULL},
};

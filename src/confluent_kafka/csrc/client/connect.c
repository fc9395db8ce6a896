/*
 * connect(): waits until a broker has answered, or raises the reason why none does.
 */
#include "client/connect.h"

#include "client/diagnosis.h"
#include "client/exceptions.h"
#include "client/failure.h"
#include "client/guard.h"
#include "client/request.h"
#include "client/serve.h"
#include "client/settings.h"

/* ---- the request ---- */

/* The answer's `code` becomes the topic's error code, if a topic is requested. */
WITHOUT_GIL static rd_kafka_error_t *
attempt_connect(request *self, int timeout_ms)
{
    rd_kafka_topic_t *topic = NULL;
    if (self->name != NULL) {
        topic = rd_kafka_topic_new(self->rk, self->name, NULL);
        if (topic == NULL) {
            self->code = rd_kafka_last_error();
            return NULL;
        }
    }
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_resp_err_t code = rd_kafka_metadata(self->rk, 0, topic, &metadata, timeout_ms);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (topic != NULL && metadata->topic_cnt > 0) {
            self->code = metadata->topics[0].err;
        }
        rd_kafka_metadata_destroy(metadata);
    }
    if (topic != NULL) {
        rd_kafka_topic_destroy(topic);
    }
    return request_error(code, "connect()");
}

/* ---- while the request runs ---- */

/* Raises the cause of the outage; if it is unknown, an error with `code`. */
static void
raise_outage(Client *self, rd_kafka_resp_err_t code)
{
    PyObject *cause = diagnosis_outage(&self->diagnosis);
    if (cause != NULL) {
        raise_kafka_error_object(self->state, cause);
    }
    else {
        client_raise_error(self, code, "No broker answered");
    }
}

/* Serves callbacks while another thread or this one waits in connect(). */
static int
watch(Client *self)
{
    if (!diagnosis_all_down(&self->diagnosis)) {
        return 1;
    }
    /* If a broker just closes a connection, librdkafka reports no specific error. */
    raise_outage(self, RD_KAFKA_RESP_ERR__TRANSPORT);
    return -1;
}

static int
serve_and_watch(Client *self)
{
    int served = self->kind->serve(self, WAIT_SLICE_MS);
    if (serve_raise_parked(self) < 0 || watch(self) < 0) {
        return -1;
    }
    return served;
}

/* Forgets earlier errors, which may be out of date: 0, or -1 with a callback's exception. */
static int
serve_what_waits(Client *self)
{
    for (size_t left = rd_kafka_queue_length(self->core->queue); left > 0; left--) {
        (void)self->kind->serve(self, 0);
        if (serve_raise_parked(self) < 0) {
            return -1;
        }
    }
    return 0;
}

/*
 * Makes the request and meanwhile serves the client if no other thread does. The request is
 * released on failure: 0, or -1 with an exception.
 */
static int
run(Client *self, request *made)
{
    serve_frame frame;
    deadline now = deadline_after(0);
    int locked = self->kind->serve == NULL ? 0 : serve_begin(self, &frame, &now);
    bool nested = locked == 1 && serve_is_nested(self);
    if (locked < 0 || (locked == 1 && !nested && serve_what_waits(self) < 0)) {
        if (locked == 1) {
            serve_end(self, &frame);
        }
        request_end(made);
        return -1;
    }
    diagnosis_begin_watching(&self->diagnosis);
    int result = request_wait(self, made, "connect()",
                              locked == 1 && !nested ? serve_and_watch : watch);
    diagnosis_end_watching(&self->diagnosis);
    if (locked == 1) {
        serve_end(self, &frame);
    }
    return result;
}

PyDoc_STRVAR(connect_doc,
"connect($self, /, timeout=30, topic=None)\n--\n\n"
"Wait until a broker has answered, or raise an error with the cause.\n\n"
"Clients connect in the background without this call, and retry without limit. Call it to find\n"
"out at a program's start whether the connection works. It raises as soon as every broker has\n"
"refused the connection or cannot be reached, without waiting for the timeout, and serves\n"
"callbacks meanwhile.\n\n"
"Args:\n"
"    timeout (float): seconds to wait; -1 waits without limit.\n"
"    topic (str, optional): also check that this topic exists and that the client may describe\n"
"        it. For a producer, the broker may create the topic (allow.auto.create.topics), and\n"
"        reports it as unknown until it has created it.\n\n"
"Raises:\n"
"    KafkaException: its code gives the cause. _INVALID_ARG: bootstrap.servers is not set;\n"
"        _RESOLVE: no such host; _TRANSPORT: connection\n"
"        refused or closed; _SSL: the TLS handshake failed; _AUTHENTICATION,\n"
"        SASL_AUTHENTICATION_FAILED or UNSUPPORTED_SASL_MECHANISM: wrong credentials, or a\n"
"        mechanism that the broker does not support; TOPIC_AUTHORIZATION_FAILED: the client may\n"
"        not describe the topic; UNKNOWN_TOPIC_OR_PART: the topic does not exist; _TIMED_OUT,\n"
"        _TRANSPORT: no answer in time; _INTR: after wakeup().\n"
"    Exception: raised by a callback.\n\n"
"librdkafka: rd_kafka_metadata(), error_cb.");

static PyObject *
request_connect(Client *self, const char *topic, int timeout_ms)
{
    int no_brokers = settings_have_no_brokers(self->rk);
    if (no_brokers < 0) {
        return NULL;
    }
    if (no_brokers) {
        raise_kafka_error(self->state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                          "connect(): configuration property \"bootstrap.servers\" is not set, "
                          "so there is no broker to connect to");
        return NULL;
    }
    request *made = request_new(attempt_connect, timeout_ms, topic);
    if (made == NULL || run(self, made) < 0) {
        return NULL;
    }
    PyObject *result = NULL;
    if (made->error != NULL) {
        raise_outage(self, rd_kafka_error_code(made->error));
    }
    else if (made->code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(self->state, made->code, "Topic '%s': %s", topic,
                          rd_kafka_err2str(made->code));
    }
    else {
        diagnosis_end_outage(&self->diagnosis);
        result = Py_NewRef(Py_None);
    }
    request_end(made);
    return result;
}

SIGNATURE(connect_signature, "connect()", 0, 2, P_timeout, P_topic);

#define DEFAULT_TIMEOUT_MS 30000

static PyObject *
connect_(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[2];
    const char *topic = NULL;
    int timeout_ms = DEFAULT_TIMEOUT_MS;
    if (client_args(self, &connect_signature, args, nargs, kwnames, values) < 0
        || (values[0] != NULL && timeout_ms_from_arg(values[0], "timeout", &timeout_ms) < 0)) {
        return NULL;
    }
    if (values[1] != NULL && values[1] != Py_None) {
        topic = arg_utf8(values[1], "topic", NULL);
        if (topic == NULL) {
            return NULL;
        }
    }
    if (client_enter(self) < 0) {
        return NULL;
    }
    PyObject *result = request_connect(self, topic, timeout_ms);
    client_leave(self);
    return result;
}

PyMethodDef connect_methods[] = {
    {"connect", WITH_KEYWORDS(connect_), connect_doc},
    {NULL, NULL, 0, NULL},
};

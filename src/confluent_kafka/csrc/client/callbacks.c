#include "client/callbacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "client/core.h"
#include "client/diagnosis.h"
#include "client/exceptions.h"
#include "client/guard.h"
#include "client/log_ring.h"
#include "client/serve.h"

/* ---- from a C callback to Python and back ---- */

bool
callback_begin(callback_scope *scope, void *opaque)
{
    client_core *core = opaque;
    Client *client = core->client;
    if (client == NULL || !serve_has_frame(client)) {
        return false; /* no call is serving callbacks: no thread state to run Python with */
    }
    scope->client = client;
    scope->took_gil = serve_has_released_gil(client);
    if (scope->took_gil) {
        serve_take_gil(client);
    }
    serve_add_count(client, 1);
    return true;
}

void
callback_end(callback_scope *scope)
{
    Client *client = scope->client;
    if (PyErr_Occurred()) {
        client_park_exception(client);
    }
    /* Makes the serving call return, so that it can raise the exception; otherwise it would wait
     * for the rest of its timeout. */
    rd_kafka_queue_yield(client->core->queue);
    if (parked_any(&client->parked)) {
        rd_kafka_yield(client->rk); /* otherwise it might serve the queue without an end */
    }
    if (scope->took_gil) {
        serve_release_gil(client);
    }
}

void
callback_call(PyObject *callable, PyObject *argument)
{
    if (argument == NULL) {
        return;
    }
    Py_INCREF(callable); /* the callable may replace itself */
    PyObject *result = PyObject_CallOneArg(callable, argument);
    Py_DECREF(callable);
    Py_DECREF(argument);
    Py_XDECREF(result);
}

/* ---- errors, throttling, statistics ---- */

/* librdkafka's own text for a fatal error contains less than the text of the underlying error. */
static PyObject *
error_argument(Client *client, rd_kafka_resp_err_t code, const char *reason)
{
    char fatal_reason[512];
    rd_kafka_resp_err_t fatal_code =
        rd_kafka_fatal_error(client->rk, fatal_reason, sizeof(fatal_reason));
    /* An event has the code of the underlying error; a callback gets the code _FATAL. */
    if (code != RD_KAFKA_RESP_ERR__FATAL
        && (fatal_code == RD_KAFKA_RESP_ERR_NO_ERROR || code != fatal_code)) {
        return kafka_error_new(client->state, code, reason);
    }
    return PyObject_CallFunction((PyObject *)client->state->KafkaError, "iNO", (int)fatal_code,
                                 text_from(fatal_reason), Py_True);
}

/* The error as a KafkaError, recorded for last_error and connect(); NULL with an exception. */
static PyObject *
note_error(Client *client, rd_kafka_resp_err_t code, const char *reason)
{
    PyObject *error = error_argument(client, code, reason);
    if (error != NULL) {
        diagnosis_note_error(&client->diagnosis, error);
    }
    return error;
}

static void
on_error(rd_kafka_t *Py_UNUSED(rk), int code, const char *reason, void *opaque)
{
    callback_scope scope;
    if (!callback_begin(&scope, opaque)) {
        return;
    }
    Client *client = scope.client;
    callback_call(client->callbacks.error_cb,
                  note_error(client, (rd_kafka_resp_err_t)code, reason));
    callback_end(&scope);
}

/* Does what librdkafka itself does with an error if there is no error_cb. */
static void
log_error(client_core *core, const char *reason)
{
    const int level = 3; /* LOG_ERR */
    char log_level[16];
    size_t size = sizeof(log_level);
    if (rd_kafka_conf_get(rd_kafka_conf(core->rk), "log_level", log_level, &size)
            == RD_KAFKA_CONF_OK
        && atoi(log_level) >= level) {
        log_ring_push(core->logs, level, "ERROR", reason);
    }
}

/* Logs an error of the client: with the cause, if all brokers are down. */
static void
log_client_error(Client *client, rd_kafka_resp_err_t code, const char *reason)
{
    Py_ssize_t repeats;
    if (!diagnosis_is_news(&client->diagnosis, code, &repeats)) {
        return;
    }
    PyObject *outage = code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN
                           ? diagnosis_outage(&client->diagnosis)
                           : NULL;
    PyObject *cause = outage == NULL ? NULL : kafka_error_reason(outage);
    const char *cause_text = cause == NULL ? NULL : PyUnicode_AsUTF8(cause);
    char times[64] = "";
    if (repeats > 0) {
        snprintf(times, sizeof(times), " (and %zd times since this was logged last)", repeats);
    }
    char text[1024];
    snprintf(text, sizeof(text), "%s%s%s%s", reason, cause_text == NULL ? "" : ": ",
             cause_text == NULL ? "" : cause_text, times);
    PyErr_Clear(); /* the cause could not be made into text: log the error without it */
    Py_XDECREF(cause);
    Py_XDECREF(outage);
    log_error(client->core, text);
}

/* Whether oauth_cb fails now, or was failing when librdkafka reported `reason`. */
static bool
wants_token(Client *client, const char *reason)
{
    static const char failure[] = "Failed to acquire SASL OAUTHBEARER token";
    return atomic_load(&client->core->token_failing)
           || strncmp(reason, failure, sizeof(failure) - 1) == 0;
}

/*
 * A consumer's poll() raises the error that keeps it from reading. Other clients need no error
 * here: a producer's messages report that they were not delivered, connect() raises by itself,
 * and close() does what is possible without brokers.
 */
static void
note_refusal(Client *client, PyObject *error)
{
    if (rd_kafka_type(client->rk) != RD_KAFKA_CONSUMER || !client_is_open(client)
        || diagnosis_is_watched(&client->diagnosis)) {
        return;
    }
    PyObject *due = diagnosis_note_refusal(&client->diagnosis, error);
    if (due != NULL) {
        raise_kafka_error_object(client->state, due);
        client_park_exception(client);
    }
}

void
callbacks_note_token_failure(Client *client, client_core *core, const char *reason)
{
    if (client->callbacks.error_cb != NULL) {
        log_error(core, reason); /* without a consumer error, the error is logged when served */
    }
    PyObject *error = kafka_error_new(client->state, RD_KAFKA_RESP_ERR__AUTHENTICATION, reason);
    if (error == NULL) {
        PyErr_Clear();
        return;
    }
    diagnosis_note_error(&client->diagnosis, error);
    Py_DECREF(error);
}

/* The error_cb of a client that has none from the application. */
static void
default_error_cb(rd_kafka_t *Py_UNUSED(rk), int code, const char *reason, void *opaque)
{
    callback_scope scope;
    if (!callback_begin(&scope, opaque)) {
        return;
    }
    Client *client = scope.client;
    serve_add_count(client, -1); /* this is not a callback of the application */
    PyObject *error = note_error(client, (rd_kafka_resp_err_t)code, reason);
    if (error != NULL) {
        log_client_error(client, (rd_kafka_resp_err_t)code, reason);
        if (!wants_token(client, reason)) { /* a failing identity provider may recover */
            note_refusal(client, error);
        }
        Py_DECREF(error);
    }
    callback_end(&scope);
}

static void
on_throttle(rd_kafka_t *Py_UNUSED(rk), const char *broker_name, int32_t broker_id,
            int throttle_time_ms, void *opaque)
{
    callback_scope scope;
    if (!callback_begin(&scope, opaque)) {
        return;
    }
    PyObject *event_type = import_attribute("confluent_kafka._values.throttle", "ThrottleEvent");
    PyObject *event = NULL;
    if (event_type != NULL) {
        event = PyObject_CallFunction(event_type, "Nid", text_from(broker_name),
                                      (int)broker_id, throttle_time_ms / 1000.0);
        Py_DECREF(event_type);
    }
    callback_call(scope.client->callbacks.throttle_cb, event);
    callback_end(&scope);
}

static int
on_statistics(rd_kafka_t *Py_UNUSED(rk), char *json, size_t size, void *opaque)
{
    callback_scope scope;
    if (!callback_begin(&scope, opaque)) {
        return 0;
    }
    Client *client = scope.client;
    PyObject *text = PyUnicode_DecodeUTF8(json, (Py_ssize_t)size, "replace");
    if (text != NULL) {
        diagnosis_note_statistics(&client->diagnosis, text);
    }
    if (client->callbacks.stats_cb != NULL) {
        callback_call(client->callbacks.stats_cb, text);
    }
    else {
        serve_add_count(client, -1); /* this is not a callback of the application */
        Py_XDECREF(text);
    }
    callback_end(&scope);
    return 0; /* librdkafka frees the JSON */
}

/* ---- statistics that no call has served yet ---- */

/* The JSON of the queued statistics, to be freed with rd_kafka_mem_free(), or NULL. */
static char *
queued_statistics(Client *self)
{
#ifdef RD_KAFKA_HAS_QUEUED_STATS
    return rd_kafka_queued_stats(self->rk);
#else
    (void)self;
    return NULL;
#endif
}

bool
callbacks_has_queued_statistics(Client *self)
{
    char *json = queued_statistics(self);
    if (json != NULL) {
        rd_kafka_mem_free(self->rk, json);
    }
    return json != NULL;
}

PyObject *
callbacks_latest_statistics(Client *self)
{
    char *json = queued_statistics(self);
    if (json == NULL) {
        return diagnosis_statistics(&self->diagnosis);
    }
    PyObject *text = PyUnicode_DecodeUTF8(json, (Py_ssize_t)strlen(json), "replace");
    rd_kafka_mem_free(self->rk, json);
    if (text != NULL) {
        diagnosis_note_statistics(&self->diagnosis, text);
    }
    return text;
}

/* ---- the same callbacks as events ---- */

bool
callbacks_serve_event(Client *self, rd_kafka_event_t *event)
{
    rd_kafka_event_type_t type = rd_kafka_event_type(event);
    if (type == RD_KAFKA_EVENT_ERROR) {
        void (*report)(rd_kafka_t *, int, const char *, void *) =
            self->callbacks.error_cb != NULL ? on_error : default_error_cb;
        report(self->rk, rd_kafka_event_error(event), rd_kafka_event_error_string(event),
               self->core);
        return true;
    }
    if (type == RD_KAFKA_EVENT_STATS) {
        const char *json = rd_kafka_event_stats(event);
        on_statistics(self->rk, (char *)json, strlen(json), self->core);
        return true;
    }
    return false;
}

void
callbacks_register(Client *self, rd_kafka_conf_t *conf)
{
    rd_kafka_conf_set_opaque(conf, self->core);
    rd_kafka_conf_set_error_cb(
        conf, self->callbacks.error_cb != NULL ? on_error : default_error_cb);
    rd_kafka_conf_set_stats_cb(conf, on_statistics);
    if (self->callbacks.throttle_cb != NULL) {
        rd_kafka_conf_set_throttle_cb(conf, on_throttle);
    }
}

bool
callbacks_are_there(const Client *self)
{
    return self->callbacks.error_cb != NULL || self->callbacks.stats_cb != NULL
           || self->callbacks.throttle_cb != NULL;
}

int
callbacks_traverse(Client *self, visitproc visit, void *arg)
{
    Py_VISIT(self->callbacks.error_cb);
    Py_VISIT(self->callbacks.throttle_cb);
    Py_VISIT(self->callbacks.stats_cb);
    return 0;
}

void
callbacks_clear(Client *self)
{
    Py_CLEAR(self->callbacks.error_cb);
    Py_CLEAR(self->callbacks.throttle_cb);
    Py_CLEAR(self->callbacks.stats_cb);
}

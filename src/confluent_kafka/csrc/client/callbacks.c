#include "client/callbacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- from C callback to Python and back ---- */

bool
callback_begin(callback_scope *scope, void *opaque)
{
    client_core *core = opaque;
    Client *client = core->client;
    if (client == NULL || client->frame == NULL) {
        return false; /* not inside a call that serves callbacks: nothing to run it on */
    }
    scope->client = client;
    scope->took_gil = client->frame->released != NULL;
    if (scope->took_gil) {
        serve_take_gil(client);
    }
    client->served++;
    return true;
}

void
callback_end(callback_scope *scope)
{
    Client *client = scope->client;
    if (PyErr_Occurred()) {
        client_park_exception(client);
    }
    /* The call that serves returns to look at what happened: without this it would go on
     * waiting for the rest of its timeout. Not rd_kafka_yield(): it makes
     * rd_kafka_consume_batch_queue() lose the next message of the queue. */
    rd_kafka_queue_yield(client->core->queue);
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
    Py_INCREF(callable); /* it may replace itself */
    PyObject *result = PyObject_CallOneArg(callable, argument);
    Py_DECREF(callable);
    Py_DECREF(argument);
    Py_XDECREF(result);
}

/* ---- errors, throttling, statistics ---- */

/* librdkafka's own text for a fatal error says less than the error behind it. */
static PyObject *
error_argument(Client *client, rd_kafka_resp_err_t code, const char *reason)
{
    char fatal_reason[512];
    rd_kafka_resp_err_t fatal_code =
        rd_kafka_fatal_error(client->rk, fatal_reason, sizeof(fatal_reason));
    /* As an event it comes with the code of the error behind it, as a callback without. */
    if (code != RD_KAFKA_RESP_ERR__FATAL
        && (fatal_code == RD_KAFKA_RESP_ERR_NO_ERROR || code != fatal_code)) {
        return kafka_error_new(client->state, code, reason);
    }
    return PyObject_CallFunction((PyObject *)client->state->KafkaError, "iNO", (int)fatal_code,
                                 text_from(fatal_reason), Py_True);
}

/* The error as a KafkaError, noted for last_error and connect(); NULL with an exception. */
static PyObject *
note_error(Client *client, rd_kafka_resp_err_t code, const char *reason)
{
    PyObject *error = error_argument(client, code, reason);
    if (error != NULL) {
        latest_set(&client->latest, &client->latest.error, error);
        outage_note(&client->outage, error);
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
    callback_call(client->error_cb, note_error(client, (rd_kafka_resp_err_t)code, reason));
    callback_end(&scope);
}

/* What librdkafka itself does with an error where there is no error_cb. */
static void
log_error(Client *client, const char *reason)
{
    const int level = 3; /* LOG_ERR */
    char log_level[16];
    size_t size = sizeof(log_level);
    if (rd_kafka_conf_get(rd_kafka_conf(client->rk), "log_level", log_level, &size)
            == RD_KAFKA_CONF_OK
        && atoi(log_level) >= level) {
        log_ring_push(client->core->logs, level, "ERROR", reason);
    }
}

/* The error_cb of a client that was given none. */
static void
on_unheard_error(rd_kafka_t *rk, int code, const char *reason, void *opaque)
{
    callback_scope scope;
    if (!callback_begin(&scope, opaque)) {
        return;
    }
    Client *client = scope.client;
    client->served--; /* no callback of the application's */
    log_error(client, reason);
    Py_XDECREF(note_error(client, (rd_kafka_resp_err_t)code, reason));
    /* A producer's messages say by themselves that they were not delivered, and connect()
     * raises by itself. */
    if (!PyErr_Occurred() && rd_kafka_type(rk) == RD_KAFKA_CONSUMER
        && client->outage.watching == 0) {
        refusal_note(client, (rd_kafka_resp_err_t)code, reason);
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
    PyObject *event_type = import_attribute("confluent_kafka", "ThrottleEvent");
    PyObject *event = NULL;
    if (event_type != NULL) {
        event = PyObject_CallFunction(event_type, "Nid", text_from(broker_name),
                                      (int)broker_id, throttle_time_ms / 1000.0);
        Py_DECREF(event_type);
    }
    callback_call(scope.client->throttle_cb, event);
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
        latest_set(&client->latest, &client->latest.statistics, text);
    }
    if (client->stats_cb != NULL) {
        callback_call(client->stats_cb, text);
    }
    else {
        client->served--; /* no callback of the application's */
        Py_XDECREF(text);
    }
    callback_end(&scope);
    return 0; /* librdkafka frees the JSON */
}

/* ---- the same as events ---- */

bool
callbacks_serve_event(Client *self, rd_kafka_event_t *event)
{
    rd_kafka_event_type_t type = rd_kafka_event_type(event);
    if (type == RD_KAFKA_EVENT_ERROR) {
        void (*report)(rd_kafka_t *, int, const char *, void *) =
            self->error_cb != NULL ? on_error : on_unheard_error;
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

/* ---- logs ---- */

/* On any of librdkafka's threads: no Python here. */
static void
on_log(const rd_kafka_t *rk, int level, const char *facility, const char *message)
{
    client_core *core = rk == NULL ? NULL : rd_kafka_opaque(rk);
    if (core != NULL) {
        log_ring_push(core->logs, level, facility, message);
    }
}

/* syslog's level as one of the logging module. */
static int
logging_level(int level)
{
    static const int levels[] = {50, 50, 50, 40, 30, 20, 20, 10};
    return levels[level < 0 ? 0 : level > 7 ? 7 : level];
}

/* The client's logger, or the one named "confluent_kafka"; new reference. */
static PyObject *
get_logger(Client *self)
{
    if (self->logger != NULL) {
        return Py_NewRef(self->logger);
    }
    PyObject *get = import_attribute("logging", "getLogger");
    if (get == NULL) {
        return NULL;
    }
    PyObject *logger = PyObject_CallFunction(get, "s", "confluent_kafka");
    Py_DECREF(get);
    Py_XSETREF(self->logger, Py_XNewRef(logger)); /* another thread may have been quicker */
    return logger;
}

static int
log_one(PyObject *logger, const char *client_name, const log_record *record)
{
    /* librdkafka may cut a client's name in the middle of a character. */
    PyObject *result = PyObject_CallMethod(
        logger, "log", "isNNN", logging_level(record->level), "%s [%s] %s",
        text_from(record->facility), text_from(client_name), text_from(record->message));
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static int
log_dropped(Client *self, PyObject *logger)
{
    size_t dropped = log_ring_take_dropped(self->core->logs);
    if (dropped == 0) {
        return 0;
    }
    PyObject *result = PyObject_CallMethod(
        logger, "log", "isn", 30,
        "%d older log records were dropped: call poll() more often", (Py_ssize_t)dropped);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

int
serve_logs_or_raise(Client *self)
{
    if (log_ring_is_empty(self->core->logs)) {
        return 0;
    }
    PyObject *logger = get_logger(self);
    if (logger == NULL) {
        return -1;
    }
    int result = log_dropped(self, logger);
    /* At most one ring full: a logger that makes librdkafka log must not go round for ever. */
    log_record record;
    for (int i = 0; result == 0 && i < LOG_RING_CAPACITY; i++) {
        if (!log_ring_pop(self->core->logs, &record)) {
            break;
        }
        result = log_one(logger, rd_kafka_name(self->rk), &record);
        log_record_clear(&record);
    }
    Py_DECREF(logger);
    return result;
}

void
serve_logs(Client *self)
{
    if (serve_logs_or_raise(self) < 0) {
        client_park_exception(self);
    }
}

void
callbacks_register(Client *self, rd_kafka_conf_t *conf)
{
    rd_kafka_conf_set_opaque(conf, self->core);
    rd_kafka_conf_set_log_cb(conf, on_log);
    rd_kafka_conf_set_error_cb(conf, self->error_cb != NULL ? on_error : on_unheard_error);
    rd_kafka_conf_set_stats_cb(conf, on_statistics);
    if (self->throttle_cb != NULL) {
        rd_kafka_conf_set_throttle_cb(conf, on_throttle);
    }
}

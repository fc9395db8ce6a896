/*
 * The type Producer: creating, serving and closing it.
 */
#include "producer/producer.h"

#include <stddef.h>
#include <stdlib.h>

#include "client/callbacks.h"
#include "client/close.h"
#include "client/config.h"
#include "client/exceptions.h"
#include "client/guard.h"
#include "client/life.h"
#include "client/logs.h"
#include "client/request.h"
#include "client/serve.h"

static const python_key producer_keys[] = {
    {"on_delivery", offsetof(Producer, on_delivery), CONFIG_OWN_CALLABLE},
    {"delivery.report.only.error", offsetof(Producer, report_only_errors), CONFIG_BOOL},
    {NULL, 0, CONFIG_CALLABLE},
};

/* ---- creation and deletion ---- */

/* Releases everything that refers to the handle, before the handle ends. */
static void
producer_release(Client *client)
{
    Producer *self = (Producer *)client;
    producer_discard_deliveries(self);
    producer_release_topics(self);
    producer_forget_step(self);
}

static int
serve_once(Client *client, int timeout_ms)
{
    (void)producer_serve_once((Producer *)client, timeout_ms);
    return 0;
}

static void
note_errors(Client *client)
{
    producer_note_errors((Producer *)client);
}

static const client_kind producer_kind = {
    .type = RD_KAFKA_PRODUCER,
    .create = client_create_producer,
    .release = producer_release,
    .serve = serve_once,
    .note_errors = note_errors,
};

static PyObject *
producer_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    static const client_words words = {
        .name = "Producer",
        .noun = "producer",
        .closed = "Producer has been closed",
        .credentials_closed = HANDLE_CLOSED,
    };
    return client_new(type, &words);
}

static int
open_producer(PyObject *object, PyObject *args, PyObject *kwargs)
{
    Producer *self = (Producer *)object;
    rd_kafka_conf_t *conf = config_read(&self->client, args, kwargs, producer_keys);
    if (conf == NULL) {
        return -1;
    }
    Py_XSETREF(self->topics, PyDict_New()); /* an earlier __init__ may have failed */
    Py_XSETREF(self->unsettled, PyList_New(0));
    if (self->topics == NULL || self->unsettled == NULL) {
        rd_kafka_conf_destroy(conf);
        return -1;
    }
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR);
    return client_open(&self->client, &producer_kind, conf);
}

static int
producer_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    Client *client = (Client *)object;
    if (client_init_begin(client) < 0) {
        return -1;
    }
    return client_init_end(client, open_producer(object, args, kwargs));
}

static int
producer_traverse(PyObject *object, visitproc visit, void *arg)
{
    Producer *self = (Producer *)object;
    Py_VISIT(self->on_delivery);
    Py_VISIT(self->topics);
    Py_VISIT(self->unsettled);
    Py_VISIT(self->future_type);
    Py_VISIT(self->record_type);
    Py_VISIT(self->partition_type);
    Py_VISIT(self->failure);
    return client_traverse(&self->client, visit, arg);
}

static int
producer_clear(PyObject *object)
{
    Producer *self = (Producer *)object;
    Py_CLEAR(self->on_delivery);
    return client_clear(&self->client);
}

static void
producer_dealloc(PyObject *object)
{
    if (!client_dealloc_begin(object)) {
        return;
    }
    Producer *self = (Producer *)object;
    Py_CLEAR(self->on_delivery);
    /* In a forked child the topic handles are the parent's: only the table is released. */
    Py_CLEAR(self->last_topic);
    Py_CLEAR(self->topics);
    Py_CLEAR(self->unsettled);
    Py_CLEAR(self->future_type);
    Py_CLEAR(self->record_type);
    Py_CLEAR(self->partition_type);
    Py_CLEAR(self->failure);
    client_dealloc_end(object);
}

/* ---- poll, flush, purge ---- */

PyDoc_STRVAR(poll_doc,
"poll($self, /, timeout=-1)\n--\n\n"
"Serve delivery reports and other callbacks.\n\n"
"Args:\n"
"    timeout (float): seconds to wait for something to serve; -1 waits without limit, 0 does\n"
"        not wait.\n\n"
"Returns:\n"
"    int: The number of delivery reports and callbacks that were served.\n\n"
"Raises:\n"
"    Exception: a callback raised it. Further callbacks that are ready within 10 ms run too. If\n"
"        several raise, the last exception is raised, with the others as its context.\n\n"
"librdkafka: rd_kafka_queue_poll().");

SIGNATURE(poll_signature, "poll()", 0, 1, P_timeout);

static PyObject *
poll(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[1];
    deadline until;
    if (client_args(&self->client, &poll_signature, args, nargs, kwnames, values) < 0
        || deadline_from_arg(values[0], "timeout", &until) < 0
        || client_enter(&self->client) < 0) {
        return NULL;
    }
    serve_frame frame;
    Py_ssize_t served = serve_begin(&self->client, &frame, &until);
    if (served == 1) {
        served = producer_serve(self, &until);
        serve_end(&self->client, &frame);
    }
    client_leave(&self->client);
    return served < 0 ? NULL : PyLong_FromSsize_t(served);
}

/*
 * rd_kafka_flush() makes the broker threads send now, whatever linger.ms is. If reports are events,
 * it otherwise only waits, so it is called for short times, alternating with serving.
 */
static void
expedite(Producer *self)
{
    serve_release_gil(&self->client);
    rd_kafka_flush(self->client.rk, 1);
    serve_take_gil(&self->client);
}

/*
 * Between serve_begin() and serve_end(): the number of outstanding messages when time is up; 0 if
 * all were delivered, even if events keep arriving faster than they are served; -1 exception.
 */
static int
flush_until(Producer *self, deadline *until)
{
    while (producer_outstanding(self) > 0) {
        expedite(self);
        deadline slice = deadline_after(deadline_remaining_ms(until, 10) / 1000.0);
        if (producer_serve(self, &slice) < 0) {
            return -1;
        }
        int left = producer_messages(self);
        int go_on = left == 0 || deadline_passed(until) ? 0 : serve_check(&self->client);
        if (go_on <= 0) {
            return go_on < 0 ? -1 : left;
        }
    }
    return 0;
}

PyDoc_STRVAR(flush_doc,
"flush($self, /, timeout=-1)\n--\n\n"
"Send queued messages and serve callbacks, until each message is delivered or has failed.\n\n"
"Args:\n"
"    timeout (float): seconds; -1 waits without limit (at most until each message's\n"
"        delivery.timeout.ms).\n\n"
"Returns:\n"
"    int: The number of messages still outstanding; 0 if all were delivered or have failed.\n\n"
"Raises:\n"
"    Exception: a callback raised it; the other callbacks have run. If several raise, the last\n"
"        exception is raised, with the others as its context. KeyboardInterrupt and similar\n"
"        exceptions end flush() at once.\n\n"
"librdkafka: rd_kafka_flush().");

SIGNATURE(flush_signature, "flush()", 0, 1, P_timeout);

static PyObject *
flush(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[1];
    deadline until;
    if (client_args(&self->client, &flush_signature, args, nargs, kwnames, values) < 0
        || deadline_from_arg(values[0], "timeout", &until) < 0
        || client_enter(&self->client) < 0) {
        return NULL;
    }
    serve_frame frame;
    int result = serve_begin(&self->client, &frame, &until);
    if (result == 1) {
        bool held = client_hold_parked(&self->client);
        result = flush_until(self, &until);
        if (result >= 0) {
            serve_what_follows(&self->client);
        }
        result = client_raise_held(&self->client, held, result);
        serve_end(&self->client, &frame);
    }
    else if (result == 0) {
        result = producer_messages(self);
    }
    client_leave(&self->client);
    return result < 0 ? NULL : PyLong_FromLong(result);
}

PyDoc_STRVAR(expedite_doc,
"_expedite($self, timeout, /)\n--\n\n"
"Send queued messages, whatever linger.ms is, until all are delivered or time is up.\n\n"
"It serves nothing, because the event loop does. It returns early if everything was served.");

static PyObject *
expedite_meanwhile(PyObject *object, PyObject *timeout)
{
    Producer *self = (Producer *)object;
    int timeout_ms;
    if (timeout_ms_from_arg(timeout, "timeout", &timeout_ms) < 0
        || client_enter(&self->client) < 0) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    rd_kafka_flush(self->client.rk, timeout_ms);
    Py_END_ALLOW_THREADS
    client_leave(&self->client);
    Py_RETURN_NONE;
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_purge(request *self, int Py_UNUSED(timeout_ms))
{
    rd_kafka_resp_err_t code = rd_kafka_purge(self->rk, self->flags);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? NULL
               : rd_kafka_error_new(code, "%s", rd_kafka_err2str(code));
}

static int
purge_with(Producer *self, int flags)
{
    request *made = request_new(attempt_purge, 0, NULL);
    if (made == NULL) {
        return -1;
    }
    made->flags = flags;
    if (request_run(&self->client, made, "purge()") < 0) {
        return -1;
    }
    request_end(made);
    return 0;
}

PyDoc_STRVAR(purge_doc,
"purge($self, /, in_queue=True, in_flight=True, blocking=True)\n--\n\n"
"Drop messages that are not delivered yet. Their callbacks get _PURGE_QUEUE or _PURGE_INFLIGHT\n"
"from poll().\n\n"
"Args:\n"
"    in_queue (bool): drop messages that have not been sent yet.\n"
"    in_flight (bool): drop messages that were sent and not acknowledged. Whether they arrive is\n"
"        then unknown.\n"
"    blocking (bool): wait until the broker threads have released their messages.\n\n"
"librdkafka: rd_kafka_purge().");

SIGNATURE(purge_signature, "purge()", 0, 3, P_in_queue, P_in_flight, P_blocking);

static PyObject *
purge(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[3];
    bool in_queue = true, in_flight = true, blocking = true;
    if (client_args(&self->client, &purge_signature, args, nargs, kwnames, values) < 0
        || (values[0] != NULL && arg_bool(values[0], "in_queue", &in_queue) < 0)
        || (values[1] != NULL && arg_bool(values[1], "in_flight", &in_flight) < 0)
        || (values[2] != NULL && arg_bool(values[2], "blocking", &blocking) < 0)
        || client_enter(&self->client) < 0) {
        return NULL;
    }
    int flags = (in_queue ? RD_KAFKA_PURGE_F_QUEUE : 0)
                | (in_flight ? RD_KAFKA_PURGE_F_INFLIGHT : 0)
                | (blocking ? 0 : RD_KAFKA_PURGE_F_NON_BLOCKING);
    int result = purge_with(self, flags);
    client_leave(&self->client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

/* ---- close ---- */

/* After the timeout: drops the remaining messages, and reports each of them to its callback. */
static int
purge_rest(Producer *self)
{
    if (purge_with(self, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT) < 0) {
        return -1;
    }
    deadline never = DEADLINE_NEVER;
    return flush_until(self, &never);
}

/* Delivers or drops all messages: 0, or -1 with a signal handler's exception. */
static int
deliver_rest(Client *client, deadline *until)
{
    Producer *self = (Producer *)client;
    int timeout_ms = until->at_us == INT64_MAX ? -1 : deadline_remaining_ms(until, INT32_MAX);
    if (producer_abort_open_transaction(self, timeout_ms) < 0) {
        return -1;
    }
    double left = deadline_remaining_ms(until, INT32_MAX) / 1000.0;
    deadline silent = deadline_after(Py_MIN(client_silent_seconds(client), left));
    int outstanding = flush_until(self, &silent);
    if (outstanding > 0 && !deadline_passed(until)) {
        logs_warn(client, "%s.close() waits for messages that are not delivered yet: %d",
                  client_type_name(client), outstanding);
        outstanding = flush_until(self, until);
    }
    if (outstanding <= 0) {
        return outstanding;
    }
    if (client_hurries(client)) { /* otherwise the caller has set the timeout */
        logs_warn(client, "%s.close() gave up messages that were not delivered in time: %d",
                  client_type_name(client), outstanding);
    }
    return purge_rest(self);
}

PyDoc_STRVAR(close_doc,
"close($self, /, timeout=-1)\n--\n\n"
"Flush, then end the client. An open transaction is aborted first. When close() returns, the\n"
"callback of every message has been called.\n\n"
"After 5 s, close() logs what it waits for. It waits for other threads to leave their calls.\n"
"Closing a closed producer does nothing. If a signal handler raises (Ctrl-C), call close() again\n"
"to finish.\n\n"
"Args:\n"
"    timeout (float): seconds to flush; after that the remaining messages are dropped, as by\n"
"        purge(). -1 flushes without limit (at most until the delivery.timeout.ms of each\n"
"        message).\n\n"
"Returns:\n"
"    bool: True.\n\n"
"Raises:\n"
"    RuntimeError: the call is made in one of the client's callbacks.\n"
"    Exception: a callback raised it. close() raises it after all messages are delivered and the\n"
"        producer is closed. If several callbacks raise, the last exception is raised, with the\n"
"        others as its context.\n\n"
"librdkafka: rd_kafka_flush(), rd_kafka_purge(), rd_kafka_destroy().");

SIGNATURE(close_signature, "close()", 0, 1, P_timeout);

static PyObject *
close_(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[1];
    deadline until;
    if (args_parse(self->client.state, &close_signature, args, nargs, kwnames, values) < 0
        || deadline_from_arg(values[0], "timeout", &until) < 0
        || client_close(&self->client, deliver_rest, &until) < 0) {
        return NULL;
    }
    Py_RETURN_TRUE;
}

/* ---- the type ---- */

static Py_ssize_t
producer_length(PyObject *object)
{
    Producer *self = (Producer *)object;
    if (client_has_no_handle(&self->client)) {
        return 0;
    }
    if (client_enter(&self->client) < 0) {
        return -1;
    }
    Py_ssize_t outstanding = producer_outstanding(self);
    if (outstanding > 0 && callbacks_has_queued_statistics(&self->client)) {
        outstanding--; /* wake-up events are in the same queue; nobody waits for them */
    }
    client_leave(&self->client);
    return outstanding;
}

static int
producer_bool(PyObject *Py_UNUSED(object))
{
    return 1; /* `if producer:` asks whether there is a producer, not whether it is busy */
}

static PyMethodDef producer_methods[] = {
    {"produce", WITH_KEYWORDS(producer_produce), producer_produce_doc},
    {"produce_batch", WITH_KEYWORDS(producer_produce_batch), producer_produce_batch_doc},
    {"produce_arrow", WITH_KEYWORDS(producer_produce_arrow), producer_produce_arrow_doc},
    {"poll", WITH_KEYWORDS(poll), poll_doc},
    {"flush", WITH_KEYWORDS(flush), flush_doc},
    {"_expedite", expedite_meanwhile, METH_O, expedite_doc},
    {"purge", WITH_KEYWORDS(purge), purge_doc},
    {"close", WITH_KEYWORDS(close_), close_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(producer_doc,
"Producer(config={}, /, **kwargs)\n--\n\n"
"Sends messages to Kafka.\n\n"
"produce() only enqueues; librdkafka's threads send in the background, and poll(), flush()\n"
"and close() run the callbacks on the calling thread. Thread-safe.\n\n"
"Args:\n"
"    config (dict): librdkafka's configuration properties (see its CONFIGURATION.md). Values are\n"
"        str, int, float, bool or None (the default). These keys are also accepted:\n\n"
"        - on_delivery: callable(KafkaError or None, Message), for messages that have no callback\n"
"          of their own.\n"
"        - delivery.report.only.error: bool, call delivery callbacks for failed messages only.\n"
"        - error_cb: callable(KafkaError), called for errors of the client. Most are only\n"
"          information: the client recovers by itself.\n"
"        - throttle_cb: callable(ThrottleEvent).\n"
"        - stats_cb: callable(str), called with JSON every statistics.interval.ms.\n"
"        - oauth_cb: callable(str) -> (token, expiry[, principal[, extensions]]), makes\n"
"          SASL/OAUTHBEARER tokens. Its argument is sasl.oauthbearer.config; the expiry is in\n"
"          seconds since the epoch. It runs on a thread of its own, without poll(). The\n"
"          constructor waits up to 10 s for the first token. After a later failure, the client\n"
"          calls error_cb and tries again after 10 s.\n"
"        - logger: logging.Logger or logging.Handler for librdkafka's log records. poll(),\n"
"          flush() and close() pass them on. Without logger, records go to the logger\n"
"          'confluent_kafka'.\n"
"    **kwargs: more configuration, for keys that are Python identifiers.\n\n"
"Raises:\n"
"    KafkaException: _INVALID_ARG: a key, type or value is wrong; the error names it.\n"
"        SASL_AUTHENTICATION_FAILED: oauth_cb failed, or did not return within 10 s.\n\n"
"librdkafka: rd_kafka_new().");

static PyType_Slot producer_slots[] = {
    {Py_tp_doc, (void *)producer_doc},
    {Py_tp_new, producer_new},
    {Py_tp_init, producer_init},
    {Py_tp_traverse, producer_traverse},
    {Py_tp_clear, producer_clear},
    {Py_tp_finalize, client_finalize},
    {Py_tp_dealloc, producer_dealloc},
    {Py_tp_methods, producer_methods},
    {Py_sq_length, producer_length},
    {Py_nb_bool, producer_bool},
    {0, NULL},
};

static PyType_Spec producer_spec = {
    .name = "confluent_kafka.cimpl.Producer",
    .basicsize = sizeof(Producer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = producer_slots,
};

int
producer_type_add(PyObject *module, module_state *state)
{
    state->Producer = module_add_type(module, &producer_spec, state->Client);
    return state->Producer == NULL
                   || module_add_methods(state->Producer, producer_transaction_methods) < 0
                   || module_add_methods(state->Producer, producer_awaited_methods) < 0
               ? -1
               : 0;
}

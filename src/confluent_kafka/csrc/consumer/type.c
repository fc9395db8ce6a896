/*
 * The type Consumer: creating and closing it.
 */
#include "consumer/consumer.h"

#include <stddef.h>
#include <string.h>

#include "client/callbacks.h"
#include "client/close.h"
#include "client/config.h"
#include "client/core.h"
#include "client/group.h"
#include "client/guard.h"
#include "client/life.h"
#include "client/serve.h"
#include "client/signals.h"

static const python_key consumer_keys[] = {
    {"on_commit", offsetof(Consumer, on_commit), CONFIG_OWN_CALLABLE},
    {NULL, 0, CONFIG_CALLABLE},
};

/* ---- creation and deletion ---- */

static int
check_group_id(rd_kafka_conf_t *conf)
{
    size_t size = 0;
    if (rd_kafka_conf_get(conf, "group.id", NULL, &size) == RD_KAFKA_CONF_OK && size > 1) {
        return 0;
    }
    PyErr_SetString(PyExc_ValueError,
                    "Failed to create consumer: group.id must be set (any name will do for a "
                    "consumer that uses assign() and does not commit)");
    return -1;
}

/*
 * Offsets are stored when a message is handed out (read_ahead.h), so librdkafka must not store
 * them when a message is fetched: 0, or -1 with an exception.
 */
static int
take_over_offset_store(Consumer *self, rd_kafka_conf_t *conf)
{
    static const char property[] = "enable.auto.offset.store";
    char value[8], reason[256];
    size_t size = sizeof(value);
    if (rd_kafka_conf_get(conf, property, value, &size) != RD_KAFKA_CONF_OK
        || rd_kafka_conf_set(conf, property, "false", reason, sizeof(reason))
               != RD_KAFKA_CONF_OK) {
        raise_kafka_error(self->client.state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                          "cannot set %s", property);
        return -1;
    }
    self->auto_offset_store = strcmp(value, "true") == 0;
    return 0;
}

/* ---- leaving the group ---- */

WITHOUT_GIL static rd_kafka_error_t *
begin_leaving(Client *self, rd_kafka_queue_t *queue)
{
    return rd_kafka_consumer_close_queue(self->rk, queue);
}

static bool
has_left(Client *self)
{
    return rd_kafka_consumer_closed(self->rk);
}

/*
 * Serves one callback, or drops one message. A queued message must not be consumed here: its
 * offset would be stored and committed, although the application has not seen it.
 */
static void
serve_leaving(Client *self, rd_kafka_event_t *event)
{
    switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_REBALANCE:
        consumer_rebalance_cb(self->rk, rd_kafka_event_error(event),
                              rd_kafka_event_topic_partition_list(event), self->core);
        break;
    case RD_KAFKA_EVENT_OFFSET_COMMIT:
        if (((Consumer *)self)->on_commit != NULL) {
            consumer_commit_cb(self->rk, rd_kafka_event_error(event),
                               rd_kafka_event_topic_partition_list(event), self->core);
        }
        break;
    default:
        callbacks_serve_event(self, event);
    }
}

static const group_steps steps = {begin_leaving, has_left, serve_leaving};

/* ---- life of the handle ---- */

/* Releases everything that refers to the handle, before the handle ends. */
static void
consumer_release(Client *client)
{
    Consumer *self = (Consumer *)client;
    read_ahead_drop_all(&self->read_ahead);
    shelves_drop_all(&self->shelves);
    in_flight_drop(&self->in_flight, NULL);
    group_finish_leaving(client, &steps, &self->closing_queue);
}

WITHOUT_GIL static rd_kafka_t *
create(Client *Py_UNUSED(self), rd_kafka_conf_t *conf, char *reason, size_t size)
{
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, reason, size);
    if (rk != NULL) {
        rd_kafka_poll_set_consumer(rk);
    }
    return rk;
}

static const client_kind consumer_kind = {
    .type = RD_KAFKA_CONSUMER,
    .create = create,
    .release = consumer_release,
    .serve = consumer_serve_once,
};

static PyObject *
consumer_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    static const client_words words = {
        .name = "Consumer",
        .noun = "consumer",
        .closed = "Consumer closed",
        .credentials_closed = HANDLE_CLOSED,
    };
    return client_new(type, &words);
}

static int
open_consumer(PyObject *object, PyObject *args, PyObject *kwargs)
{
    Consumer *self = (Consumer *)object;
    rd_kafka_conf_t *conf = config_read(&self->client, args, kwargs, consumer_keys);
    if (conf == NULL) {
        return -1;
    }
    if (check_group_id(conf) < 0 || take_over_offset_store(self, conf) < 0) {
        rd_kafka_conf_destroy(conf);
        return -1;
    }
    if (self->rewound == NULL) { /* otherwise an earlier __init__() failed */
        self->rewound = rd_kafka_topic_partition_list_new(0);
        self->revoked = rd_kafka_topic_partition_list_new(0);
    }
    if (read_ahead_reserve(&self->read_ahead, READ_AHEAD_SIZE) < 0) {
        PyErr_NoMemory();
        rd_kafka_conf_destroy(conf);
        return -1;
    }
    fence_init(&self->fence);
    in_flight_init(&self->in_flight);
    rd_kafka_conf_set_rebalance_cb(conf, consumer_rebalance_cb);
    if (self->on_commit != NULL) {
        rd_kafka_conf_set_offset_commit_cb(conf, consumer_commit_cb);
    }
    return client_open(&self->client, &consumer_kind, conf);
}

static int
consumer_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    Client *client = (Client *)object;
    if (client_init_begin(client) < 0) {
        return -1;
    }
    return client_init_end(client, open_consumer(object, args, kwargs));
}

static int
consumer_traverse(PyObject *object, visitproc visit, void *arg)
{
    Consumer *self = (Consumer *)object;
    Py_VISIT(self->on_commit);
    Py_VISIT(self->on_assign);
    Py_VISIT(self->on_revoke);
    Py_VISIT(self->on_lost);
    return client_traverse(&self->client, visit, arg);
}

static void
clear_callbacks(Consumer *self)
{
    Py_CLEAR(self->on_commit);
    Py_CLEAR(self->on_assign);
    Py_CLEAR(self->on_revoke);
    Py_CLEAR(self->on_lost);
}

static int
consumer_clear(PyObject *object)
{
    clear_callbacks((Consumer *)object);
    return client_clear((Client *)object);
}

static void
consumer_dealloc(PyObject *object)
{
    if (!client_dealloc_begin(object)) {
        return;
    }
    Consumer *self = (Consumer *)object;
    clear_callbacks(self);
    fence_clear(&self->fence);
    in_flight_clear(&self->in_flight);
    if (self->rewound != NULL) {
        rd_kafka_topic_partition_list_destroy(self->rewound);
        rd_kafka_topic_partition_list_destroy(self->revoked);
    }
    if (self->deferral.partitions != NULL) {
        rd_kafka_topic_partition_list_destroy(self->deferral.partitions);
    }
    read_ahead_free(&self->read_ahead);
    shelves_free(&self->shelves);
    client_dealloc_end(object);
}

/* ---- close ---- */

/*
 * Queued messages are dropped. Marks that move the position beyond them must be dropped as well:
 * otherwise the stored offset would move with the position and be committed. A pause makes both
 * kinds out of date.
 */
WITHOUT_GIL static void
outdate_queued(rd_kafka_t *rk)
{
    rd_kafka_topic_partition_list_t *assigned = NULL;
    if (rd_kafka_assignment(rk, &assigned) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        (void)rd_kafka_pause_partitions(rk, assigned);
        rd_kafka_topic_partition_list_destroy(assigned);
    }
}

/* A leave_function: serves the last rebalance and commit callbacks until the group is left. */
static int
leave(Client *client, deadline *until)
{
    Consumer *self = (Consumer *)client;
    consumer_finish_deferred(self);
    if (self->answered_revocation) {
        /* For librdkafka, the revocation is over only when everything is unassigned; until then it
         * does not leave the group. */
        self->answered_revocation = false;
        Py_BEGIN_ALLOW_THREADS
        (void)rd_kafka_assign(self->client.rk, NULL);
        Py_END_ALLOW_THREADS
    }
    if (self->closing_queue == NULL) {
        Py_BEGIN_ALLOW_THREADS
        outdate_queued(self->client.rk);
        Py_END_ALLOW_THREADS
        /* A rebalance that waits here must be served first. Once librdkafka is leaving, it would
         * mistake the answer to this rebalance for the answer to the last one, and leave before
         * on_revoke runs. */
        group_serve_waiting(client, &steps, client->core->queue);
    }
    return group_leave(client, &steps, &self->closing_queue, until);
}

PyDoc_STRVAR(close_doc,
"close($self, /)\n--\n\n"
"Commit stored offsets (with enable.auto.commit), leave the group and end the client.\n\n"
"Runs the last rebalance and commit callbacks. Waits for other threads to leave their calls.\n"
"Closing a closed consumer does nothing; if a signal handler raises, call close() again to\n"
"finish.\n\n"
"Raises:\n"
"    RuntimeError: the call is made in one of the client's callbacks.\n"
"    Exception: a callback raised it; the consumer is closed all the same.\n\n"
"librdkafka: rd_kafka_consumer_close_queue(), rd_kafka_destroy().");

static PyObject *
close_(PyObject *object, PyObject *Py_UNUSED(unused))
{
    deadline never = DEADLINE_NEVER;
    if (client_close((Client *)object, leave, &never) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyDoc_STRVAR(close_within_doc,
"_close($self, timeout, /)\n--\n\n"
"Do what close() does, but wait at most this number of seconds for the group's coordinator. After\n"
"that, a thread waits for the answers to a commit and to the request to leave the group.");

static PyObject *
close_within(PyObject *object, PyObject *timeout)
{
    deadline until;
    if (deadline_from_arg(timeout, "timeout", &until) < 0
        || client_close((Client *)object, leave, &until) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- the type ---- */

static PyMethodDef consumer_methods[] = {
    {"close", close_, METH_NOARGS, close_doc},
    {"_close", close_within, METH_O, close_within_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(consumer_doc,
"Consumer(config={}, /, **kwargs)\n--\n\n"
"Reads messages from Kafka, with or without a consumer group.\n\n"
"poll() and consume() return messages and run the callbacks on the calling thread. Other\n"
"methods can be called from other threads; polls of several threads take turns. Iterating\n"
"over a consumer polls without limit, raises KafkaException for an error, and ends after\n"
"wakeup() or when another thread closes it.\n\n"
"Args:\n"
"    config (dict): librdkafka's configuration properties (see its CONFIGURATION.md), including\n"
"        group.id, which is required. Values are str, int, float, bool or None (the default).\n"
"        These keys are also accepted:\n\n"
"        - on_commit: callable(KafkaError or None, list of TopicPartition), called for each\n"
"          commit in the background.\n"
"        - error_cb: callable(KafkaError), called for errors of the client. Most are only\n"
"          information: the client recovers by itself. Without error_cb, errors are logged, and\n"
"          poll(), consume() and iteration raise KafkaException if all brokers are down and\n"
"          credentials or a certificate were refused.\n"
"        - throttle_cb: callable(ThrottleEvent).\n"
"        - stats_cb: callable(str), called with JSON every statistics.interval.ms.\n"
"        - oauth_cb: callable(str) -> (token, expiry[, principal[, extensions]]), makes\n"
"          SASL/OAUTHBEARER tokens. Its argument is sasl.oauthbearer.config; the expiry is in\n"
"          seconds since the epoch. It runs on a thread of its own, without poll(). The\n"
"          constructor waits up to 10 s for the first token. After a later failure, the client\n"
"          calls error_cb and tries again after 10 s.\n"
"        - logger: logging.Logger or logging.Handler for librdkafka's log records. poll(),\n"
"          consume() and close() pass them on. Without logger, records go to the logger\n"
"          'confluent_kafka'.\n"
"    **kwargs: more configuration, for keys that are Python identifiers.\n\n"
"Raises:\n"
"    KafkaException: _INVALID_ARG: a key, type or value is wrong; the error names it.\n"
"        SASL_AUTHENTICATION_FAILED: oauth_cb failed, or did not return within 10 s.\n"
"    ValueError: group.id is missing.\n\n"
"librdkafka: rd_kafka_new().");

static PyType_Slot consumer_slots[] = {
    {Py_tp_doc, (void *)consumer_doc},
    {Py_tp_new, consumer_new},
    {Py_tp_init, consumer_init},
    {Py_tp_traverse, consumer_traverse},
    {Py_tp_clear, consumer_clear},
    {Py_tp_finalize, client_finalize},
    {Py_tp_dealloc, consumer_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, consumer_iter_next},
    {Py_tp_methods, consumer_methods},
    {0, NULL},
};

static PyType_Spec consumer_spec = {
    .name = "confluent_kafka.cimpl.Consumer",
    .basicsize = sizeof(Consumer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = consumer_slots,
};

int
consumer_type_add(PyObject *module, module_state *state)
{
    state->Consumer = module_add_type(module, &consumer_spec, state->Client);
    if (state->Consumer == NULL || module_add_methods(state->Consumer, consumer_fetch_methods) < 0
        || module_add_methods(state->Consumer, consumer_awaited_methods) < 0
        || module_add_methods(state->Consumer, consumer_by_partition_methods) < 0
        || module_add_methods(state->Consumer, consumer_handing_out_methods) < 0
        || module_add_methods(state->Consumer, consumer_assignment_methods) < 0
        || module_add_methods(state->Consumer, consumer_rebalance_methods) < 0
        || module_add_methods(state->Consumer, consumer_offsets_methods) < 0
        || module_add_methods(state->Consumer, consumer_positions_methods) < 0
        || module_add_methods(state->Consumer, consumer_lag_methods) < 0
        || module_add_methods(state->Consumer, consumer_pause_methods) < 0) {
        return -1;
    }
    return 0;
}

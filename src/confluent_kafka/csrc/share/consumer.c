/*
 * The type ShareConsumer: creating it, fetching, and closing it.
 */
#include "share/share.h"

#if HAVE_SHARE_CONSUMER

#include <string.h>

#include "client/callbacks.h"
#include "client/close.h"
#include "client/config.h"
#include "client/exceptions.h"
#include "client/failure.h"
#include "client/group.h"
#include "client/guard.h"
#include "client/life.h"
#include "client/logs.h"
#include "client/serve.h"
#include "client/signals.h"
#include "values/message_object.h"
#include "values/topic_partition.h"

static const python_key share_keys[] = {{NULL, 0, CONFIG_CALLABLE}};

/* ---- creation and deletion ---- */

static PyObject *
share_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    static const client_words words = {
        .name = "ShareConsumer",
        .noun = "share consumer",
        .closed = "Share consumer closed",
        .credentials_closed = "Share consumer closed",
    };
    Client *client = (Client *)client_new(type, &words);
    if (client != NULL) {
        guard_set_misuse(client, client->state->IllegalStateException);
    }
    return (PyObject *)client;
}

/* 1: explicit; 0: implicit; -1: an exception, also if group.id is missing. */
static int
read_mode(Client *client, rd_kafka_conf_t *conf)
{
    char mode[64];
    size_t size = 0;
    if (rd_kafka_conf_get(conf, "group.id", NULL, &size) != RD_KAFKA_CONF_OK || size <= 1) {
        PyErr_SetString(PyExc_ValueError,
                        "Failed to create share consumer: group.id must be set");
        return -1;
    }
    size = sizeof(mode);
    if (rd_kafka_conf_get(conf, "share.acknowledgement.mode", mode, &size)
        != RD_KAFKA_CONF_OK) {
        raise_kafka_error(client->state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                          "cannot read share.acknowledgement.mode");
        return -1;
    }
    bool explicit_mode = strcmp(mode, "explicit") == 0;
    if (!explicit_mode && strcmp(mode, "implicit") != 0) {
        /* librdkafka accepts any text, and would then accept records that nobody has accepted. */
        raise_kafka_error(client->state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                          "share.acknowledgement.mode must be 'implicit' or 'explicit', not "
                          "'%s'",
                          mode);
        return -1;
    }
    return explicit_mode;
}

/* An rd_kafka_share_t does not reveal its rd_kafka_t, which every other request needs. */
static rd_kafka_resp_err_t
note_handle(rd_kafka_t *rk, const rd_kafka_conf_t *Py_UNUSED(conf), void *opaque,
            char *Py_UNUSED(reason), size_t Py_UNUSED(size))
{
    *(rd_kafka_t **)opaque = rk;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

WITHOUT_GIL static rd_kafka_t *
new_share_consumer(Client *client, rd_kafka_conf_t *conf, char *reason, size_t size)
{
    ShareConsumer *self = (ShareConsumer *)client;
    rd_kafka_t *rk = NULL;
    rd_kafka_resp_err_t code =
        rd_kafka_conf_interceptor_add_on_new(conf, "ShareConsumer", note_handle, &rk);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        PyOS_snprintf(reason, size, "%s", rd_kafka_err2str(code));
        return NULL;
    }
    self->share = rd_kafka_share_consumer_new(conf, reason, size);
    if (self->share == NULL) {
        return NULL;
    }
    client->core->callbacks = rd_kafka_queue_get_main(rk);
    /* It is never removed, because librdkafka aborts if it gets an answer and has no callback. The
     * call fails only in states that a new handle cannot be in. */
    rd_kafka_error_destroy(rd_kafka_share_set_acknowledgement_commit_cb(
        self->share, share_acknowledged, client->core));
    return rk;
}

/* ---- leaving the group ---- */

WITHOUT_GIL static rd_kafka_error_t *
begin_leaving(Client *self, rd_kafka_queue_t *queue)
{
    return rd_kafka_share_consumer_close_queue(((ShareConsumer *)self)->share, queue);
}

static bool
has_left(Client *self)
{
    return rd_kafka_share_consumer_closed(((ShareConsumer *)self)->share);
}

/* Runs a callback, or drops records, which are then released. */
static void
serve_leaving(Client *self, rd_kafka_event_t *event)
{
    callbacks_serve_event(self, event);
}

static const group_steps steps = {begin_leaving, has_left, serve_leaving};

static int
leave(Client *self, deadline *until)
{
    return group_leave(self, &steps, &((ShareConsumer *)self)->closing_queue, until);
}

/* ---- life of the handle ---- */

/* Releases everything that refers to the handle, before the handle ends. */
static void
share_release(Client *client)
{
    ShareConsumer *self = (ShareConsumer *)client;
    rd_kafka_messages_destroy(self->batch);
    self->batch = NULL;
    group_finish_leaving(client, &steps, &self->closing_queue);
    self->share = NULL;
}

static void
raise_refusal(const char *reason)
{
    PyErr_Format(PyExc_ValueError, "Failed to create share consumer: %s", reason);
}

static const client_kind share_kind = {
    .type = RD_KAFKA_CONSUMER,
    .create = new_share_consumer,
    .raise_refusal = raise_refusal,
    .release = share_release,
};

/* Acknowledgements replace offsets: 0, or -1 with a ValueError for on_commit. */
static int
refuse_on_commit(PyObject *args, PyObject *kwargs)
{
    PyObject *config = PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
    PyObject *const given[] = {config, kwargs};
    for (int i = 0; i < 2; i++) {
        if (given[i] != NULL && PyDict_Check(given[i])
            && PyMapping_HasKeyString(given[i], "on_commit")) {
            PyErr_SetString(PyExc_ValueError,
                            "on_commit is not supported on ShareConsumer: use "
                            "set_acknowledgement_commit_callback()");
            return -1;
        }
    }
    return 0;
}

static int
open_share_consumer(ShareConsumer *self, PyObject *args, PyObject *kwargs)
{
    Client *client = &self->client;
    rd_kafka_conf_t *conf =
        refuse_on_commit(args, kwargs) < 0 ? NULL : config_read(client, args, kwargs, share_keys);
    if (conf == NULL) {
        return -1;
    }
    int mode = read_mode(client, conf);
    if (mode < 0) {
        rd_kafka_conf_destroy(conf);
        return -1;
    }
    self->explicit_mode = mode;
    if (self->acknowledgements == NULL) { /* otherwise an earlier __init__() failed */
        self->acknowledgements = rd_kafka_topic_partition_list_new(0);
    }
    return client_open(client, &share_kind, conf);
}

static int
share_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    Client *client = (Client *)object;
    if (client_init_begin(client) < 0) {
        return -1;
    }
    return client_init_end(client, open_share_consumer((ShareConsumer *)object, args, kwargs));
}

static int
share_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(((ShareConsumer *)object)->on_acknowledged);
    Py_VISIT(((ShareConsumer *)object)->records);
    return client_traverse((Client *)object, visit, arg);
}

static int
share_clear(PyObject *object)
{
    Py_CLEAR(((ShareConsumer *)object)->on_acknowledged);
    Py_CLEAR(((ShareConsumer *)object)->records);
    return client_clear((Client *)object);
}

static void
share_dealloc(PyObject *object)
{
    if (!client_dealloc_begin(object)) {
        return;
    }
    ShareConsumer *self = (ShareConsumer *)object;
    Py_CLEAR(self->on_acknowledged);
    Py_CLEAR(self->records);
    if (self->acknowledgements != NULL) {
        rd_kafka_topic_partition_list_destroy(self->acknowledgements);
    }
    client_dealloc_end(object);
}

/* ---- subscription ---- */

/* The exception for `code`: _INVALID_ARG becomes a ValueError. */
static void
raise_share_error(ShareConsumer *self, rd_kafka_resp_err_t code, const char *what)
{
    module_state *state = self->client.state;
    if (code == RD_KAFKA_RESP_ERR__INVALID_ARG) {
        PyErr_Format(PyExc_ValueError, "%s: %s", what, rd_kafka_err2str(code));
    }
    else if (code == RD_KAFKA_RESP_ERR__STATE) {
        PyErr_Format(state->IllegalStateException, "%s: %s", what, rd_kafka_err2str(code));
    }
    else {
        client_raise_error(&self->client, code, what);
    }
}

/* 0, or -1 with a ValueError. */
static int
check_topics(const rd_kafka_topic_partition_list_t *topics)
{
    for (int i = 0; i < topics->cnt; i++) {
        const char *topic = topics->elems[i].topic;
        if (topic[0] == '\0') {
            PyErr_Format(PyExc_ValueError, "topics[%d] must be a topic's name, not empty", i);
            return -1;
        }
        for (int j = 0; j < i; j++) {
            if (strcmp(topic, topics->elems[j].topic) == 0) {
                PyErr_Format(PyExc_ValueError, "topics[%d] and topics[%d] are the same", j, i);
                return -1;
            }
        }
    }
    return 0;
}

PyDoc_STRVAR(subscribe_doc,
"subscribe($self, /, topics)\n--\n\n"
"Join the share group and read records of these topics.\n\n"
"Replaces an earlier subscription. The brokers choose each member's partitions, and several\n"
"members may get records of one partition. There are no rebalance callbacks.\n\n"
"Args:\n"
"    topics (list of str): topic names; '^name' is also a name, and not a regular expression. An\n"
"        empty list means unsubscribe().\n\n"
"Raises:\n"
"    ValueError: a name is empty, or given twice.\n"
"    IllegalStateException: the consumer is closed, or the call comes from one of its callbacks.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n\n"
"librdkafka: rd_kafka_share_subscribe().");

SIGNATURE(subscribe_signature, "subscribe()", 1, 1, P_topics);

static int
subscribe_to(ShareConsumer *self, const rd_kafka_topic_partition_list_t *topics)
{
    serve_frame frame;
    if (share_begin(self, &frame, "subscribe()") < 0) {
        return -1;
    }
    rd_kafka_resp_err_t code;
    serve_release_gil(&self->client);
    code = rd_kafka_share_subscribe(self->share, topics);
    serve_take_gil(&self->client);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_share_error(self, code, "Failed to subscribe to these topics");
    }
    share_end(self, &frame);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR ? 0 : -1;
}

static PyObject *
subscribe(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    ShareConsumer *self = (ShareConsumer *)object;
    PyObject *values[1];
    if (client_args(&self->client, &subscribe_signature, args, nargs, kwnames, values)
        < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *topics = topics_to_c(values[0]);
    if (topics == NULL) {
        return NULL;
    }
    int failed = check_topics(topics) < 0 || subscribe_to(self, topics) < 0;
    rd_kafka_topic_partition_list_destroy(topics);
    return failed ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(unsubscribe_doc,
"unsubscribe($self, /)\n--\n\n"
"Leave the share group.\n\n"
"Raises:\n"
"    IllegalStateException: the consumer is closed, or the call comes from one of its callbacks.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n\n"
"librdkafka: rd_kafka_share_unsubscribe().");

static PyObject *
unsubscribe(PyObject *object, PyObject *Py_UNUSED(unused))
{
    ShareConsumer *self = (ShareConsumer *)object;
    serve_frame frame;
    if (share_begin(self, &frame, "unsubscribe()") < 0) {
        return NULL;
    }
    rd_kafka_resp_err_t code;
    serve_release_gil(&self->client);
    code = rd_kafka_share_unsubscribe(self->share);
    serve_take_gil(&self->client);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_share_error(self, code, "Failed to unsubscribe");
    }
    share_end(self, &frame);
    return code != RD_KAFKA_RESP_ERR_NO_ERROR ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(subscription_doc,
"subscription($self, /)\n--\n\n"
"Return the names of the subscribed topics.\n\n"
"Returns:\n"
"    list of str.\n\n"
"Raises:\n"
"    IllegalStateException: the consumer is closed, or the call comes from one of its callbacks.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n\n"
"librdkafka: rd_kafka_share_subscription().");

static PyObject *
subscription(PyObject *object, PyObject *Py_UNUSED(unused))
{
    ShareConsumer *self = (ShareConsumer *)object;
    serve_frame frame;
    if (share_begin(self, &frame, "subscription()") < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *topics = NULL;
    rd_kafka_resp_err_t code;
    serve_release_gil(&self->client);
    code = rd_kafka_share_subscription(self->share, &topics);
    serve_take_gil(&self->client);
    PyObject *names = NULL;
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_share_error(self, code, "Failed to get the subscription");
    }
    else {
        names = topic_names_from(topics);
        rd_kafka_topic_partition_list_destroy(topics);
    }
    share_end(self, &frame);
    return names;
}

/* ---- poll ---- */

/* Raises the error of rd_kafka_share_poll(), and destroys it. */
static void
raise_poll_error(ShareConsumer *self, rd_kafka_error_t *error)
{
    if (rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR__STATE) {
        (void)client_raise_if_error(&self->client, error);
        return;
    }
    PyErr_Format(self->client.state->IllegalStateException, "poll(): %s",
                 rd_kafka_error_string(error));
    rd_kafka_error_destroy(error);
}

/* Waits up to `timeout_ms` for a batch: 0 with or without a batch, or -1 with an exception. */
static int
fetch(ShareConsumer *self, int timeout_ms)
{
    rd_kafka_error_t *error;
    atomic_store(&self->waits, timeout_ms > 0);
    serve_release_gil(&self->client);
    error = rd_kafka_share_poll(self->share, timeout_ms, &self->batch);
    atomic_store(&self->waits, false);
    serve_take_gil(&self->client);
    /* A call in a wrong state is refused before anything is sent. */
    if (error == NULL || rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR__STATE) {
        share_acknowledgements_sent(self);
    }
    if (error != NULL) {
        raise_poll_error(self, error);
        return -1;
    }
    return 0;
}

/*
 * 0 with a batch; 0 without one if time is up or wakeup() was called; -1 with an exception. If
 * records arrive, the exception of a callback is left to the next call: the acquisition locks of
 * the records expire, but the exception does not.
 */
static int
wait_for_batch(ShareConsumer *self, deadline *until)
{
    Client *client = &self->client;
    int timeout_ms = 0;
    serve_logs(client);
    if (serve_raise_parked(client) < 0) {
        return -1;
    }
    while (self->batch == NULL) {
        if (fetch(self, timeout_ms) < 0) {
            return -1;
        }
        if (self->batch != NULL) {
            break;
        }
        if (deadline_passed(until)) {
            return serve_raise_parked(client);
        }
        int go_on = serve_check(client);
        if (go_on <= 0) {
            return go_on;
        }
        timeout_ms = deadline_remaining_ms(until, WAIT_SLICE_MS);
    }
    return 0;
}

/* Adds the batch's record `index` to the list as a Message: 0 or -1. */
static int
add_record(ShareConsumer *self, size_t index)
{
    Client *client = &self->client;
    rd_kafka_message_t *rkm = rd_kafka_messages_get(self->batch, index);
    PyObject *message = message_from_consumed(client->state, &client->names, rkm);
    if (message == NULL) {
        return -1;
    }
    ((Message *)message)->delivery_count = rd_kafka_message_delivery_count(rkm);
    int result = PyList_Append(self->records, message);
    Py_DECREF(message);
    return result;
}

/* Makes the list of the batch's records, or continues it after an interruption: 0 or -1. */
static int
collect_records(ShareConsumer *self)
{
    topic_names *names = &self->client.names;
    size_t count = rd_kafka_messages_count(self->batch);
    int result = 0;
    if (self->records == NULL && (self->records = PyList_New(0)) == NULL) {
        return -1;
    }
    names->in_batch = true;
    for (size_t i = (size_t)PyList_GET_SIZE(self->records); result == 0 && i < count; i++) {
        result = add_record(self, i);
    }
    names->in_batch = false;
    names->current = NULL;
    return result;
}

/* Replaces the bytes of the records by the objects in the checked outcomes. */
static void
set_objects(ShareConsumer *self, PyObject *outcomes)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(outcomes); i++) {
        PyObject *outcome = PyList_GET_ITEM(outcomes, i);
        message_set_objects(PyList_GET_ITEM(self->records, i), PyTuple_GET_ITEM(outcome, 0),
                            PyTuple_GET_ITEM(outcome, 1), PyTuple_GET_ITEM(outcome, 2));
    }
}

/*
 * The result of poll(), with the objects that deserializers made, if any. If there is no memory, or
 * after Ctrl-C in a Python function, everything stays unchanged for the next call.
 */
static PyObject *
hand_out(ShareConsumer *self, PyObject *outcomes)
{
    PyObject *type = import_attribute("confluent_kafka._values.share", "Messages");
    if (type == NULL) {
        return NULL;
    }
    PyObject *messages = PyObject_CallOneArg(type, self->records);
    Py_DECREF(type);
    if (messages != NULL) {
        if (outcomes != NULL) {
            set_objects(self, outcomes);
        }
        share_handed_out(self, self->batch);
        rd_kafka_messages_destroy(self->batch);
        self->batch = NULL;
        Py_CLEAR(self->records);
    }
    return messages;
}

/* Waits for a batch and makes its records, for hand_out() to return: 0 or -1. */
static int
take_batch(ShareConsumer *self, deadline *until)
{
    return wait_for_batch(self, until) < 0 ? -1 : collect_records(self);
}

PyDoc_STRVAR(poll_doc,
"poll($self, /, timeout=-1)\n--\n\n"
"Fetch a batch of records, send acknowledgements, and serve callbacks.\n\n"
"In implicit mode it first accepts the records of the previous poll(). In explicit mode you must\n"
"have acknowledged all of them.\n\n"
"Args:\n"
"    timeout (float): seconds to wait for records; -1 waits without limit, 0 does not wait.\n\n"
"Returns:\n"
"    Messages: Empty if no records arrived in time, and after wakeup(). If a message has an\n"
"    error(), its record cannot be read (it is corrupt or has an unknown format), and it has\n"
"    already been acknowledged. max.poll.records limits the batch approximately.\n\n"
"Raises:\n"
"    IllegalStateException: not subscribed, closed, inside a callback of this consumer, or\n"
"        (explicit mode) records have not been acknowledged.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n"
"    KafkaException: TOPIC_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PART and others that a broker\n"
"        answers.\n"
"    Exception: a callback raised it, and no records have arrived.\n\n"
"librdkafka: rd_kafka_share_poll().");

SIGNATURE(poll_signature, "poll()", 0, 1, P_timeout);

static PyObject *
poll(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    ShareConsumer *self = (ShareConsumer *)object;
    PyObject *values[1];
    deadline until;
    serve_frame frame;
    if (client_args(&self->client, &poll_signature, args, nargs, kwnames, values) < 0
        || deadline_from_arg(values[0], "timeout", &until) < 0
        || share_begin(self, &frame, "poll()") < 0) {
        return NULL;
    }
    frame.waits = !deadline_passed(&until);
    PyObject *messages = take_batch(self, &until) < 0 ? NULL : hand_out(self, NULL);
    share_end(self, &frame);
    return messages;
}

/* ---- poll, in two steps ---- */

PyDoc_STRVAR(take_doc,
"_take($self, timeout, /)\n--\n\n"
"Return the records of poll(timeout) as a list. Until _hand_out(), it returns the same records.\n\n"
"Until then nothing accepts them, and a commit that would accept them is refused.");

SIGNATURE(take_signature, "_take()", 1, 1, P_timeout);

static PyObject *
take(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    ShareConsumer *self = (ShareConsumer *)object;
    PyObject *values[1], *records = NULL;
    deadline until;
    serve_frame frame;
    if (client_args(&self->client, &take_signature, args, nargs, NULL, values) < 0
        || deadline_from_arg(values[0], "timeout", &until) < 0
        || share_begin(self, &frame, "_take()") < 0) {
        return NULL;
    }
    frame.waits = !deadline_passed(&until);
    if (take_batch(self, &until) == 0) {
        records = PyList_GetSlice(self->records, 0, PyList_GET_SIZE(self->records));
    }
    share_end(self, &frame);
    return records;
}

/* One tuple of key, value and error for each record: 0, or -1 with an exception. */
static int
check_outcomes(const ShareConsumer *self, PyObject *outcomes)
{
    if (!PyList_Check(outcomes)) {
        PyErr_Format(PyExc_TypeError, "outcomes must be a list, not %.100s",
                     Py_TYPE(outcomes)->tp_name);
        return -1;
    }
    Py_ssize_t count = PyList_GET_SIZE(self->records);
    if (PyList_GET_SIZE(outcomes) != count) {
        PyErr_SetString(PyExc_ValueError, "outcomes must have a tuple for each record that "
                                          "_take() returned: another thread has called poll()");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *outcome = PyList_GET_ITEM(outcomes, i);
        if (!PyTuple_Check(outcome) || PyTuple_GET_SIZE(outcome) != 3) {
            PyErr_Format(PyExc_TypeError, "outcomes[%zd] must be a tuple of three", i);
            return -1;
        }
    }
    return 0;
}

PyDoc_STRVAR(hand_out_doc,
"_hand_out($self, outcomes, /)\n--\n\n"
"Return the records of _take() as Messages, as the application gets them.\n\n"
"outcomes has a tuple for each record: its new key, its new value and its error.");

static PyObject *
hand_out_(PyObject *object, PyObject *outcomes)
{
    ShareConsumer *self = (ShareConsumer *)object;
    serve_frame frame;
    if (share_begin(self, &frame, "_hand_out()") < 0) {
        return NULL;
    }
    PyObject *messages = NULL;
    if (collect_records(self) == 0 && check_outcomes(self, outcomes) == 0) {
        messages = hand_out(self, outcomes);
    }
    share_end(self, &frame);
    return messages;
}

/* ---- close ---- */

PyDoc_STRVAR(close_doc,
"close($self, /)\n--\n\n"
"Send pending acknowledgements, leave the share group and end the client.\n\n"
"Records that you have not acknowledged are released, and other members get them. In implicit\n"
"mode these are the records of the last poll(); to accept them, call commit_sync() first. close()\n"
"runs the last callbacks, and waits for other threads to leave their calls. Closing a closed\n"
"consumer does nothing. If a signal handler raises, call close() again to finish.\n\n"
"Raises:\n"
"    IllegalStateException: the call is made in one of the client's callbacks.\n"
"    Exception: a callback raised it; the consumer is closed all the same.\n\n"
"librdkafka: rd_kafka_share_consumer_close_queue(), rd_kafka_destroy_flags().");

static PyObject *
close_(PyObject *object, PyObject *Py_UNUSED(unused))
{
    deadline never = DEADLINE_NEVER;
    if (client_close((Client *)object, leave, &never) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- the type ---- */

static PyMethodDef share_methods[] = {
    {"subscribe", WITH_KEYWORDS(subscribe), subscribe_doc},
    {"unsubscribe", unsubscribe, METH_NOARGS, unsubscribe_doc},
    {"subscription", subscription, METH_NOARGS, subscription_doc},
    {"poll", WITH_KEYWORDS(poll), poll_doc},
    {"_take", WITHOUT_KEYWORDS(take), take_doc},
    {"_hand_out", hand_out_, METH_O, hand_out_doc},
    {"close", close_, METH_NOARGS, close_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(share_doc,
"ShareConsumer(config={}, /, **kwargs)\n--\n\n"
"A member of a share group (KIP-932), which distributes single records, as a queue does.\n\n"
"Members of a share group read the same partitions together. poll() acquires records for a time\n"
"(the group's share.record.lock.duration.ms, 30 s by default). Each record is accepted, released\n"
"for another attempt, or rejected. A record that is not acknowledged in time is delivered again,\n"
"up to the group's share.delivery.count.limit. Needs brokers of version 4.2 or newer.\n\n"
"Use it from one thread: concurrent calls of two threads raise ConcurrentModificationException.\n"
"Other threads may only call wakeup(), close() and requests such as list_topics().\n\n"
"Args:\n"
"    config (dict): librdkafka's configuration properties (see its CONFIGURATION.md), including\n"
"        group.id, which is required. Values are str, int, float, bool or None (the default).\n"
"        share.acknowledgement.mode is 'implicit' (default) or 'explicit'. These keys are also\n"
"        accepted:\n\n"
"        - error_cb: callable(KafkaError), called for errors of the client. Most are only\n"
"          information: the client recovers by itself. Without error_cb, errors are logged, and\n"
"          poll() raises KafkaException if all brokers are down and credentials or a\n"
"          certificate were refused.\n"
"        - throttle_cb: callable(ThrottleEvent).\n"
"        - stats_cb: callable(str), called with JSON every statistics.interval.ms.\n"
"        - oauth_cb: callable(str) -> (token, expiry[, principal[, extensions]]), makes\n"
"          SASL/OAUTHBEARER tokens. Its argument is sasl.oauthbearer.config; the expiry is in\n"
"          seconds since the epoch. It runs on a thread of its own, without poll(). The\n"
"          constructor waits up to 10 s for the first token. After a later failure, the client\n"
"          calls error_cb and tries again after 10 s.\n"
"        - logger: logging.Logger or logging.Handler for librdkafka's log records. poll() and\n"
"          close() pass them on. Without logger, records go to the logger 'confluent_kafka'.\n"
"    **kwargs: more configuration, for keys that are Python identifiers.\n\n"
"Raises:\n"
"    KafkaException: _INVALID_ARG: a key, type or value is wrong, or not for share consumers;\n"
"        the error names it. SASL_AUTHENTICATION_FAILED: oauth_cb failed, or did not return\n"
"        within 10 s.\n"
"    ValueError: group.id is missing.\n\n"
"librdkafka: rd_kafka_share_consumer_new(), a preview feature in 2.15.");

static PyType_Slot share_slots[] = {
    {Py_tp_doc, (void *)share_doc},
    {Py_tp_new, share_new},
    {Py_tp_init, share_init},
    {Py_tp_traverse, share_traverse},
    {Py_tp_clear, share_clear},
    {Py_tp_finalize, client_finalize},
    {Py_tp_dealloc, share_dealloc},
    {Py_tp_methods, share_methods},
    {0, NULL},
};

static PyType_Spec share_spec = {
    .name = "confluent_kafka.cimpl.ShareConsumer",
    .basicsize = sizeof(ShareConsumer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = share_slots,
};

PyDoc_STRVAR(illegal_state_doc,
"The state of a ShareConsumer does not allow the call: it is closed, not subscribed, inside one\n"
"of its callbacks, or records are not acknowledged.");

PyDoc_STRVAR(concurrent_doc,
"Two threads are inside calls of one ShareConsumer at the same time.");

/* New exception of `name`, a RuntimeError, in the module; NULL with an exception. */
static PyObject *
add_exception(PyObject *module, const char *name, const char *doc)
{
    char full_name[80];
    PyOS_snprintf(full_name, sizeof(full_name), "confluent_kafka.cimpl.%s", name);
    PyObject *type = PyErr_NewExceptionWithDoc(full_name, doc, PyExc_RuntimeError, NULL);
    if (type != NULL && PyModule_AddObjectRef(module, name, type) < 0) {
        Py_CLEAR(type);
    }
    return type;
}

int
share_types_add(PyObject *module, module_state *state)
{
    state->IllegalStateException =
        add_exception(module, "IllegalStateException", illegal_state_doc);
    state->ConcurrentModificationException =
        add_exception(module, "ConcurrentModificationException", concurrent_doc);
    if (state->IllegalStateException == NULL
        || state->ConcurrentModificationException == NULL) {
        return -1;
    }
    state->ShareConsumer = module_add_type(module, &share_spec, state->Client);
    if (state->ShareConsumer == NULL
        || module_add_methods(state->ShareConsumer, share_acknowledge_methods) < 0) {
        return -1;
    }
    if (PyModule_AddIntConstant(module, "SHARE_ACKNOWLEDGE_TYPE_ACCEPT",
                                RD_KAFKA_SHARE_ACKNOWLEDGE_TYPE_ACCEPT) < 0
        || PyModule_AddIntConstant(module, "SHARE_ACKNOWLEDGE_TYPE_RELEASE",
                                   RD_KAFKA_SHARE_ACKNOWLEDGE_TYPE_RELEASE) < 0
        || PyModule_AddIntConstant(module, "SHARE_ACKNOWLEDGE_TYPE_REJECT",
                                   RD_KAFKA_SHARE_ACKNOWLEDGE_TYPE_REJECT) < 0) {
        return -1;
    }
    return 0;
}

#endif

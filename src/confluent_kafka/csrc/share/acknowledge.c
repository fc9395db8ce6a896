/*
 * ShareConsumer: acknowledgements of records, and the brokers' answers.
 *
 * librdkafka's own commit_sync cannot be interrupted, and runs callbacks on whichever thread waits
 * for it. Here commit_sync() sends as commit_async() does, and serves answers until the answers to
 * its own request have arrived. To distinguish them from answers to earlier requests, an entry is
 * kept for each partition of each request (ShareConsumer.acknowledgements).
 */
#include "share/share.h"

#if HAVE_SHARE_CONSUMER

#include <string.h>

#include "client/callbacks.h"
#include "client/exceptions.h"
#include "client/failure.h"
#include "client/guard.h"
#include "client/registry.h"
#include "client/serve.h"
#include "values/topic_partition.h"

/* ---- requests with acknowledgements ---- */

enum acknowledgement_state {
    UNSENT,   /* will be sent with the next request */
    SENT,     /* nobody waits for the answer */
    AWAITED,  /* commit_sync() waits for the answer */
    ANSWERED, /* the answer has arrived: err */
};

static enum acknowledgement_state
state_of(const rd_kafka_topic_partition_t *entry)
{
    return (enum acknowledgement_state)(uintptr_t)entry->opaque;
}

static void
set_state(rd_kafka_topic_partition_t *entry, enum acknowledgement_state state)
{
    entry->opaque = (void *)(uintptr_t)state;
}

/* Moves all entries from state `from` to state `to`; returns how many there are. */
static int
advance(ShareConsumer *self, enum acknowledgement_state from, enum acknowledgement_state to)
{
    int moved = 0;
    for (int i = 0; i < self->acknowledgements->cnt; i++) {
        rd_kafka_topic_partition_t *entry = &self->acknowledgements->elems[i];
        if (state_of(entry) == from) {
            set_state(entry, to);
            moved++;
        }
    }
    return moved;
}

void
share_acknowledgements_sent(ShareConsumer *self)
{
    advance(self, UNSENT, SENT);
}

/* Records that the record at `offset` will be acknowledged in the next request. */
static void
note_acknowledged(ShareConsumer *self, const char *topic, int32_t partition, int64_t offset)
{
    rd_kafka_topic_partition_list_t *list = self->acknowledgements;
    for (int i = list->cnt; i-- > 0 && state_of(&list->elems[i]) == UNSENT;) {
        rd_kafka_topic_partition_t *entry = &list->elems[i];
        if (entry->partition == partition && strcmp(entry->topic, topic) == 0) {
            return; /* any offset of the request identifies it */
        }
    }
    rd_kafka_topic_partition_t *entry =
        rd_kafka_topic_partition_list_add(list, topic, partition);
    entry->offset = offset;
    set_state(entry, UNSENT);
}

void
share_handed_out(ShareConsumer *self, const rd_kafka_messages_t *batch)
{
    const rd_kafka_message_t *last = NULL;
    for (size_t i = 0; !self->explicit_mode && i < rd_kafka_messages_count(batch); i++) {
        const rd_kafka_message_t *rkm = rd_kafka_messages_get(batch, i);
        if (last == NULL || rkm->rkt != last->rkt || rkm->partition != last->partition) {
            note_acknowledged(self, rd_kafka_topic_name(rkm->rkt), rkm->partition,
                              rkm->offset);
        }
        last = rkm;
    }
}

static bool
has_offset(const rd_kafka_share_partition_offsets_t *answer, int64_t offset)
{
    const int64_t *offsets = rd_kafka_share_partition_offsets_offsets(answer);
    size_t count = rd_kafka_share_partition_offsets_offsets_cnt(answer);
    for (size_t i = 0; i < count; i++) {
        if (offsets[i] == offset) {
            return true;
        }
    }
    return false;
}

/*
 * Records the answer to one or several requests for a partition, which librdkafka may have
 * merged. A record that was released and acquired again can be in two requests. The earlier request
 * is answered before the later one, so this answer belongs to the first entry that has none yet.
 */
static void
note_answer(ShareConsumer *self, const rd_kafka_share_partition_offsets_t *answer,
            rd_kafka_resp_err_t code)
{
    const rd_kafka_topic_partition_t *of = rd_kafka_share_partition_offsets_partition(answer);
    rd_kafka_topic_partition_list_t *list = self->acknowledgements;
    int64_t last = RD_KAFKA_OFFSET_INVALID;
    for (int i = 0; i < list->cnt;) {
        rd_kafka_topic_partition_t *entry = &list->elems[i];
        if (state_of(entry) == ANSWERED || entry->partition != of->partition
            || entry->offset == last || strcmp(entry->topic, of->topic) != 0
            || !has_offset(answer, entry->offset)) {
            i++;
            continue;
        }
        last = entry->offset;
        if (state_of(entry) == AWAITED) {
            set_state(entry, ANSWERED);
            entry->err = code;
            i++;
        }
        else {
            rd_kafka_topic_partition_list_del_by_idx(list, i);
        }
    }
}

/* ---- the callback ---- */

/* KafkaException(KafkaError(code)), or None without an error; new reference. */
static PyObject *
exception_or_none(module_state *state, rd_kafka_resp_err_t code)
{
    PyObject *error = kafka_error_or_none(state, code, NULL);
    if (error == NULL || error == Py_None) {
        return error;
    }
    PyObject *exception = PyObject_CallOneArg(state->KafkaException, error);
    Py_DECREF(error);
    return exception;
}

/* A TopicPartition with only topic and partition, and the error if there is one. */
static PyObject *
partition_key(module_state *state, const rd_kafka_topic_partition_t *of,
              rd_kafka_resp_err_t code)
{
    rd_kafka_topic_partition_t plain = {
        .topic = of->topic,
        .partition = of->partition,
        .offset = RD_KAFKA_OFFSET_INVALID,
        .err = code,
    };
    return topic_partition_from(state, &plain);
}

static PyObject *
offsets_as_set(const rd_kafka_share_partition_offsets_t *answer)
{
    const int64_t *offsets = rd_kafka_share_partition_offsets_offsets(answer);
    size_t count = rd_kafka_share_partition_offsets_offsets_cnt(answer);
    PyObject *set = PySet_New(NULL);
    for (size_t i = 0; set != NULL && i < count; i++) {
        PyObject *offset = PyLong_FromLongLong(offsets[i]);
        if (offset == NULL || PySet_Add(set, offset) < 0) {
            Py_CLEAR(set);
        }
        Py_XDECREF(offset);
    }
    return set;
}

/* Stores `value` under `key` (both stolen, NULL: an exception is set): 0 or -1. */
static int
store(PyObject *dict, PyObject *key, PyObject *value)
{
    int result = key == NULL || value == NULL ? -1 : PyDict_SetItem(dict, key, value);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return result;
}

/* {TopicPartition: set of int}; new reference or NULL. */
static PyObject *
answers_as_dict(module_state *state, const rd_kafka_share_partition_offsets_list_t *answers)
{
    PyObject *dict = PyDict_New();
    size_t count = rd_kafka_share_partition_offsets_list_count(answers);
    for (size_t i = 0; dict != NULL && i < count; i++) {
        const rd_kafka_share_partition_offsets_t *answer =
            rd_kafka_share_partition_offsets_list_get(answers, i);
        const rd_kafka_topic_partition_t *of =
            rd_kafka_share_partition_offsets_partition(answer);
        if (store(dict, partition_key(state, of, RD_KAFKA_RESP_ERR_NO_ERROR),
                  offsets_as_set(answer)) < 0) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

/* Runs the application's callback, if there is one; an exception stays set. */
static void
call_callback(ShareConsumer *self, const rd_kafka_share_partition_offsets_list_t *answers,
              rd_kafka_resp_err_t code)
{
    if (self->on_acknowledged == NULL) {
        return;
    }
    PyObject *callback = Py_NewRef(self->on_acknowledged);
    PyObject *offsets = answers_as_dict(self->client.state, answers);
    PyObject *exception =
        offsets == NULL ? NULL : exception_or_none(self->client.state, code);
    if (exception != NULL) {
        Py_XDECREF(PyObject_CallFunctionObjArgs(callback, offsets, exception, NULL));
    }
    Py_XDECREF(exception);
    Py_XDECREF(offsets);
    Py_DECREF(callback);
}

void
share_acknowledged(rd_kafka_share_t *Py_UNUSED(share),
                   rd_kafka_share_partition_offsets_list_t *partitions,
                   rd_kafka_resp_err_t code, void *opaque)
{
    callback_scope scope;
    if (partitions == NULL || !callback_begin(&scope, opaque)) {
        return;
    }
    ShareConsumer *self = (ShareConsumer *)scope.client;
    size_t count = rd_kafka_share_partition_offsets_list_count(partitions);
    for (size_t i = 0; i < count; i++) {
        note_answer(self, rd_kafka_share_partition_offsets_list_get(partitions, i), code);
    }
    call_callback(self, partitions, code);
    callback_end(&scope);
}

PyDoc_STRVAR(set_callback_doc,
"set_acknowledgement_commit_callback($self, /, callback)\n--\n\n"
"Set the callback for the brokers' answers to acknowledgements.\n\n"
"It is called inside poll(), commit_sync(), commit_async(), renew() and close(), once for each\n"
"partition of each answer. The only method of this consumer that it may call is wakeup(). Its\n"
"exception is raised by the call that ran it, or by the next poll().\n\n"
"Args:\n"
"    callback (callable(dict, KafkaException or None), or None): called with a dict of\n"
"        TopicPartition to a set of int, the offsets, and with their error. None removes the\n"
"        callback.\n\n"
"Raises:\n"
"    IllegalStateException: the consumer is closed, or the call comes from one of its callbacks.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n\n"
"librdkafka: rd_kafka_share_set_acknowledgement_commit_cb().");

SIGNATURE(set_callback_signature, "set_acknowledgement_commit_callback()", 1, 1, P_callback);

static PyObject *
set_callback(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    ShareConsumer *self = (ShareConsumer *)object;
    PyObject *values[1];
    PyObject *callback;
    serve_frame frame;
    if (client_args(&self->client, &set_callback_signature, args, nargs, kwnames, values)
            < 0
        || arg_callable(values[0], "callback", &callback) < 0
        || share_begin(self, &frame, "set_acknowledgement_commit_callback()") < 0) {
        return NULL;
    }
    PyObject *before = self->on_acknowledged;
    self->on_acknowledged = Py_XNewRef(callback);
    share_end(self, &frame);
    Py_XDECREF(before);
    Py_RETURN_NONE;
}

/* ---- acknowledge ---- */

/* The last type of acknowledgement that this librdkafka has. */
#ifdef RD_KAFKA_HAS_SHARE_RENEWAL
#define LAST_TYPE RD_KAFKA_SHARE_ACKNOWLEDGE_TYPE_RENEW
#else
#define LAST_TYPE RD_KAFKA_SHARE_ACKNOWLEDGE_TYPE_REJECT
#endif

/* `object` may be NULL, which means the default. 0, or -1 with an exception. */
static int
arg_ack_type(PyObject *object, int32_t *type)
{
    *type = RD_KAFKA_SHARE_ACKNOWLEDGE_TYPE_ACCEPT;
    if (object == NULL) {
        return 0;
    }
    return arg_int32(object, "ack_type", RD_KAFKA_SHARE_ACKNOWLEDGE_TYPE_ACCEPT,
                     LAST_TYPE, type);
}

static void
raise_acknowledge_error(ShareConsumer *self, rd_kafka_resp_err_t code, const char *function,
                        const char *topic, int32_t partition, int64_t offset)
{
    module_state *state = self->client.state;
    if (code != RD_KAFKA_RESP_ERR__STATE) {
        raise_kafka_error(state, code, "%s: %s", function, rd_kafka_err2str(code));
    }
    else if (!self->explicit_mode) {
        PyErr_Format(state->IllegalStateException,
                     "%s needs share.acknowledgement.mode=explicit: in implicit mode the next "
                     "poll() or commit accepts all records",
                     function);
    }
    else {
        PyErr_Format(state->IllegalStateException,
                     "%s: %s [%d] at offset %lld is not a record that waits for an "
                     "acknowledgement: the last poll() has not returned it, or its "
                     "acknowledgement has been sent",
                     function, topic, (int)partition, (long long)offset);
    }
}

static int
acknowledge_at(ShareConsumer *self, const char *function, const char *topic,
               int32_t partition, int64_t offset, int32_t type)
{
    serve_frame frame;
    if (share_begin(self, &frame, function) < 0) {
        return -1;
    }
    /* The call only looks up the record and does not wait, so the GIL may be held. */
    rd_kafka_resp_err_t code = rd_kafka_share_acknowledge_offset(
        self->share, topic, partition, offset, (rd_kafka_share_AcknowledgeType_t)type);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        note_acknowledged(self, topic, partition, offset);
    }
    else {
        raise_acknowledge_error(self, code, function, topic, partition, offset);
    }
    share_end(self, &frame);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR ? 0 : -1;
}

PyDoc_STRVAR(acknowledge_doc,
"acknowledge($self, /, message, ack_type=1)\n--\n\n"
"Acknowledge a record (explicit mode).\n\n"
"The next poll(), commit_sync(), commit_async(), renew() or close() sends the acknowledgement.\n"
"Until then, a later call for the same record replaces it.\n\n"
"Args:\n"
"    message (Message): a record that the last poll() returned.\n"
"    ack_type (AcknowledgeType): ACCEPT: the record is processed. RELEASE: deliver it again, to\n"
"        any member. REJECT: never deliver it again. RENEW: you are still processing it, and its\n"
"        lock starts again. Acknowledge it again later, before or after the next poll()\n"
"        (KIP-1222, brokers from version 4.2 on).\n\n"
"Raises:\n"
"    IllegalStateException: the mode is implicit, the record does not wait for an\n"
"        acknowledgement, the consumer is closed, or the call comes from one of its callbacks.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n"
"    TypeError, ValueError, OverflowError: an argument has a wrong type or value, or the message\n"
"        has no partition and offset.\n\n"
"librdkafka: rd_kafka_share_acknowledge_offset().");

SIGNATURE(acknowledge_signature, "acknowledge()", 1, 2, P_message, P_ack_type);

static PyObject *
acknowledge(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    ShareConsumer *self = (ShareConsumer *)object;
    module_state *state = self->client.state;
    PyObject *values[2], *topic;
    int32_t type, partition, leader_epoch;
    int64_t offset;
    if (client_args(&self->client, &acknowledge_signature, args, nargs, kwnames, values) < 0
        || arg_ack_type(values[1], &type) < 0) {
        return NULL;
    }
    if (!PyObject_TypeCheck(values[0], state->Message)) {
        PyErr_Format(PyExc_TypeError, "message must be a Message, not %.100s",
                     Py_TYPE(values[0])->tp_name);
        return NULL;
    }
    const char *name;
    if (message_position(values[0], &topic, &name, &partition, &offset, &leader_epoch) < 0) {
        return NULL;
    }
    int failed = partition < 0 || offset < 0;
    if (failed) {
        PyErr_SetString(PyExc_ValueError, "message has no partition and offset: only consumed "
                                          "messages can be acknowledged");
    }
    else {
        failed = acknowledge_at(self, "acknowledge()", name, partition, offset, type) < 0;
    }
    Py_DECREF(topic);
    return failed ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(acknowledge_offset_doc,
"acknowledge_offset($self, /, topic, partition, offset, ack_type=1)\n"
"--\n\n"
"Acknowledge a record without its Message; see acknowledge().\n\n"
"Args:\n"
"    topic (str): the topic of the record.\n"
"    partition, offset (int): the partition and offset of the record.\n"
"    ack_type (AcknowledgeType): see acknowledge().\n\n"
"Raises:\n"
"    IllegalStateException, ConcurrentModificationException: as for acknowledge().\n"
"    TypeError, ValueError, OverflowError: an argument has a wrong type or value.\n\n"
"librdkafka: rd_kafka_share_acknowledge_offset().");

SIGNATURE(acknowledge_offset_signature, "acknowledge_offset()", 3, 4, P_topic, P_partition,
          P_offset, P_ack_type);

static PyObject *
acknowledge_offset(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    ShareConsumer *self = (ShareConsumer *)object;
    PyObject *values[4];
    int32_t partition, type;
    int64_t offset;
    if (client_args(&self->client, &acknowledge_offset_signature, args, nargs, kwnames,
                   values) < 0
        || arg_int32(values[1], "partition", 0, INT32_MAX, &partition) < 0
        || arg_int64(values[2], "offset", 0, INT64_MAX, &offset) < 0
        || arg_ack_type(values[3], &type) < 0) {
        return NULL;
    }
    const char *topic = arg_utf8(values[0], "topic", NULL);
    if (topic == NULL
        || acknowledge_at(self, "acknowledge_offset()", topic, partition, offset, type) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- commit and renewal ---- */

/* Sends acknowledgements and serves waiting callbacks: 0, or -1. */
static int
send_acknowledged(ShareConsumer *self)
{
    rd_kafka_error_t *error;
    if (self->batch != NULL && !self->explicit_mode) {
        PyErr_SetString(self->client.state->IllegalStateException,
                        "the last poll() raised and has not returned its records, which this "
                        "call would accept: call poll() again first");
        return -1;
    }
    serve_release_gil(&self->client);
    error = rd_kafka_share_commit_async(self->share);
    serve_take_gil(&self->client);
    return client_raise_if_error(&self->client, error);
}

PyDoc_STRVAR(commit_async_doc,
"commit_async($self, /)\n--\n\n"
"Send acknowledgements now, without waiting for the answers.\n\n"
"In implicit mode it first accepts the records of the last poll(). The callback of\n"
"set_acknowledgement_commit_callback() gets the answers. After an error, nothing is sent again:\n"
"the brokers deliver the records again when their locks have expired.\n\n"
"Raises:\n"
"    IllegalStateException: the consumer is closed, or the call comes from one of its callbacks.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n"
"    Exception: a callback raised it; the acknowledgements are sent all the same.\n\n"
"librdkafka: rd_kafka_share_commit_async().");

static PyObject *
commit_async(PyObject *object, PyObject *Py_UNUSED(unused))
{
    ShareConsumer *self = (ShareConsumer *)object;
    serve_frame frame;
    if (share_begin(self, &frame, "commit_async()") < 0) {
        return NULL;
    }
    int failed = send_acknowledged(self);
    if (failed == 0) {
        share_acknowledgements_sent(self);
        failed = serve_raise_parked(&self->client);
    }
    share_end(self, &frame);
    return failed < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(renew_doc,
"renew($self, /)\n--\n\n"
"Renew the locks of all records that wait for an acknowledgement (explicit mode).\n\n"
"Each lock starts again when the broker gets the request. Acknowledgements that have not been\n"
"sent are sent, too. renew() does not wait for the answers: the callback of\n"
"set_acknowledgement_commit_callback() gets them. With brokers older than version 4.2, the error\n"
"is _UNSUPPORTED_FEATURE.\n\n"
"Returns:\n"
"    int: how many records wait for an acknowledgement.\n\n"
"Raises:\n"
"    IllegalStateException: the mode is implicit, the consumer is closed, or the call comes from\n"
"        one of its callbacks.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n"
"    KafkaException: _NOT_IMPLEMENTED: this librdkafka does not have our patch.\n"
"    Exception: a callback raised it; the locks are renewed all the same.\n\n"
"librdkafka: rd_kafka_share_renew(), rd_kafka_share_commit_async() (KIP-1222).");

/* Marks the records: how many there are, or -1 with an exception. */
static Py_ssize_t
mark_renewed(ShareConsumer *self)
{
#ifdef RD_KAFKA_HAS_SHARE_RENEWAL
    size_t count;
    /* The call only marks records and does not wait, so the GIL may be held. */
    rd_kafka_resp_err_t code = rd_kafka_share_renew(self->share, &count);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return (Py_ssize_t)count;
    }
    raise_kafka_error(self->client.state, code, "renew(): %s", rd_kafka_err2str(code));
#else
    raise_kafka_error(self->client.state, RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED,
                      "renew() needs the package's own librdkafka: the one that it was built "
                      "with cannot renew locks");
#endif
    return -1;
}

static PyObject *
renew(PyObject *object, PyObject *Py_UNUSED(unused))
{
    ShareConsumer *self = (ShareConsumer *)object;
    serve_frame frame;
    if (share_begin(self, &frame, "renew()") < 0) {
        return NULL;
    }
    Py_ssize_t count = -1;
    if (!self->explicit_mode) {
        PyErr_SetString(self->client.state->IllegalStateException,
                        "renew() needs share.acknowledgement.mode=explicit");
    }
    else {
        count = mark_renewed(self);
    }
    if (count >= 0 && send_acknowledged(self) < 0) {
        count = -1;
    }
    if (count >= 0) {
        share_acknowledgements_sent(self);
        count = serve_raise_parked(&self->client) < 0 ? -1 : count;
    }
    share_end(self, &frame);
    return count < 0 ? NULL : PyLong_FromSsize_t(count);
}

PyDoc_STRVAR(lock_timeout_doc,
"acquisition_lock_timeout_ms($self, /)\n--\n\n"
"The duration of the locks of records: the group's share.record.lock.duration.ms.\n\n"
"Returns:\n"
"    int or None: milliseconds, as the latest poll() got them from a broker. None before that,\n"
"    and with a librdkafka that does not have our patch.\n\n"
"Raises:\n"
"    IllegalStateException: the consumer is closed, or the call comes from one of its callbacks.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n\n"
"librdkafka: rd_kafka_share_acquisition_lock_timeout_ms() (KIP-1222).");

static PyObject *
lock_timeout(PyObject *object, PyObject *Py_UNUSED(unused))
{
    ShareConsumer *self = (ShareConsumer *)object;
    serve_frame frame;
    int milliseconds = -1;
    if (share_begin(self, &frame, "acquisition_lock_timeout_ms()") < 0) {
        return NULL;
    }
#ifdef RD_KAFKA_HAS_SHARE_RENEWAL
    milliseconds = rd_kafka_share_acquisition_lock_timeout_ms(self->share);
#endif
    share_end(self, &frame);
    return milliseconds < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(milliseconds);
}

static int
count_awaited(const ShareConsumer *self)
{
    int count = 0;
    for (int i = 0; i < self->acknowledgements->cnt; i++) {
        count += state_of(&self->acknowledgements->elems[i]) == AWAITED;
    }
    return count;
}

/* Serves callbacks until all answers have arrived or time is up: 0, or -1 with an exception. */
static int
wait_for_answers(ShareConsumer *self, deadline *until)
{
    Client *client = &self->client;
    while (count_awaited(self) > 0 && !deadline_passed(until)) {
        int go_on = serve_check(client);
        if (go_on < 0) {
            return -1;
        }
        if (!go_on) {
            if (!client_end_thread_at_exit(client)) {
                bool open = client_is_open(client);
                raise_kafka_error(client->state, RD_KAFKA_RESP_ERR__INTR,
                                  "commit_sync() was interrupted by %s: the acknowledgements "
                                  "are sent, but their answers are not known",
                                  open ? "wakeup()" : "close()");
            }
            return -1;
        }
        atomic_store(&self->waits, true);
        serve_release_gil(client);
        rd_kafka_poll(client->rk, deadline_remaining_ms(until, WAIT_SLICE_MS));
        atomic_store(&self->waits, false);
        serve_take_gil(client);
    }
    return serve_raise_parked(client);
}

/* {TopicPartition: KafkaException or None} for the awaited entries, or NULL. */
static PyObject *
results_as_dict(const ShareConsumer *self)
{
    module_state *state = self->client.state;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict != NULL && i < self->acknowledgements->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &self->acknowledgements->elems[i];
        rd_kafka_resp_err_t code = entry->err;
        if (state_of(entry) == AWAITED) {
            code = RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT;
        }
        else if (state_of(entry) != ANSWERED) {
            continue;
        }
        if (store(dict, partition_key(state, entry, code), exception_or_none(state, code))
            < 0) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

/* Marks that nobody waits for the answers any more. */
static void
end_waiting(ShareConsumer *self)
{
    rd_kafka_topic_partition_list_t *list = self->acknowledgements;
    for (int i = list->cnt; i-- > 0;) {
        if (state_of(&list->elems[i]) == ANSWERED) {
            rd_kafka_topic_partition_list_del_by_idx(list, i);
        }
    }
    advance(self, AWAITED, SENT);
}

PyDoc_STRVAR(commit_sync_doc,
"commit_sync($self, /, timeout=60)\n--\n\n"
"Send acknowledgements now, and wait for the brokers' answers.\n\n"
"In implicit mode it first accepts the records of the last poll(). After an error, nothing is\n"
"sent again: the brokers deliver the records again when their locks have expired.\n\n"
"Args:\n"
"    timeout (float): seconds to wait for all answers; -1 waits without limit.\n\n"
"Returns:\n"
"    dict of TopicPartition to KafkaException or None: An entry for each partition whose records\n"
"    were acknowledged since the last sending, with its error, or None. REQUEST_TIMED_OUT: no\n"
"    answer arrived in time. Empty if there were no acknowledgements.\n\n"
"Raises:\n"
"    IllegalStateException: the consumer is closed, or the call comes from one of its callbacks.\n"
"    ConcurrentModificationException: another thread is inside a call of this consumer.\n"
"    KafkaException: _INTR after wakeup().\n"
"    Exception: a callback raised it; the acknowledgements are sent all the same.\n\n"
"librdkafka: rd_kafka_share_commit_async(), rd_kafka_poll(). Not\n"
"rd_kafka_share_commit_sync(), which cannot be interrupted.");

SIGNATURE(commit_sync_signature, "commit_sync()", 0, 1, P_timeout);

static PyObject *
commit_and_wait(ShareConsumer *self, deadline *until)
{
    PyObject *results = NULL;
    /* Answers may arrive while acknowledgements are being sent. */
    advance(self, UNSENT, AWAITED);
    if (send_acknowledged(self) < 0) {
        advance(self, AWAITED, UNSENT);
        return NULL;
    }
    if (wait_for_answers(self, until) == 0) {
        results = results_as_dict(self);
    }
    end_waiting(self);
    return results;
}

static PyObject *
commit_sync(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    ShareConsumer *self = (ShareConsumer *)object;
    PyObject *values[1];
    deadline until = deadline_after(60);
    serve_frame frame;
    if (client_args(&self->client, &commit_sync_signature, args, nargs, kwnames, values)
            < 0
        || (values[0] != NULL && deadline_from_arg(values[0], "timeout", &until) < 0)
        || share_begin(self, &frame, "commit_sync()") < 0) {
        return NULL;
    }
    frame.waits = !deadline_passed(&until);
    PyObject *results = commit_and_wait(self, &until);
    share_end(self, &frame);
    return results;
}

PyMethodDef share_acknowledge_methods[] = {
    {"acknowledge", WITH_KEYWORDS(acknowledge), acknowledge_doc},
    {"acknowledge_offset", WITH_KEYWORDS(acknowledge_offset), acknowledge_offset_doc},
    {"commit_sync", WITH_KEYWORDS(commit_sync), commit_sync_doc},
    {"commit_async", commit_async, METH_NOARGS, commit_async_doc},
    {"renew", renew, METH_NOARGS, renew_doc},
    {"acquisition_lock_timeout_ms", lock_timeout, METH_NOARGS, lock_timeout_doc},
    {"set_acknowledgement_commit_callback", WITH_KEYWORDS(set_callback), set_callback_doc},
    {NULL, NULL, 0, NULL},
};

#endif

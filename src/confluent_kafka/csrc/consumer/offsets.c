/*
 * Committing offsets: commit() and store_offsets().
 */
#include "consumer/consumer.h"

#include <stdio.h>
#include <string.h>

#include "client/callbacks.h"
#include "client/failure.h"
#include "client/guard.h"
#include "client/registry.h"
#include "client/serve.h"
#include "client/signals.h"
#include "values/offset_rules.h"
#include "values/topic_partition.h"

/* ---- offsets from arguments ---- */

/* A message with an error is not a record: 0, or -1 with an exception; `verb` is for its text. */
static int
refuse_error(Consumer *self, PyObject *message, const char *verb)
{
    module_state *state = self->client.state;
    PyObject *error = message_error(message);
    if (error == NULL || error == Py_None) {
        Py_XDECREF(error);
        return error == NULL ? -1 : 0;
    }
    PyObject *reason = PyObject_TypeCheck(error, state->KafkaError) ? kafka_error_reason(error)
                                                                    : PyObject_Str(error);
    Py_DECREF(error);
    if (reason != NULL) {
        raise_kafka_error(state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                          "Cannot %s offsets for message with error: '%U'", verb, reason);
        Py_DECREF(reason);
    }
    return -1;
}

/* If the message has no offset, RD_KAFKA_OFFSET_STORED: librdkafka does not commit it, and drops
 * the stored offset. */
static int64_t
offset_after(int64_t offset)
{
    return offset < 0 || offset == INT64_MAX ? RD_KAFKA_OFFSET_STORED : offset + 1;
}

/* The offset after `message`, as a list of one; NULL with an exception. */
static rd_kafka_topic_partition_list_t *
offsets_after_message(Consumer *self, PyObject *message, const char *verb)
{
    if (!PyObject_TypeCheck(message, self->client.state->Message)) {
        PyErr_Format(PyExc_TypeError, "message must be Message, not %.100s",
                     Py_TYPE(message)->tp_name);
        return NULL;
    }
    PyObject *topic;
    const char *name;
    int32_t partition, leader_epoch;
    int64_t offset;
    if (refuse_error(self, message, verb) < 0
        || message_position(message, &topic, &name, &partition, &offset, &leader_epoch) < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_t *entry =
        rd_kafka_topic_partition_list_add(list, name, partition);
    entry->offset = offset_after(offset);
    rd_kafka_topic_partition_set_leader_epoch(entry, leader_epoch);
    Py_DECREF(topic);
    return list;
}

/*
 * The offsets to `verb` ("commit", "store"), from `message` or `offsets`, of which at most one may
 * be given. 0 with `*list` to be destroyed (NULL if neither was given), or -1 with an exception.
 */
static int
offsets_from_args(Consumer *self, const char *verb, PyObject *message, PyObject *offsets,
                  rd_kafka_topic_partition_list_t **list)
{
    bool has_message = message != NULL && message != Py_None;
    bool has_offsets = offsets != NULL && offsets != Py_None;
    *list = NULL;
    if (has_message && has_offsets) {
        PyErr_SetString(PyExc_ValueError,
                        "message and offsets are mutually exclusive");
        return -1;
    }
    if (has_message) {
        *list = offsets_after_message(self, message, verb);
    }
    else if (has_offsets) {
        *list = topic_partitions_to_c(self->client.state, offsets, "offsets");
    }
    return *list == NULL && (has_message || has_offsets) ? -1 : 0;
}

/* ---- commit ---- */

void
consumer_commit_cb(rd_kafka_t *Py_UNUSED(rk), rd_kafka_resp_err_t code,
                   rd_kafka_topic_partition_list_t *offsets, void *opaque)
{
    callback_scope scope;
    if (!callback_begin(&scope, opaque)) {
        return;
    }
    Consumer *self = (Consumer *)scope.client;
    module_state *state = self->client.state;
    PyObject *error = kafka_error_or_none(state, code, NULL);
    PyObject *list = error == NULL ? NULL : topic_partitions_from(state, offsets);
    if (list != NULL) {
        PyObject *callback = Py_NewRef(self->on_commit);
        PyObject *arguments[] = {error, list};
        Py_XDECREF(PyObject_Vectorcall(callback, arguments, 2, NULL));
        Py_DECREF(callback);
    }
    Py_XDECREF(error);
    Py_XDECREF(list);
    callback_end(&scope);
}

/* The answer to a synchronous commit, filled in without Python. */
typedef struct {
    bool answered;
    rd_kafka_resp_err_t code;
    rd_kafka_topic_partition_list_t *offsets;
} commit_answer;

static void
on_commit_answer(rd_kafka_t *Py_UNUSED(rk), rd_kafka_resp_err_t code,
                 rd_kafka_topic_partition_list_t *offsets, void *opaque)
{
    commit_answer *answer = opaque;
    answer->answered = true;
    answer->code = code;
    answer->offsets = offsets == NULL ? NULL : rd_kafka_topic_partition_list_copy(offsets);
}

/*
 * Waits on a queue of its own, in slices: 0 answered, -1 exception. The queue is destroyed before
 * `answer` is, so that a late answer does not call anything.
 */
static int
wait_for_commit(Client *client, rd_kafka_queue_t *queue, commit_answer *answer, deadline *until)
{
    while (!answer->answered) {
        /* Asked before polling: if the group has been left, an earlier answer is in the queue. */
        bool group_left = rd_kafka_consumer_closed(client->rk);
        Py_BEGIN_ALLOW_THREADS
        rd_kafka_queue_poll_callback(
            queue, group_left ? 0 : deadline_remaining_ms(until, WAIT_SLICE_MS));
        Py_END_ALLOW_THREADS
        if (!answer->answered && group_left) {
            raise_kafka_error(client->state, RD_KAFKA_RESP_ERR__DESTROY,
                              "Commit failed: the consumer has left its group");
            return -1;
        }
        if (!answer->answered && client_check_signals(client) < 0) {
            return -1;
        }
        if (!answer->answered && deadline_passed(until)) {
            raise_kafka_error(client->state, RD_KAFKA_RESP_ERR__TIMED_OUT,
                              "Commit timed out: whether the offsets are committed is not known");
            return -1;
        }
        if (!answer->answered && client_interrupted(client)) {
            if (!client_end_thread_at_exit(client)) {
                raise_kafka_error(client->state, RD_KAFKA_RESP_ERR__INTR,
                                  "commit() was interrupted by wakeup() or close(): whether "
                                  "the offsets are committed is not known");
            }
            return -1;
        }
    }
    return 0;
}

/* Whether a commit was refused for some partitions only, or for several reasons. */
static bool
is_mixed(const rd_kafka_topic_partition_list_t *offsets)
{
    for (int i = 1; offsets != NULL && i < offsets->cnt; i++) {
        if (offsets->elems[i].err != offsets->elems[0].err) {
            return true;
        }
    }
    return false;
}

/* Writes to `text` for which partitions the commit failed and why, as far as there is room. */
static void
describe_failure(const rd_kafka_topic_partition_list_t *offsets, char *text, size_t size)
{
    static const char more[] = ", and more";
    size_t used = (size_t)PyOS_snprintf(text, size, "Commit failed");
    const char *separator = " for";
    for (int i = 0; is_mixed(offsets) && i < offsets->cnt; i++) {
        const rd_kafka_topic_partition_t *each = &offsets->elems[i];
        if (each->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            continue;
        }
        size_t room = size - used - sizeof(more);
        int length = snprintf(text + used, room, "%s %s [%d] (%s)", separator, each->topic,
                              (int)each->partition, rd_kafka_err2str(each->err));
        if (length < 0 || (size_t)length >= room) {
            memcpy(text + used, more, sizeof(more));
            return;
        }
        used += (size_t)length;
        separator = ",";
    }
}

static PyObject *
commit_result(Client *client, const commit_answer *answer)
{
    if (answer->code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        char what[600];
        describe_failure(answer->offsets, what, sizeof(what));
        client_raise_error(client, answer->code, what);
        return NULL;
    }
    return topic_partitions_from(client->state, answer->offsets);
}

static PyObject *
commit_and_wait(Consumer *self, const rd_kafka_topic_partition_list_t *offsets, deadline *until)
{
    Client *client = &self->client;
    commit_answer answer = {0};
    PyObject *result = NULL;
    rd_kafka_queue_t *queue = rd_kafka_queue_new(client->rk);
    rd_kafka_resp_err_t code;
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_commit_queue(client->rk, offsets, queue, on_commit_answer, &answer);
    Py_END_ALLOW_THREADS
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(client->state, code, "Commit failed: %s", rd_kafka_err2str(code));
    }
    else if (wait_for_commit(client, queue, &answer, until) == 0) {
        result = commit_result(client, &answer);
    }
    rd_kafka_queue_destroy(queue);
    if (answer.offsets != NULL) {
        rd_kafka_topic_partition_list_destroy(answer.offsets);
    }
    return result;
}

static PyObject *
commit_in_background(Consumer *self, const rd_kafka_topic_partition_list_t *offsets)
{
    rd_kafka_resp_err_t code;
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_commit(self->client.rk, offsets, 1);
    Py_END_ALLOW_THREADS
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(self->client.state, code, "Commit failed: %s",
                          rd_kafka_err2str(code));
        return NULL;
    }
    Py_RETURN_NONE;
}

/*
 * Commits `offsets`, which it destroys (NULL: the stored offsets), and waits for the answer until
 * `until` (NULL: does not wait).
 */
static PyObject *
commit_offsets(Consumer *self, rd_kafka_topic_partition_list_t *offsets, deadline *until)
{
    PyObject *result = NULL;
    if (client_enter(&self->client) == 0) {
        if (offsets == NULL
            || (check_offsets(self->client.state, offsets, OFFSETS_TO_KEEP, "commit()") == 0
                && fence_check(&self->fence, self->client.state, "Commit", offsets) == 0)) {
            result = until == NULL ? commit_in_background(self, offsets)
                                   : commit_and_wait(self, offsets, until);
        }
        client_leave(&self->client);
    }
    if (offsets != NULL) {
        rd_kafka_topic_partition_list_destroy(offsets);
    }
    return result;
}

PyDoc_STRVAR(commit_doc,
"commit($self, /, message=None, offsets=None, asynchronous=True)\n--\n\n"
"Commit offsets of the group.\n\n"
"Args:\n"
"    message (Message, optional): commit the offset after this message. A message without an\n"
"        offset commits nothing.\n"
"    offsets (list of TopicPartition, optional): commit these offsets; each is the next offset to\n"
"        read. Without message and offsets, the stored offsets are committed. Unless\n"
"        enable.auto.offset.store is false, they are the position() of each partition, even if\n"
"        seek() moved it back.\n"
"    asynchronous (bool): True returns at once, and a later poll() calls on_commit. False waits\n"
"        for the broker. The older name of this argument, async, is now a Python keyword; you can\n"
"        still pass it as ``**{'async': ...}``.\n\n"
"Returns:\n"
"    None, or list of TopicPartition: The committed offsets if asynchronous is false; check the\n"
"    error of each.\n\n"
"Raises:\n"
"    KafkaException: _NO_OFFSET: there is nothing to commit, or a later commit has already\n"
"        committed all of it; _INVALID_ARG: the message has an error; _ASSIGNMENT_LOST: see\n"
"        pause_while(); or an error of the group coordinator. If the commit failed only for some\n"
"        partitions, the text names them, and the other offsets are committed.\n\n"
"librdkafka: rd_kafka_commit(), rd_kafka_commit_queue().");

SIGNATURE(commit_signature, "commit()", 0, 3, P_message, P_offsets, P_asynchronous, P_async);

static PyObject *
commit(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[4];
    rd_kafka_topic_partition_list_t *offsets;
    bool asynchronous = true;
    if (client_args(&self->client, &commit_signature, args, nargs, kwnames, values) < 0
        || (values[3] != NULL && arg_bool(values[3], "async", &asynchronous) < 0)
        || (values[2] != NULL && arg_bool(values[2], "asynchronous", &asynchronous) < 0)
        || offsets_from_args(self, "commit", values[0], values[1], &offsets) < 0) {
        return NULL;
    }
    deadline never = DEADLINE_NEVER;
    return commit_offsets(self, offsets, asynchronous ? NULL : &never);
}

PyDoc_STRVAR(commit_within_doc,
"_commit($self, /, offsets, timeout)\n--\n\n"
"Do commit(offsets=offsets, asynchronous=False), but wait at most this number of seconds. After\n"
"that, raise _TIMED_OUT: it is then unknown whether the offsets are committed.");

SIGNATURE(commit_within_signature, "_commit()", 2, 2, P_offsets, P_timeout);

static PyObject *
commit_within(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[2];
    deadline until;
    if (client_args(&self->client, &commit_within_signature, args, nargs, kwnames, values) < 0
        || deadline_from_arg(values[1], "timeout", &until) < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *offsets =
        topic_partitions_to_c(self->client.state, values[0], "offsets");
    return offsets == NULL ? NULL : commit_offsets(self, offsets, &until);
}

/* ---- store ---- */

PyDoc_STRVAR(store_offsets_doc,
"store_offsets($self, /, message=None, offsets=None)\n--\n\n"
"Store offsets for the next commit, by commit() or enable.auto.commit.\n\n"
"For at-least-once processing, set enable.auto.offset.store to false, and store the offset of a\n"
"message after you have processed it.\n\n"
"Args:\n"
"    message (Message, optional): store the offset after this message. A message without an\n"
"        offset resets the stored offset.\n"
"    offsets (list of TopicPartition, optional): store these offsets. Give either message or\n"
"        offsets.\n\n"
"Raises:\n"
"    KafkaException: _INVALID_ARG: enable.auto.offset.store is on, or the message has an\n"
"        error; _STATE: a partition is not assigned; _ASSIGNMENT_LOST: see\n"
"        pause_while().\n\n"
"librdkafka: rd_kafka_offsets_store().");

SIGNATURE(store_offsets_signature, "store_offsets()", 0, 2, P_message, P_offsets);

/* 0, or -1 with a KafkaException. */
static int
store(Consumer *self, rd_kafka_topic_partition_list_t *offsets)
{
    rd_kafka_resp_err_t code;
    if (self->auto_offset_store) {
        raise_kafka_error(self->client.state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                          "StoreOffsets failed: set 'enable.auto.offset.store' to False to "
                          "store offsets yourself");
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_offsets_store(self->client.rk, offsets);
    Py_END_ALLOW_THREADS
    for (int i = 0; code == RD_KAFKA_RESP_ERR_NO_ERROR && i < offsets->cnt; i++) {
        code = offsets->elems[i].err;
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(self->client.state, code, "StoreOffsets failed: %s",
                          rd_kafka_err2str(code));
        return -1;
    }
    return 0;
}

static PyObject *
store_offsets(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[2];
    rd_kafka_topic_partition_list_t *offsets;
    if (client_args(&self->client, &store_offsets_signature, args, nargs, kwnames, values) < 0
        || offsets_from_args(self, "store", values[0], values[1], &offsets) < 0) {
        return NULL;
    }
    if (offsets == NULL) {
        PyErr_SetString(PyExc_ValueError, "expected either message or offsets");
        return NULL;
    }
    int result = client_enter(&self->client);
    if (result == 0) {
        module_state *state = self->client.state;
        result = check_offsets(state, offsets, OFFSETS_TO_KEEP, "store_offsets()");
        result = result < 0 ? result : fence_check(&self->fence, state, "StoreOffsets", offsets);
        result = result < 0 ? result : store(self, offsets);
        client_leave(&self->client);
    }
    rd_kafka_topic_partition_list_destroy(offsets);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(store_taken_doc,
"_store($self, offsets, /)\n--\n\n"
"Store the offsets of messages that _take() returned, unless enable.auto.offset.store is off.\n"
"Partitions that are no longer assigned are skipped.");

static PyObject *
store_taken(PyObject *object, PyObject *argument)
{
    Consumer *self = (Consumer *)object;
    rd_kafka_topic_partition_list_t *offsets =
        topic_partitions_to_c(self->client.state, argument, "offsets");
    if (offsets == NULL) {
        return NULL;
    }
    int result = client_enter(&self->client);
    if (result == 0) {
        if (self->auto_offset_store) {
            Py_BEGIN_ALLOW_THREADS
            /* A revoked partition belongs to its new owner, so it is right that this fails. */
            rd_kafka_offsets_store(self->client.rk, offsets);
            Py_END_ALLOW_THREADS
        }
        client_leave(&self->client);
    }
    rd_kafka_topic_partition_list_destroy(offsets);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyMethodDef consumer_offsets_methods[] = {
    {"commit", WITH_KEYWORDS(commit), commit_doc},
    {"_commit", WITH_KEYWORDS(commit_within), commit_within_doc},
    {"store_offsets", WITH_KEYWORDS(store_offsets), store_offsets_doc},
    {"_store", store_taken, METH_O, store_taken_doc},
    {NULL, NULL, 0, NULL},
};

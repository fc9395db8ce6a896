#include "values/message.h"

#include <string.h>

#include "base/args.h"
#include "base/text.h"
#include "values/error.h"
#include "values/headers.h"
#include "values/last_headers.h"
#include "values/message_object.h"

/* ---- topic names ---- */

void
topic_names_clear(topic_names *cache)
{
    for (int i = 0; i < TOPIC_NAMES; i++) {
        Py_CLEAR(cache->names[i]);
    }
}

int
topic_names_traverse(topic_names *cache, visitproc visit, void *arg)
{
    for (int i = 0; i < TOPIC_NAMES; i++) {
        Py_VISIT(cache->names[i]);
    }
    return 0;
}

/* The names are ASCII, and therefore NUL-terminated char arrays; other names are not cached. */
static bool
is_name(PyObject *kept, const char *name)
{
    return kept != NULL && strcmp((const char *)PyUnicode_1BYTE_DATA(kept), name) == 0;
}

static PyObject *
move_to_front(topic_names *cache, int index)
{
    PyObject *name = cache->names[index];
    cache->current = NULL;
    memmove(&cache->names[1], &cache->names[0], (size_t)index * sizeof(PyObject *));
    cache->names[0] = name;
    return Py_NewRef(name);
}

PyObject *
topic_names_get(topic_names *cache, const rd_kafka_topic_t *topic)
{
    if (topic == cache->current) {
        return Py_NewRef(cache->names[0]);
    }
    const char *name = rd_kafka_topic_name(topic);
    if (is_name(cache->names[0], name)) {
        cache->current = cache->in_batch ? topic : NULL;
        return Py_NewRef(cache->names[0]);
    }
    for (int i = 1; i < TOPIC_NAMES; i++) {
        if (is_name(cache->names[i], name)) {
            return move_to_front(cache, i);
        }
    }
    PyObject *object = text_from(name);
    if (object != NULL && PyUnicode_IS_ASCII(object)) {
        Py_XSETREF(cache->names[TOPIC_NAMES - 1], Py_NewRef(object));
        Py_DECREF(move_to_front(cache, TOPIC_NAMES - 1));
    }
    return object;
}

/* ---- memory ---- */

Message *
message_allocate(module_state *state)
{
    Message *self;
#ifndef Py_GIL_DISABLED
    message_free_list *list = &state->free_messages;
    if (list->count > 0 && list->count < FREE_MESSAGES) {
        self = list->messages[--list->count];
        (void)PyObject_Init((PyObject *)self, state->Message);
    }
    else
#endif
    {
        self = PyObject_GC_New(Message, state->Message);
    }
    if (self != NULL) {
        self->state = state;
    }
    return self;
}

void
message_free(Message *self)
{
    PyTypeObject *type = Py_TYPE(self);
#ifndef Py_GIL_DISABLED
    message_free_list *list = &self->state->free_messages;
    /* One place stays empty, because a full list means that the module is being cleared. */
    if (type == self->state->Message && list->count < FREE_MESSAGES - 1) {
        list->messages[list->count++] = self;
    }
    else
#endif
    {
        type->tp_free(self);
    }
    Py_DECREF(type);
}

/* ---- fields that are converted when read ---- */

void
message_fields_reset(Message *self)
{
    self->topic = self->key = self->value = self->headers = self->error = NULL;
    self->encoded_headers = NULL;
    self->unread_headers = NULL;
    self->borrowed = NULL;
    self->offset = RD_KAFKA_OFFSET_INVALID;
    self->timestamp_ms = 0;
    self->latency = -1.0;
    self->partition = RD_KAFKA_PARTITION_UA;
    self->leader_epoch = -1;
    self->delivery_count = 0;
    self->timestamp_type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
}

void
message_track(Message *self)
{
    if (!PyObject_GC_IsTracked((PyObject *)self)) {
        PyObject_GC_Track(self);
    }
}

/* The field itself if it has been set, otherwise the bytes of the borrowed message. */
static PyObject *
read_bytes(PyObject **field, bool borrowed, const void *data, size_t size)
{
    if (*field == NULL) {
        if (!borrowed) {
            Py_RETURN_NONE;
        }
        *field = bytes_or_none(data, size);
    }
    return Py_XNewRef(*field);
}

PyObject *
message_read_key_lock_held(Message *self)
{
    const rd_kafka_message_t *rkm = self->borrowed;
    return read_bytes(&self->key, rkm != NULL, rkm ? rkm->key : NULL,
                      rkm ? rkm->key_len : 0);
}

PyObject *
message_read_value_lock_held(Message *self)
{
    const rd_kafka_message_t *rkm = self->borrowed;
    return read_bytes(&self->value, rkm != NULL, rkm ? rkm->payload : NULL,
                      rkm ? rkm->len : 0);
}

/* New reference (None for none), or NULL with an exception. */
static PyObject *
convert_headers(Message *self)
{
    if (self->encoded_headers != NULL) {
        return headers_decode(self->state, PyBytes_AS_STRING(self->encoded_headers),
                              (size_t)PyBytes_GET_SIZE(self->encoded_headers),
                              last_headers_take(self->state));
    }
    const rd_kafka_headers_t *source = self->unread_headers;
    rd_kafka_headers_t *borrowed;
    if (self->borrowed != NULL && rd_kafka_message_headers(self->borrowed, &borrowed) == 0) {
        source = borrowed;
    }
    return source == NULL ? Py_NewRef(Py_None) : headers_from(self->state, source);
}

/* Called after headers have been converted. */
static void
note_headers(Message *self)
{
    if (self->headers == Py_None) {
        message_drop_unread_headers(self);
        return;
    }
    message_track(self);
    if (self->encoded_headers != NULL) {
        last_headers_set(self);
    }
    else {
        message_drop_unread_headers(self);
    }
}

PyObject *
message_read_headers_lock_held(Message *self)
{
    if (self->headers == NULL) {
        self->headers = convert_headers(self);
        if (self->headers == NULL) {
            return NULL;
        }
        note_headers(self);
    }
    return Py_NewRef(self->headers);
}

/*
 * Steals `error` (NULL: an exception is set); 0, or -1. After it was raised, it refers to frames,
 * which may refer to the message: so the garbage collector must track the message.
 */
static int
set_error(Message *self, PyObject *error)
{
    if (error == NULL) {
        return -1;
    }
    self->error = error;
    message_track(self);
    return 0;
}

PyObject *
message_read_error_lock_held(Message *self)
{
    const rd_kafka_message_t *rkm = self->borrowed;
    if (self->error == NULL) {
        if (rkm == NULL || rkm->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            Py_RETURN_NONE;
        }
        /* The broker's own text, if it sent one (KIP-467). */
        const char *reason = rd_kafka_message_produce_errstr(rkm);
        if (set_error(self, kafka_error_new(self->state, rkm->err, reason)) < 0) {
            return NULL;
        }
    }
    return Py_NewRef(self->error);
}

void
message_drop_unread_headers(Message *self)
{
    Py_CLEAR(self->encoded_headers);
    if (self->unread_headers != NULL) {
        rd_kafka_headers_destroy(self->unread_headers);
        self->unread_headers = NULL;
    }
}

/* ---- from librdkafka ---- */

/* An untracked message with the fields that consumed messages and delivery reports have. */
static Message *
message_from(module_state *state, topic_names *names, const rd_kafka_message_t *rkm)
{
    Message *self = message_allocate(state);
    if (self == NULL) {
        return NULL;
    }
    message_fields_reset(self);
    if (rkm->rkt != NULL) {
        self->topic = topic_names_get(names, rkm->rkt);
        if (self->topic == NULL) {
            Py_DECREF(self);
            return NULL;
        }
    }
    self->partition = rkm->partition;
    self->offset = rkm->offset;
    rd_kafka_timestamp_type_t type;
    self->timestamp_ms = rd_kafka_message_timestamp(rkm, &type);
    self->timestamp_type = (int32_t)type;
    return self;
}

/* Keeps the encoded headers, because most are never read. 0, or -1. */
static int
copy_headers(Message *self, rd_kafka_message_t *rkm)
{
    const void *data;
    size_t size = rd_kafka_message_encoded_headers(rkm, &data);
    if (size == 0) {
        rd_kafka_message_detach_headers(rkm, &self->unread_headers);
        return 0;
    }
    if (size == 1) {
        return 0; /* the number of headers, which is 0 */
    }
    self->encoded_headers = PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
    return self->encoded_headers == NULL ? -1 : 0;
}

/* Key, value, headers and epoch of a record; 0, or -1 if there is no memory. */
static int
copy_record(Message *self, rd_kafka_message_t *rkm)
{
    self->leader_epoch = rd_kafka_message_leader_epoch(rkm);
    if (rkm->key != NULL
        && (self->key = PyBytes_FromStringAndSize(rkm->key, (Py_ssize_t)rkm->key_len))
               == NULL) {
        return -1;
    }
    if (rkm->payload != NULL
        && (self->value = PyBytes_FromStringAndSize(rkm->payload, (Py_ssize_t)rkm->len))
               == NULL) {
        return -1;
    }
    return copy_headers(self, rkm);
}

/* A consumer error is a message whose value is librdkafka's text of the error. */
static int
copy_error(module_state *state, Message *self, const rd_kafka_message_t *rkm)
{
    if (set_error(self, kafka_error_new(state, rkm->err, rd_kafka_message_errstr(rkm))) < 0) {
        return -1;
    }
    self->value = bytes_or_none(rkm->payload, rkm->len);
    return self->value == NULL ? -1 : 0;
}

PyObject *
message_from_consumed(module_state *state, topic_names *names, rd_kafka_message_t *rkm)
{
    Message *self = message_from(state, names, rkm);
    if (self == NULL) {
        return NULL;
    }
    int failed = rkm->err == RD_KAFKA_RESP_ERR_NO_ERROR ? copy_record(self, rkm)
                                                        : copy_error(state, self, rkm);
    if (failed) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

PyObject *
message_borrow_delivered(module_state *state, topic_names *names,
                         const rd_kafka_message_t *rkm)
{
    Message *self = message_from(state, names, rkm);
    if (self != NULL) {
        self->borrowed = rkm;
    }
    return (PyObject *)self;
}

double
message_read_latency_lock_held(Message *self)
{
    if (self->borrowed != NULL && self->latency < 0) {
        int64_t latency_us = rd_kafka_message_latency(self->borrowed);
        self->latency = latency_us < 0 ? -1.0 : (double)latency_us / 1e6;
    }
    return self->latency;
}

/* Converts unread fields before the delivery report is destroyed. */
static int
keep_unread_lock_held(Message *self)
{
    PyObject *key = message_read_key_lock_held(self);
    PyObject *value = key == NULL ? NULL : message_read_value_lock_held(self);
    PyObject *error = value == NULL ? NULL : message_read_error_lock_held(self);
    if (self->headers == NULL) {
        /* The message is const, but librdkafka is about to free it: detaching the headers is
         * cheaper than copying them. */
        rd_kafka_message_detach_headers((rd_kafka_message_t *)self->borrowed,
                                        &self->unread_headers);
    }
    message_read_latency_lock_held(self);
    self->borrowed = NULL;
    Py_XDECREF(key);
    Py_XDECREF(value);
    Py_XDECREF(error);
    return error == NULL ? -1 : 0;
}

int
message_end_borrow(PyObject *message)
{
    int result = 0;
    if (!compat_uniquely_referenced(message)) {
        Py_BEGIN_CRITICAL_SECTION(message);
        result = keep_unread_lock_held((Message *)message);
        Py_END_CRITICAL_SECTION();
    }
    Py_DECREF(message);
    return result;
}

/* ---- for other files ---- */

int
message_position(PyObject *message, PyObject **topic, const char **name, int32_t *partition,
                 int64_t *offset, int32_t *leader_epoch)
{
    Message *self = (Message *)message;
    Py_BEGIN_CRITICAL_SECTION(message);
    *topic = Py_XNewRef(self->topic);
    Py_END_CRITICAL_SECTION();
    if (*topic == NULL) {
        PyErr_SetString(PyExc_ValueError,
                        "message has no topic: only consumed messages have a position");
        return -1;
    }
    *name = arg_utf8(*topic, "topic of message", NULL);
    if (*name == NULL) {
        Py_CLEAR(*topic);
        return -1;
    }
    *partition = self->partition;
    *offset = self->offset;
    *leader_epoch = self->leader_epoch;
    return 0;
}

PyObject *
message_error(PyObject *message)
{
    PyObject *error;
    Py_BEGIN_CRITICAL_SECTION(message);
    error = message_read_error_lock_held((Message *)message);
    Py_END_CRITICAL_SECTION();
    return error;
}

/*
 * produce(): puts one message into librdkafka's queue.
 */
#include "producer/producer.h"

#include "client/guard.h"
#include "client/registry.h"
#include "client/serve.h"
#include "values/headers.h"

/* ---- topic handles ---- */

static rd_kafka_topic_t *
open_topic(Producer *self, PyObject *name)
{
    Py_ssize_t size;
    const char *text = arg_utf8(name, "topic", &size);
    if (text == NULL) {
        return NULL;
    }
    if (size == 0) {
        PyErr_SetString(PyExc_ValueError, "topic must not be empty");
        return NULL;
    }
    rd_kafka_topic_t *handle = rd_kafka_topic_new(self->client.rk, text, NULL);
    if (handle == NULL) {
        raise_kafka_error(self->client.state, rd_kafka_last_error(), NULL);
        return NULL;
    }
    PyObject *address = PyLong_FromVoidPtr(handle);
    if (address == NULL || PyDict_SetItem(self->topics, name, address) < 0) {
        Py_XDECREF(address);
        rd_kafka_topic_destroy(handle);
        return NULL;
    }
    Py_DECREF(address);
    return handle;
}

/* The handle of the topic, created at the first use; `name` is exactly a str. */
static rd_kafka_topic_t *
find_topic(Producer *self, PyObject *name)
{
    PyObject *address = PyDict_GetItemWithError(self->topics, name);
    if (address != NULL) {
        return PyLong_AsVoidPtr(address);
    }
    return PyErr_Occurred() ? NULL : open_topic(self, name);
}

static rd_kafka_topic_t *
topic_lock_held(Producer *self, PyObject *name)
{
    /* Loops usually produce to one topic with the same str object: then no look-up is needed. */
    if (name == self->last_topic) {
        return self->last_handle;
    }
    if (!PyUnicode_Check(name)) {
        PyErr_Format(PyExc_TypeError, "topic must be str, not %.100s", Py_TYPE(name)->tp_name);
        return NULL;
    }
    /* Keep only the text of a str subclass's object: the object could refer to anything, and could
     * define its own comparison. */
    PyObject *text = PyUnicode_FromObject(name);
    rd_kafka_topic_t *handle = text == NULL ? NULL : find_topic(self, text);
    if (handle == NULL) {
        Py_XDECREF(text);
        return NULL;
    }
    Py_XSETREF(self->last_topic, text);
    self->last_handle = handle;
    return handle;
}

rd_kafka_topic_t *
producer_topic(Producer *self, PyObject *name)
{
    rd_kafka_topic_t *handle;
    /* Threads share last_topic, and two threads must not create two handles of one topic. */
    Py_BEGIN_CRITICAL_SECTION(self);
    handle = topic_lock_held(self, name);
    Py_END_CRITICAL_SECTION();
    return handle;
}

void
producer_release_topics(Producer *self)
{
    Py_CLEAR(self->last_topic);
    self->last_handle = NULL;
    PyObject *name, *address;
    Py_ssize_t position = 0;
    while (self->topics != NULL && PyDict_Next(self->topics, &position, &name, &address)) {
        rd_kafka_topic_destroy(PyLong_AsVoidPtr(address));
    }
    Py_CLEAR(self->topics);
}

/* ---- enqueueing ---- */

static rd_kafka_resp_err_t
enqueue_with_extras(Producer *self, outgoing *message)
{
    rd_kafka_vu_t fields[8];
    size_t count = 0;
    fields[count++] = (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_RKT, .u.rkt = message->topic};
    fields[count++] =
        (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = message->partition};
    fields[count++] =
        (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_VALUE,
                        .u.mem = {(void *)message->value, message->value_size}};
    fields[count++] = (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_KEY,
                                      .u.mem = {(void *)message->key, message->key_size}};
    fields[count++] =
        (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY};
    fields[count++] =
        (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_OPAQUE, .u.ptr = message->recipient};
    if (message->timestamp_ms != 0) {
        fields[count++] = (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_TIMESTAMP,
                                          .u.i64 = message->timestamp_ms};
    }
    if (message->headers != NULL) {
        fields[count++] =
            (rd_kafka_vu_t){.vtype = RD_KAFKA_VTYPE_HEADERS, .u.headers = message->headers};
    }
    rd_kafka_error_t *error = rd_kafka_produceva(self->client.rk, fields, count);
    if (error == NULL) {
        message->headers = NULL; /* librdkafka owns them now */
        return RD_KAFKA_RESP_ERR_NO_ERROR;
    }
    rd_kafka_resp_err_t code = rd_kafka_error_code(error);
    rd_kafka_error_destroy(error);
    return code;
}

rd_kafka_resp_err_t
producer_enqueue(Producer *self, outgoing *message)
{
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    /* Taken before the call, because another thread can serve the report at once. */
    Py_XINCREF(recipient_object(message->recipient));
    if (message->timestamp_ms != 0 || message->headers != NULL) {
        code = enqueue_with_extras(self, message);
    }
    else if (rd_kafka_produce(message->topic, message->partition, RD_KAFKA_MSG_F_COPY,
                              (void *)message->value, message->value_size, message->key,
                              message->key_size, message->recipient)
             != 0) {
        code = rd_kafka_last_error();
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        Py_XDECREF(recipient_object(message->recipient));
    }
    return code;
}

/* The broker has not seen the message: it exceeds the producer's own limit. */
static void
raise_too_large(Producer *self, size_t size)
{
    char limit[32] = "1000000", given[64] = "";
    size_t room = sizeof(limit);
    rd_kafka_conf_get(rd_kafka_conf(self->client.rk), "message.max.bytes", limit, &room);
    if (size > 0) {
        snprintf(given, sizeof(given), "%zu bytes of key and value are ", size);
    }
    raise_kafka_error(self->client.state, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
                      "Unable to produce message: %s: %smore than message.max.bytes of the "
                      "producer allows (%s): raise it, and max.message.bytes of the topic, too",
                      rd_kafka_err2str(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE), given, limit);
}

void
raise_produce_error(Producer *self, rd_kafka_resp_err_t code, size_t size)
{
    if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        if (client_end_thread_at_exit(&self->client)) {
            return;
        }
        PyErr_SetString(PyExc_BufferError,
                        "Local: Queue full: call poll() to serve delivery reports and try "
                        "again, or give produce(block=seconds)");
        return;
    }
    if (code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
        raise_too_large(self, size);
        return;
    }
    /* A transactional producer: the message came between two transactions. */
    bool is_between = code == RD_KAFKA_RESP_ERR__STATE;
    raise_kafka_error(self->client.state, code, "Unable to produce message: %s%s",
                      rd_kafka_err2str(code),
                      is_between ? ": call begin_transaction() first, and before it "
                                   "init_transactions() once"
                                 : "");
}

/* Between serve_begin() and serve_end(): 0 with `*code`, -1 with an exception. */
static int
serve_until_enqueued(Producer *self, outgoing *message, deadline *until,
                     rd_kafka_resp_err_t *code)
{
    while (*code == RD_KAFKA_RESP_ERR__QUEUE_FULL && !deadline_passed(until)) {
        deadline slice = deadline_after(deadline_remaining_ms(until, WAIT_SLICE_MS) / 1000.0);
        if (producer_serve(self, &slice) < 0) {
            return -1;
        }
        *code = producer_enqueue(self, message);
        int go_on = *code == RD_KAFKA_RESP_ERR__QUEUE_FULL ? serve_check(&self->client) : 1;
        if (go_on < 0) {
            return -1;
        }
        if (!go_on) {
            *until = deadline_after(0); /* do not wait for the rest of a batch either */
        }
    }
    return 0;
}

int
producer_enqueue_within(Producer *self, outgoing *message, deadline *until,
                        rd_kafka_resp_err_t *code)
{
    serve_frame frame;
    *code = producer_enqueue(self, message);
    if (*code != RD_KAFKA_RESP_ERR__QUEUE_FULL || until->at_us == 0) {
        return 0;
    }
    int result = serve_begin(&self->client, &frame, until);
    if (result == 1) {
        result = serve_until_enqueued(self, message, until, code);
        serve_end(&self->client, &frame);
    }
    return result;
}

/* ---- produce() ---- */

int
delivery_callback_from_args(PyObject *callback, PyObject *on_delivery, PyObject **result)
{
    PyObject *other;
    if (arg_callable(callback, "callback", result) < 0
        || arg_callable(on_delivery, "on_delivery", &other) < 0) {
        return -1;
    }
    if (other != NULL && *result != NULL && other != *result) {
        PyErr_SetString(PyExc_TypeError,
                        "callback and on_delivery are the same argument: give only one");
        return -1;
    }
    if (other != NULL) {
        *result = other;
    }
    return 0;
}

const char producer_produce_doc[] =
"produce($self, /, topic, value=None, key=None, partition=-1, callback=None,\n"
"        on_delivery=None, timestamp=0, headers=None, *, block=0)\n--\n\n"
"Enqueue a message; a background thread of librdkafka sends it.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    value, key (str, bytes, bytearray, memoryview or None): a str is sent as\n"
"        UTF-8, None as Kafka's null. They are copied before the call returns.\n"
"    partition (int): -1 lets the configured partitioner choose, from the key. If the partition\n"
"        does not exist, the message fails with _UNKNOWN_PARTITION.\n"
"    callback, on_delivery (callable(KafkaError or None, Message), optional): poll(), flush() or\n"
"        close() calls it when the message was delivered or has failed for good. It replaces the\n"
"        client's on_delivery for this message. callback and on_delivery are two names of one\n"
"        argument.\n"
"    timestamp (int): CreateTime in milliseconds since the epoch; 0 means now.\n"
"    headers (dict, or list of (str, value), optional): values as for value.\n"
"    block (float): seconds to wait and serve callbacks while the queue is full; -1 waits without\n"
"        limit, 0 raises BufferError at once. In a delivery callback, set a limit: the messages\n"
"        of the current batch of reports still occupy the queue.\n\n"
"Raises:\n"
"    BufferError: the queue is full (queue.buffering.max.messages or .kbytes).\n"
"    KafkaException: for example MSG_SIZE_TOO_LARGE, _UNKNOWN_PARTITION, _FATAL.\n\n"
"librdkafka: rd_kafka_produce(), rd_kafka_produceva().";

SIGNATURE(produce_signature, "produce()", 1, 8, P_topic, P_value, P_key, P_partition, P_callback,
          P_on_delivery, P_timestamp, P_headers, P_block);

enum { TOPIC, VALUE, KEY, PARTITION, CALLBACK, ON_DELIVERY, TIMESTAMP, HEADERS, BLOCK, COUNT };

/* Converts the arguments whose conversion allocates nothing. */
static int
read_scalars(PyObject **values, outgoing *message, deadline *until)
{
    message->partition = RD_KAFKA_PARTITION_UA;
    if (values[PARTITION] != NULL
        && arg_int32(values[PARTITION], "partition", INT32_MIN, INT32_MAX,
                     &message->partition) < 0) {
        return -1;
    }
    if (values[TIMESTAMP] != NULL
        && arg_int64(values[TIMESTAMP], "timestamp", 0, INT64_MAX, &message->timestamp_ms) < 0) {
        return -1;
    }
    until->at_us = 0;
    if (values[BLOCK] != NULL && deadline_from_arg(values[BLOCK], "block", until) < 0) {
        return -1;
    }
    return 0;
}

/* 0 with librdkafka's answer in `*code`, or -1 with an exception. */
static int
enqueue_message(Producer *self, PyObject *topic, outgoing *message, deadline *until,
                rd_kafka_resp_err_t *code)
{
    if (client_enter(&self->client) < 0) {
        return -1;
    }
    int result = -1;
    message->topic = producer_topic(self, topic);
    if (message->topic != NULL) {
        result = producer_enqueue_within(self, message, until, code);
    }
    client_leave(&self->client);
    return result;
}

/* Enqueues a message for `recipient` from produce()'s arguments; as enqueue_message(). */
static int
enqueue_arguments(Producer *self, PyObject **values, void *recipient,
                  rd_kafka_resp_err_t *code, size_t *size)
{
    outgoing message = {.recipient = recipient};
    deadline until;
    bytes_view value, key = {0};
    if (read_scalars(values, &message, &until) < 0
        || bytes_view_get(values[VALUE], "value", &value) < 0) {
        return -1;
    }
    int result = -1;
    if (bytes_view_get(values[KEY], "key", &key) == 0
        && (values[HEADERS] == NULL || values[HEADERS] == Py_None
            || headers_to_c(values[HEADERS], "headers", &message.headers) == 0)) {
        message.value = value.data;
        message.value_size = value.size;
        message.key = key.data;
        message.key_size = key.size;
        *size = value.size + key.size;
        result = enqueue_message(self, values[TOPIC], &message, &until, code);
    }
    if (message.headers != NULL) {
        rd_kafka_headers_destroy(message.headers);
    }
    bytes_view_release(&value);
    bytes_view_release(&key);
    return result;
}

PyObject *
producer_produce(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[COUNT], *callback;
    rd_kafka_resp_err_t code;
    size_t size;
    if (client_args(&self->client, &produce_signature, args, nargs, kwnames, values) < 0
        || delivery_callback_from_args(values[CALLBACK], values[ON_DELIVERY], &callback) < 0
        || enqueue_arguments(self, values, callback, &code, &size) < 0) {
        return NULL;
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_produce_error(self, code, size);
        return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- _send() ---- */

const char producer_send_doc[] =
"_send($self, future, topic, value, key, partition, timestamp, headers, /)\n--\n\n"
"Enqueue a message whose delivery settles a future, see _settle(). The future may be None. Does\n"
"not wait.\n\n"
"Returns:\n"
"    bool: False if the queue is full; the message has not been enqueued then.\n\n"
"Raises:\n"
"    KafkaException: the message was refused.";

#define SEND_ARGUMENTS 7

int
producer_send_to(Producer *self, void *recipient, PyObject *const *fields)
{
    rd_kafka_resp_err_t code;
    size_t size;
    PyObject *values[COUNT] = {
        [TOPIC] = fields[0],     [VALUE] = fields[1],     [KEY] = fields[2],
        [PARTITION] = fields[3], [TIMESTAMP] = fields[4], [HEADERS] = fields[5],
    };
    if (enqueue_arguments(self, values, recipient, &code, &size) < 0) {
        return -1;
    }
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        return code == RD_KAFKA_RESP_ERR_NO_ERROR;
    }
    raise_produce_error(self, code, size);
    return -1;
}

PyObject *
producer_send(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Producer *self = (Producer *)object;
    void *recipient;
    if (nargs != SEND_ARGUMENTS) {
        PyErr_Format(PyExc_TypeError, "_send() takes %d arguments, not %zd", SEND_ARGUMENTS,
                     nargs);
        return NULL;
    }
    if (producer_recipient_from_arg(self, args[0], &recipient) < 0) {
        return NULL;
    }
    int sent = producer_send_to(self, recipient, args + 1);
    return sent < 0 ? NULL : PyBool_FromLong(sent);
}

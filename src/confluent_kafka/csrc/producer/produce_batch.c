/*
 * produce_batch(): enqueues a list of messages in one C loop.
 */
#include "producer/producer.h"

#include <string.h>

#include "base/text.h"
#include "client/guard.h"
#include "values/headers.h"

/* ---- produce_batch() ---- */

const char producer_produce_batch_doc[] =
"produce_batch($self, /, topic, messages, partition=-1, callback=None, on_delivery=None,\n"
"              *, block=0)\n--\n\n"
"Enqueue a list of messages.\n\n"
"A dict that cannot be enqueued does not stop the other messages. It gets an `_error` item with\n"
"the KafkaError; when you pass the dict again and it is enqueued, the item is removed.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    messages (list of dict or bytes-like): a dict has the items `value`, `key`, `headers`,\n"
"        `timestamp` (milliseconds), `partition`, `callback` and `on_delivery`, as for produce();\n"
"        any other object is taken as the value.\n"
"    partition (int): for messages that name no partition; -1 lets the partitioner choose.\n"
"    callback, on_delivery (callable(KafkaError or None, Message), optional): for messages\n"
"        that have no callback of their own.\n"
"    block (float): seconds in total to wait and serve callbacks while the queue is full; -1\n"
"        waits without limit.\n\n"
"Returns:\n"
"    int: How many messages were enqueued.\n\n"
"Raises:\n"
"    TypeError, ValueError, OverflowError: a field of a message is wrong; the error names the\n"
"        message's index. The messages before it are enqueued.\n"
"    BufferError, KafkaException: a message that is not a dict could not be enqueued. The\n"
"        messages before it are enqueued.\n\n"
"librdkafka: rd_kafka_produce(), rd_kafka_produceva().";

SIGNATURE(batch_signature, "produce_batch()", 2, 5, P_topic, P_messages, P_partition,
          P_callback, P_on_delivery, P_block);

/*
 * One message while it is being enqueued, with the objects that must be released afterwards.
 * Callbacks that are served while the queue is full can change the message's dict, so references
 * to its items are held.
 */
typedef struct {
    outgoing message;
    bytes_view value, key;
    PyObject *held_value, *held_key, *held_callback;
    bool has_others; /* the dict has items that are not fields of a message */
} batch_entry;

static void
entry_release(batch_entry *entry)
{
    bytes_view_release(&entry->value);
    bytes_view_release(&entry->key);
    if (entry->message.headers != NULL) {
        rd_kafka_headers_destroy(entry->message.headers);
    }
    Py_XDECREF(entry->held_value);
    Py_XDECREF(entry->held_key);
    Py_XDECREF(entry->held_callback);
}

/* The dict's item, a new reference, or NULL; `*failed` is set if the look-up raised. */
static PyObject *
dict_item(Producer *self, PyObject *dict, enum parameter name, bool *failed)
{
    PyObject *item;
    *failed |= PyDict_GetItemRef(dict, self->client.state->parameters[name], &item) < 0;
    return item;
}

/* The message's own callback, or the object that `wrap` makes of it: 0, or -1 with an exception. */
static int
take_callback(batch_defaults *defaults, PyObject *callback, batch_entry *entry)
{
    if (defaults->wrap == NULL) {
        entry->message.recipient = entry->held_callback = Py_NewRef(callback);
        return 0;
    }
    entry->held_callback = PyObject_CallOneArg(defaults->wrap, callback);
    if (entry->held_callback == NULL) {
        return -1;
    }
    return producer_recipient_from_arg(defaults->producer, entry->held_callback,
                                       &entry->message.recipient);
}

/* Fields other than key and value, which most messages do not have. */
static int
read_extras(batch_defaults *defaults, PyObject *dict, batch_entry *entry)
{
    Producer *self = defaults->producer;
    bool failed = false;
    PyObject *partition = dict_item(self, dict, P_partition, &failed);
    PyObject *timestamp = dict_item(self, dict, P_timestamp, &failed);
    PyObject *headers = dict_item(self, dict, P_headers, &failed);
    PyObject *callback = dict_item(self, dict, P_callback, &failed);
    PyObject *on_delivery = dict_item(self, dict, P_on_delivery, &failed);
    PyObject *own_callback = NULL;
    failed = failed
        || (partition != NULL
            && arg_int32(partition, "partition", INT32_MIN, INT32_MAX,
                         &entry->message.partition) < 0)
        || (timestamp != NULL
            && arg_int64(timestamp, "timestamp", 0, INT64_MAX, &entry->message.timestamp_ms)
                   < 0)
        || (headers != NULL && headers != Py_None
            && headers_to_c(headers, "headers", &entry->message.headers) < 0)
        || delivery_callback_from_args(callback, on_delivery, &own_callback) < 0
        || (own_callback != NULL && take_callback(defaults, own_callback, entry) < 0);
    int fields = (entry->held_value != NULL) + (entry->held_key != NULL) + (partition != NULL)
                 + (timestamp != NULL) + (headers != NULL) + (callback != NULL)
                 + (on_delivery != NULL);
    entry->has_others = PyDict_GET_SIZE(dict) > fields;
    Py_XDECREF(partition);
    Py_XDECREF(timestamp);
    Py_XDECREF(headers);
    Py_XDECREF(callback);
    Py_XDECREF(on_delivery);
    return failed ? -1 : 0;
}

static int
read_dict(batch_defaults *defaults, PyObject *dict, batch_entry *entry)
{
    bool failed = false;
    PyObject *value = dict_item(defaults->producer, dict, P_value, &failed);
    PyObject *key = dict_item(defaults->producer, dict, P_key, &failed);
    entry->held_value = value;
    entry->held_key = key;
    if (failed || bytes_view_get(value, "value", &entry->value) < 0
        || bytes_view_get(key, "key", &entry->key) < 0) {
        return -1;
    }
    bool only_these = PyDict_GET_SIZE(dict) == (value != NULL) + (key != NULL);
    return only_these ? 0 : read_extras(defaults, dict, entry);
}

/* Fills `entry`, which must be released in any case. */
static int
read_entry(batch_defaults *defaults, PyObject *object, batch_entry *entry)
{
    *entry = (batch_entry){
        .message = {.topic = defaults->topic,
                    .partition = defaults->partition,
                    .recipient = defaults->recipient},
    };
    int result = PyDict_Check(object) ? read_dict(defaults, object, entry)
                                      : bytes_view_get(object, "value", &entry->value);
    entry->message.value = entry->value.data;
    entry->message.value_size = entry->value.size;
    entry->message.key = entry->key.data;
    entry->message.key_size = entry->key.size;
    return result;
}

/*
 * Adds the message's index to an exception about an argument: "value must be ..." becomes "Message
 * value at index 0 must be ...", as in confluent-kafka.
 */
static void
name_index(Py_ssize_t index)
{
    PyObject *raised = PyErr_GetRaisedException();
    PyObject *type = (PyObject *)Py_TYPE(raised);
    if (type != PyExc_TypeError && type != PyExc_ValueError && type != PyExc_OverflowError
        && type != PyExc_BufferError) {
        PyErr_SetRaisedException(raised);
        return;
    }
    PyObject *object = PyObject_Str(raised);
    const char *text = object == NULL ? NULL : PyUnicode_AsUTF8(object);
    const char *space = text == NULL ? NULL : strchr(text, ' ');
    if (space != NULL && strncmp(space, " must ", 6) == 0) {
        PyObject *field = PyUnicode_FromStringAndSize(text, space - text);
        if (field != NULL) {
            PyErr_Format(type, "Message %U at index %zd%s", field, index, space);
            Py_DECREF(field);
        }
    }
    else if (text != NULL) {
        PyErr_Format(type, "Message at index %zd: %s", index, text);
    }
    Py_XDECREF(object);
    Py_DECREF(raised);
}

/* A message was refused: sets `_error` in its dict (0), or raises if it is not a dict (-1). */
static int
note_error(Producer *self, PyObject *object, rd_kafka_resp_err_t code, Py_ssize_t index)
{
    if (!PyDict_Check(object)) {
        if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            raise_produce_error(self, code, 0);
            name_index(index);
        }
        else {
            raise_kafka_error(self->client.state, code, "Message at index %zd: %s", index,
                              rd_kafka_err2str(code));
        }
        return -1;
    }
    PyObject *error = kafka_error_new(self->client.state, code, NULL);
    int result = error == NULL ? -1 : PyDict_SetItemString(object, "_error", error);
    Py_XDECREF(error);
    return result;
}

/* Removes the `_error` of an earlier attempt, because the message is enqueued now. 0, or -1. */
static int
forget_error(PyObject *dict)
{
    PyObject *name = PyUnicode_InternFromString("_error");
    int found = name == NULL ? -1 : PyDict_Contains(dict, name);
    if (found == 1) {
        found = PyDict_DelItem(dict, name);
    }
    Py_XDECREF(name);
    return found;
}

/*
 * A str or None instead of a dict is more likely a mistake than a value: 0, or -1 with an
 * exception. For produce_batch(), its text is the same as in confluent-kafka.
 */
static int
check_message(const batch_defaults *defaults, PyObject *object, Py_ssize_t index)
{
    if (PyDict_Check(object) || PyObject_CheckBuffer(object)) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "Message at index %zd must be a dict%s", index,
                 defaults->stepwise ? " or a bytes-like value" : "");
    add_note("messages must be a list of dict or of bytes-like values, not of %.100s",
             Py_TYPE(object)->tp_name);
    return -1;
}

enum { FAILED = -1, REFUSED, ENQUEUED, NO_ROOM };

/* The outcome of one message. REFUSED: recorded in its dict; FAILED: with an exception. */
static int
enqueue_entry(batch_defaults *defaults, PyObject *object, Py_ssize_t index)
{
    Producer *self = defaults->producer;
    batch_entry entry;
    rd_kafka_resp_err_t code;
    if (check_message(defaults, object, index) < 0) {
        return -1;
    }
    int result = read_entry(defaults, object, &entry);
    if (result < 0) {
        name_index(index);
    }
    else {
        result = producer_enqueue_within(self, &entry.message, &defaults->until, &code);
    }
    entry_release(&entry);
    if (result < 0) {
        return FAILED;
    }
    if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && defaults->stepwise) {
        return NO_ROOM;
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return note_error(self, object, code, index) < 0 ? FAILED : REFUSED;
    }
    return entry.has_others && forget_error(object) < 0 ? FAILED : ENQUEUED;
}

/*
 * Enqueues messages from `*next` on, to the end of the list, unless a step ends before. `*next`
 * becomes the first message that is left. Returns how many were enqueued, or -1 with an exception.
 */
static Py_ssize_t
enqueue_list(batch_defaults *defaults, PyObject *messages, Py_ssize_t *next)
{
    Py_ssize_t enqueued = 0;
    /* The size is read each time, because callbacks that are served may change the list. */
    for (; *next < PyList_GET_SIZE(messages); ++*next) {
        if (batch_step_is_over(defaults, *next)) {
            return enqueued;
        }
        PyObject *object = PyList_GetItemRef(messages, *next);
        if (object == NULL) {
            return -1; /* another thread has just shortened the list */
        }
        int result = enqueue_entry(defaults, object, *next);
        Py_DECREF(object);
        if (result == FAILED) {
            return -1;
        }
        if (result == NO_ROOM) {
            return enqueued;
        }
        enqueued += result == ENQUEUED;
    }
    return enqueued;
}

/* As enqueue_list(), for a client that may be closed. */
static Py_ssize_t
enqueue_to(batch_defaults *defaults, PyObject *topic, PyObject *messages, Py_ssize_t *next)
{
    Client *client = &defaults->producer->client;
    if (client_enter(client) < 0) {
        return -1;
    }
    Py_ssize_t enqueued = -1;
    defaults->topic = producer_topic(defaults->producer, topic);
    if (defaults->topic != NULL) {
        enqueued = enqueue_list(defaults, messages, next);
    }
    client_leave(client);
    return enqueued;
}

/* Returns 0, or -1 with a TypeError. */
static int
check_list(PyObject *messages)
{
    if (PyList_Check(messages)) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "messages must be a list, not %.100s",
                 Py_TYPE(messages)->tp_name);
    return -1;
}

PyObject *
producer_produce_batch(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[6], *callback;
    Py_ssize_t next = 0;
    batch_defaults defaults = {.producer = self, .partition = RD_KAFKA_PARTITION_UA};
    if (client_args(&self->client, &batch_signature, args, nargs, kwnames, values) < 0
        || check_list(values[1]) < 0
        || (values[2] != NULL
            && arg_int32(values[2], "partition", INT32_MIN, INT32_MAX, &defaults.partition) < 0)
        || delivery_callback_from_args(values[3], values[4], &callback) < 0
        || (values[5] != NULL && deadline_from_arg(values[5], "block", &defaults.until) < 0)) {
        return NULL;
    }
    defaults.recipient = callback;
    Py_ssize_t enqueued = enqueue_to(&defaults, values[0], values[1], &next);
    return enqueued < 0 ? NULL : PyLong_FromSsize_t(enqueued);
}

/* ---- _send_batch() ---- */

const char producer_send_batch_doc[] =
"_send_batch($self, future, topic, messages, partition, wrap, first, seconds, /)\n--\n\n"
"Enqueue a list of messages as produce_batch() does, in steps that do not wait.\n\n"
"Args:\n"
"    future: settled for each message that has no callback of its own, see _settle(); or None.\n"
"    wrap: turns a message's own callback into the object to settle.\n"
"    first: the index of the first message of this step.\n"
"    seconds: the time after which the step ends.\n\n"
"Returns:\n"
"    tuple: The index of the first message that is left, if the queue is full or time is up; and\n"
"    how many were enqueued.";

SIGNATURE(send_batch_signature, "_send_batch()", 7, 7, P_future, P_topic, P_messages, P_partition,
          P_wrap, P_first, P_seconds);

PyObject *
producer_send_batch(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Producer *self = (Producer *)object;
    PyObject *values[7];
    int64_t first;
    batch_defaults defaults = {.producer = self, .stepwise = true};
    if (client_args(&self->client, &send_batch_signature, args, nargs, NULL, values) < 0
        || producer_recipient_from_arg(self, values[0], &defaults.recipient) < 0
        || check_list(values[2]) < 0
        || arg_int32(values[3], "partition", INT32_MIN, INT32_MAX, &defaults.partition) < 0
        || arg_callable(values[4], "wrap", &defaults.wrap) < 0
        || arg_int64(values[5], "first", 0, PY_SSIZE_T_MAX, &first) < 0
        || deadline_from_arg(values[6], "seconds", &defaults.turn) < 0) {
        return NULL;
    }
    Py_ssize_t next = (Py_ssize_t)first;
    Py_ssize_t enqueued = enqueue_to(&defaults, values[1], values[2], &next);
    return enqueued < 0 ? NULL : Py_BuildValue("nn", next, enqueued);
}

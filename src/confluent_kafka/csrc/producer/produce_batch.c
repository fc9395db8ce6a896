/*
 * produce_batch() and produce_arrow(): many messages in one C loop.
 */
#include "producer/producer.h"

#include <string.h>

#include "base/text.h"
#include "client/guard.h"
#include "producer/row_order.h"
#include "values/headers.h"

/* ---- produce_batch() ---- */

const char producer_produce_batch_doc[] =
"produce_batch($self, /, topic, messages, partition=-1, callback=None, on_delivery=None,\n"
"              *, block=0)\n--\n\n"
"Enqueue a list of messages.\n\n"
"A dict that cannot be enqueued does not stop the others: it gets an `_error` item with the\n"
"KafkaError, which is removed when the dict is passed again and enqueued.\n\n"
"Args:\n"
"    topic (str): its name.\n"
"    messages (list of dict or bytes-like): a dict takes `value`, `key`, `headers`, `timestamp`\n"
"        (milliseconds), `partition`, `callback` and `on_delivery`, as produce() does; anything\n"
"        else is a bare value.\n"
"    partition (int): for messages without their own; -1: the configured partitioner decides.\n"
"    callback, on_delivery (callable(KafkaError or None, Message), optional): for messages\n"
"        without their own.\n"
"    block (float): seconds in total to serve callbacks and wait while the queue is full; -1\n"
"        without limit.\n\n"
"Returns:\n"
"    int: How many messages were enqueued.\n\n"
"Raises:\n"
"    TypeError, ValueError, OverflowError: a message's field is wrong; the error names the\n"
"        message's index. The messages before it are enqueued.\n"
"    BufferError, KafkaException: a bare value could not be enqueued. The messages before it are\n"
"        enqueued.\n\n"
"librdkafka: rd_kafka_produce(), rd_kafka_produceva().";

SIGNATURE(batch_signature, "produce_batch()", 2, 5, P_topic, P_messages, P_partition,
          P_callback, P_on_delivery, P_block);

typedef struct {
    Producer *producer;
    rd_kafka_topic_t *topic;
    int32_t partition;
    void *recipient;
    deadline until;
} batch_defaults;

/*
 * One message while it is being enqueued, with what must be released afterwards. Callbacks
 * that are served while the queue is full can change the message's dict, so what is used of
 * it is held.
 */
typedef struct {
    outgoing message;
    bytes_view value, key;
    PyObject *held_value, *held_key, *held_callback;
    bool has_others; /* the dict has items that are no fields of a message */
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

/* The dict's item, a new reference, or NULL; `*failed` is set when looking it up raised. */
static PyObject *
dict_item(Producer *self, PyObject *dict, enum parameter name, bool *failed)
{
    PyObject *item;
    *failed |= PyDict_GetItemRef(dict, self->client.state->parameters[name], &item) < 0;
    return item;
}

/* Fields beyond key and value, which most messages do not have. */
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
        || delivery_callback_from_args(callback, on_delivery, &own_callback) < 0;
    if (own_callback != NULL) {
        entry->message.recipient = entry->held_callback = Py_NewRef(own_callback);
    }
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

/* Fills `entry`; what it holds must be released in any case. */
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
 * Names the message in an exception about an argument: "value must be ..." becomes "Message value
 * at index 0 must be ...", as confluent-kafka has it.
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

/* A message was refused: noted in its dict (0), or raised where there is none (-1). */
static int
note_error(Producer *self, PyObject *object, rd_kafka_resp_err_t code, Py_ssize_t index)
{
    if (!PyDict_Check(object)) {
        if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            raise_produce_error(self, code);
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

/* A message that was refused before still says so: it is enqueued now. 0, or -1. */
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

/* A str or None in the place of a dict is more likely a mistake than a value: 0, or -1. */
static int
check_message(PyObject *object, Py_ssize_t index)
{
    if (PyDict_Check(object) || PyObject_CheckBuffer(object)) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "Message at index %zd must be a dict", index);
    add_note("messages must be a list of dict or of bytes-like values, not of %.100s",
             Py_TYPE(object)->tp_name);
    return -1;
}

/* 1 enqueued, 0 refused and noted in its dict, -1 with an exception. */
static int
enqueue_entry(batch_defaults *defaults, PyObject *object, Py_ssize_t index)
{
    Producer *self = defaults->producer;
    batch_entry entry;
    rd_kafka_resp_err_t code;
    if (check_message(object, index) < 0) {
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
        return -1;
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return note_error(self, object, code, index);
    }
    return entry.has_others && forget_error(object) < 0 ? -1 : 1;
}

static Py_ssize_t
enqueue_list(batch_defaults *defaults, PyObject *messages)
{
    Py_ssize_t enqueued = 0;
    /* The size is read each time: callbacks that are served in between may change the list. */
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(messages); i++) {
        PyObject *object = PyList_GetItemRef(messages, i);
        if (object == NULL) {
            return -1; /* another thread has just shortened the list */
        }
        int result = enqueue_entry(defaults, object, i);
        Py_DECREF(object);
        if (result < 0) {
            return -1;
        }
        enqueued += result;
    }
    return enqueued;
}

PyObject *
producer_produce_batch(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[6];
    PyObject *callback;
    batch_defaults defaults = {.producer = self, .partition = RD_KAFKA_PARTITION_UA};
    if (args_parse(self->client.state, &batch_signature, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    if (!PyList_Check(values[1])) {
        PyErr_Format(PyExc_TypeError, "messages must be a list, not %.100s",
                     Py_TYPE(values[1])->tp_name);
        return NULL;
    }
    if ((values[2] != NULL
         && arg_int32(values[2], "partition", INT32_MIN, INT32_MAX, &defaults.partition) < 0)
        || delivery_callback_from_args(values[3], values[4], &callback) < 0
        || (values[5] != NULL && deadline_from_arg(values[5], "block", &defaults.until) < 0)
        || client_enter(&self->client) < 0) {
        return NULL;
    }
    Py_ssize_t enqueued = -1;
    defaults.recipient = callback;
    defaults.topic = producer_topic(self, values[0]);
    if (defaults.topic != NULL) {
        enqueued = enqueue_list(&defaults, values[1]);
    }
    client_leave(&self->client);
    return enqueued < 0 ? NULL : PyLong_FromSsize_t(enqueued);
}

/* ---- produce_arrow() ---- */

const char producer_produce_arrow_doc[] =
"produce_arrow($self, /, batch, topic=None, *, on_delivery=None, block=0,\n"
"              partition_count=None)\n--\n\n"
"Enqueue the rows of an Arrow record batch.\n\n"
"Args:\n"
"    batch (object with __arrow_c_array__ or __arrow_c_stream__): of pyarrow, polars, DuckDB,\n"
"        MessageBatch and others. Columns among key, value (binary or string), topic (string),\n"
"        partition (int32), timestamp, headers (list of struct of key and value). Null\n"
"        partition and timestamp mean the partitioner's choice and now.\n"
"    topic (str, optional): for all rows, instead of the column `topic`.\n"
"    on_delivery (callable(KafkaError or None, Message), optional): for each row, as in\n"
"        produce().\n"
"    block (float): seconds in total to serve callbacks and wait while the queue is full; -1\n"
"        without limit.\n"
"    partition_count (int, optional): how many partitions `topic` has. Rows are then enqueued\n"
"        partition after partition, which saves up to a third of the CPU time; those of one key\n"
"        keep their order. It does not change the partition of a row.\n\n"
"Returns:\n"
"    int: How many rows were enqueued: all of them.\n\n"
"Raises:\n"
"    BufferError, KafkaException: a row could not be enqueued; the error names its index. The\n"
"        rows before it are enqueued; with `partition_count`, any other row may be.\n"
"    TypeError, ValueError: a column has a wrong name or type, or there is no topic.\n\n"
"Source: Arrow C data interface and PyCapsule protocol; rd_kafka_produce().";

SIGNATURE(arrow_signature, "produce_arrow()", 1, 2, P_batch, P_topic, P_on_delivery, P_block,
          P_partition_count);

/* More than a cluster has. */
#define MAX_PARTITIONS 1000000

/* The handle of a row's topic; rows that follow each other mostly share it. */
static rd_kafka_topic_t *
row_topic(Producer *self, const arrow_row *row, PyObject **name)
{
    Py_ssize_t size;
    const char *previous = *name == NULL ? NULL : PyUnicode_AsUTF8AndSize(*name, &size);
    if (row->topic == NULL) {
        PyErr_SetString(PyExc_ValueError, "topic is null and no topic argument was given");
        return NULL;
    }
    if (previous == NULL || (size_t)size != row->topic_size
        || memcmp(previous, row->topic, row->topic_size) != 0) {
        Py_XSETREF(*name, PyUnicode_DecodeUTF8(row->topic, (Py_ssize_t)row->topic_size, NULL));
        if (*name == NULL) {
            return NULL;
        }
    }
    return producer_topic(self, *name);
}

/* Says which row it was, in an exception of the same kind. */
static void
name_row(Producer *self, int64_t index)
{
    PyObject *raised = PyErr_GetRaisedException();
    if ((PyObject *)Py_TYPE(raised) == self->client.state->KafkaException) {
        PyObject *arguments = PyObject_GetAttrString(raised, "args");
        PyObject *error = arguments == NULL ? NULL : PySequence_GetItem(arguments, 0);
        if (error != NULL && Py_IS_TYPE(error, self->client.state->KafkaError)) {
            raise_kafka_error(self->client.state, kafka_error_code(error), "batch row %lld: %s",
                              (long long)index, rd_kafka_err2str(kafka_error_code(error)));
            Py_CLEAR(raised);
        }
        Py_XDECREF(error);
        Py_XDECREF(arguments);
    }
    else if ((PyObject *)Py_TYPE(raised) == PyExc_BufferError
             || (PyObject *)Py_TYPE(raised) == PyExc_ValueError) {
        PyErr_Format((PyObject *)Py_TYPE(raised), "batch row %lld: %S", (long long)index, raised);
        Py_CLEAR(raised);
    }
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

static int
enqueue_row(batch_defaults *defaults, const arrow_rows *rows, int64_t index, PyObject **name)
{
    Producer *self = defaults->producer;
    arrow_row row;
    arrow_rows_get(rows, index, &row);
    outgoing message = {
        .topic = defaults->topic != NULL ? defaults->topic : row_topic(self, &row, name),
        .partition = row.partition,
        .value = row.value,
        .value_size = row.value_size,
        .key = row.key,
        .key_size = row.key_size,
        .timestamp_ms = row.timestamp_ms,
        .recipient = defaults->recipient,
    };
    if (message.topic == NULL) {
        name_row(self, index);
        return -1;
    }
    if (arrow_rows_headers(rows, index, &message.headers) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    rd_kafka_resp_err_t code;
    /* What it raises comes from a callback and has nothing to do with this row. */
    int result = producer_enqueue_within(self, &message, &defaults->until, &code);
    if (result == 0 && code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_produce_error(self, code);
        name_row(self, index);
        result = -1;
    }
    if (message.headers != NULL) {
        rd_kafka_headers_destroy(message.headers);
    }
    return result;
}

/* In `order`, or as they come if that is NULL. */
static int
enqueue_rows(batch_defaults *defaults, const arrow_rows *rows, const int64_t *order)
{
    PyObject *name = NULL;
    int64_t count = arrow_rows_count(rows);
    int result = 0;
    for (int64_t i = 0; i < count && result == 0; i++) {
        int64_t index = order == NULL ? i : order[i];
        result = enqueue_row(defaults, rows, index, &name);
    }
    Py_XDECREF(name);
    return result;
}

static int
enqueue_by_partition(batch_defaults *defaults, const arrow_rows *rows, int32_t partition_count)
{
    partitioner_function *partitioner = partitioner_of(defaults->producer->client.rk);
    int64_t *order;
    Py_BEGIN_ALLOW_THREADS
    order = arrow_rows_by_partition(rows, partitioner, partition_count);
    Py_END_ALLOW_THREADS
    if (order == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int result = enqueue_rows(defaults, rows, order);
    PyMem_RawFree(order);
    return result;
}

/* The topic of all rows, if there is one: 0, or -1 with an exception. */
static int
common_topic(batch_defaults *defaults, PyObject *topic, const arrow_rows *rows)
{
    if (topic != NULL && topic != Py_None) {
        defaults->topic = producer_topic(defaults->producer, topic);
        return defaults->topic == NULL ? -1 : 0;
    }
    if (!arrow_rows_has_topic(rows)) {
        PyErr_SetString(PyExc_ValueError,
                        "batch has no column 'topic': add one or give the topic argument");
        return -1;
    }
    return 0;
}

/* 0 when it is not given. */
static int
read_partition_count(PyObject *given, PyObject *topic, int32_t *partition_count)
{
    if (given == NULL || given == Py_None) {
        return 0;
    }
    if (topic == NULL || topic == Py_None) {
        PyErr_SetString(PyExc_ValueError, "partition_count needs the argument topic: it is the "
                                          "number of partitions of that topic");
        return -1;
    }
    return arg_int32(given, "partition_count", 1, MAX_PARTITIONS, partition_count);
}

PyObject *
producer_produce_arrow(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[5];
    PyObject *callback;
    batch_defaults defaults = {.producer = self};
    int32_t partition_count = 0;
    if (args_parse(self->client.state, &arrow_signature, args, nargs, kwnames, values) < 0
        || arg_callable(values[2], "on_delivery", &callback) < 0
        || (values[3] != NULL && deadline_from_arg(values[3], "block", &defaults.until) < 0)
        || read_partition_count(values[4], values[1], &partition_count) < 0) {
        return NULL;
    }
    defaults.recipient = callback;
    arrow_rows *rows = arrow_rows_import(values[0], "batch");
    if (rows == NULL) {
        return NULL;
    }
    int64_t count = arrow_rows_count(rows);
    int result = client_enter(&self->client);
    if (result == 0) {
        result = common_topic(&defaults, values[1], rows);
        if (result == 0) {
            result = partition_count == 0
                ? enqueue_rows(&defaults, rows, NULL)
                : enqueue_by_partition(&defaults, rows, partition_count);
        }
        client_leave(&self->client);
    }
    arrow_rows_release(rows);
    return result < 0 ? NULL : PyLong_FromLongLong(count);
}

/*
 * produce_arrow(): enqueues the rows of a record batch in one C loop.
 */
#include "producer/producer.h"

#include <string.h>

#include "client/guard.h"
#include "producer/row_order.h"

const char producer_produce_arrow_doc[] =
"produce_arrow($self, /, batch, topic=None, *, on_delivery=None, block=0,\n"
"              partition_count=None, key=None, value=None)\n--\n\n"
"Enqueue the rows of an Arrow record batch.\n\n"
"Args:\n"
"    batch (object with __arrow_c_array__ or __arrow_c_stream__): from pyarrow, polars, DuckDB,\n"
"        MessageBatch and others. Its columns: key, value (binary or string), topic (string),\n"
"        partition (int32), timestamp, headers (list of struct of key and value). A null\n"
"        partition lets the partitioner choose; a null timestamp means now.\n"
"    topic (str, optional): the topic of all rows, instead of the column `topic`.\n"
"    on_delivery (callable(KafkaError or None, Message), optional): called for each row, as in\n"
"        produce().\n"
"    block (float): seconds in total to wait and serve callbacks while the queue is full; -1\n"
"        waits without limit.\n"
"    partition_count (int, optional): how many partitions `topic` has. Rows are then enqueued\n"
"        partition by partition, which saves up to a third of the CPU time; rows with the same\n"
"        key keep their order. It does not change the partition of a row.\n"
"    key (AvroColumns or another encoder of confluent_kafka.columns, optional): encodes the\n"
"        column `key`, of any type.\n"
"    value (AvroColumns or another encoder, optional): encodes the column `value`. If there is no\n"
"        such column and no `key` is given, it encodes each row as a whole.\n\n"
"Returns:\n"
"    int: How many rows were enqueued, which is all of them.\n\n"
"Raises:\n"
"    BufferError, KafkaException: a row could not be enqueued; the error names its index. The\n"
"        rows before it are enqueued. With `partition_count`, some rows before or after it may\n"
"        be enqueued.\n"
"    TypeError, ValueError: a column has a wrong name or type, there is no topic, or a row\n"
"        cannot be encoded. Nothing has been enqueued.\n"
"    SchemaRegistryError: the registry could not be asked for the schemas of `key` or `value`.\n\n"
"Source: Arrow C data interface and PyCapsule protocol; rd_kafka_produce().";

SIGNATURE(arrow_signature, "produce_arrow()", 1, 2, P_batch, P_topic, P_on_delivery, P_block,
          P_partition_count, P_key, P_value);

/*
 * The batch with encoded keys or values. Both encoders are from confluent_kafka.columns, which also
 * encodes the batch. New reference, or NULL with an exception.
 */
static PyObject *
encoded_batch(PyObject *batch, PyObject *key, PyObject *value)
{
    PyObject *encoder = value != NULL && value != Py_None ? value : key;
    if (encoder == NULL || encoder == Py_None) {
        return Py_NewRef(batch);
    }
    if (!PyObject_HasAttrString(encoder, "_encode_batch")) {
        PyErr_Format(PyExc_TypeError,
                     "%s must be AvroColumns or another encoder of confluent_kafka.columns, not "
                     "%.100s",
                     encoder == value ? "value" : "key", Py_TYPE(encoder)->tp_name);
        return NULL;
    }
    return PyObject_CallMethod(encoder, "_encode_batch", "OOO", batch,
                               key != NULL ? key : Py_None, value != NULL ? value : Py_None);
}

/* More partitions than a cluster can have. */
#define MAX_PARTITIONS 1000000

/* The handle of a row's topic; consecutive rows mostly share it. */
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

/* Adds the index of the row to the exception, whose type stays the same. */
static void
name_row(Producer *self, int64_t index)
{
    PyObject *raised = PyErr_GetRaisedException();
    if ((PyObject *)Py_TYPE(raised) == self->client.state->KafkaException) {
        PyObject *arguments = attribute_of(raised, "args");
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

enum { FAILED = -1, ENQUEUED, NO_ROOM };

/* The outcome of one row; FAILED: with an exception. */
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
        return FAILED;
    }
    if (arrow_rows_headers(rows, index, &message.headers) < 0) {
        PyErr_NoMemory();
        return FAILED;
    }
    rd_kafka_resp_err_t code;
    /* An exception here comes from a callback and has nothing to do with this row. */
    int result = producer_enqueue_within(self, &message, &defaults->until, &code);
    if (message.headers != NULL) {
        rd_kafka_headers_destroy(message.headers);
    }
    if (result < 0 || code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return result < 0 ? FAILED : ENQUEUED;
    }
    if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL && defaults->stepwise) {
        return NO_ROOM;
    }
    raise_produce_error(self, code, 0);
    name_row(self, index);
    return FAILED;
}

/* ---- rows, with the arguments that apply to all of them ---- */

typedef struct {
    arrow_rows *rows;
    int64_t *order;  /* the order of enqueueing; NULL: the order of the rows */
    PyObject *topic; /* the topic of all rows; NULL if they have a column of that name */
} row_source;

static void
row_source_clear(row_source *source)
{
    if (source->rows != NULL) {
        arrow_rows_release(source->rows);
    }
    PyMem_RawFree(source->order);
    Py_XDECREF(source->topic);
}

/* Returns 0 if the argument is not given. */
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

/* Between client_enter() and client_leave(): 0, or -1 with an exception. */
static int
order_by_partition(Producer *self, row_source *source, int32_t partition_count)
{
    partitioner_function *partitioner = partitioner_of(self->client.rk);
    Py_BEGIN_ALLOW_THREADS
    source->order = arrow_rows_by_partition(source->rows, partitioner, partition_count);
    Py_END_ALLOW_THREADS
    if (source->order == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

/* Reads the arguments of that name. `source` must be cleared in any case. 0, or -1. */
static int
row_source_read(Producer *self, PyObject *batch, PyObject *topic, PyObject *partition_count,
                row_source *source)
{
    int32_t count = 0;
    if (read_partition_count(partition_count, topic, &count) < 0) {
        return -1;
    }
    source->rows = arrow_rows_import(batch, "batch");
    if (source->rows == NULL) {
        return -1;
    }
    source->topic = topic == Py_None ? NULL : Py_XNewRef(topic);
    if (source->topic == NULL && !arrow_rows_has_topic(source->rows)) {
        PyErr_SetString(PyExc_ValueError,
                        "batch has no column 'topic': add one or give the topic argument");
        return -1;
    }
    if (client_enter(&self->client) < 0) {
        return -1;
    }
    int result = count == 0 ? 0 : order_by_partition(self, source, count);
    client_leave(&self->client);
    return result;
}

/* Enqueues rows from `first` on. Returns the first row that is left, or -1 with an exception. */
static int64_t
enqueue_rows(batch_defaults *defaults, const row_source *source, int64_t first)
{
    PyObject *name = NULL;
    int64_t count = arrow_rows_count(source->rows);
    int result = ENQUEUED;
    int64_t next = first;
    while (next < count && !batch_step_is_over(defaults, next)) {
        int64_t index = source->order == NULL ? next : source->order[next];
        result = enqueue_row(defaults, source->rows, index, &name);
        if (result != ENQUEUED) {
            break;
        }
        next++;
    }
    Py_XDECREF(name);
    return result == FAILED ? -1 : next;
}

/* As enqueue_rows(), for a client that may be closed. */
static int64_t
enqueue_source(batch_defaults *defaults, const row_source *source, int64_t first)
{
    Client *client = &defaults->producer->client;
    if (client_enter(client) < 0) {
        return -1;
    }
    int64_t next = -1;
    if (source->topic != NULL) {
        defaults->topic = producer_topic(defaults->producer, source->topic);
    }
    if (source->topic == NULL || defaults->topic != NULL) {
        next = enqueue_rows(defaults, source, first);
    }
    client_leave(client);
    return next;
}

PyObject *
producer_produce_arrow(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                       PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[7], *callback;
    batch_defaults defaults = {.producer = self};
    row_source source = {0};
    if (client_args(&self->client, &arrow_signature, args, nargs, kwnames, values) < 0
        || arg_callable(values[2], "on_delivery", &callback) < 0
        || (values[3] != NULL && deadline_from_arg(values[3], "block", &defaults.until) < 0)) {
        return NULL;
    }
    PyObject *batch = encoded_batch(values[0], values[5], values[6]);
    if (batch == NULL) {
        return NULL;
    }
    defaults.recipient = callback;
    int64_t enqueued = -1;
    if (row_source_read(self, batch, values[1], values[4], &source) == 0) {
        enqueued = enqueue_source(&defaults, &source, 0);
    }
    row_source_clear(&source);
    Py_DECREF(batch);
    return enqueued < 0 ? NULL : PyLong_FromLongLong(enqueued);
}

/* ---- in steps ---- */

static const char capsule_name[] = "confluent_kafka.rows";

static void
destroy_rows(PyObject *capsule)
{
    row_source *source = PyCapsule_GetPointer(capsule, capsule_name);
    row_source_clear(source);
    PyMem_Free(source);
}

const char producer_import_rows_doc[] =
"_import_rows($self, batch, topic, partition_count, /)\n--\n\n"
"Read the rows of an Arrow record batch for _send_rows(); see produce_arrow().";

SIGNATURE(import_signature, "_import_rows()", 3, 3, P_batch, P_topic, P_partition_count);

PyObject *
producer_import_rows(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Producer *self = (Producer *)object;
    PyObject *values[3];
    if (client_args(&self->client, &import_signature, args, nargs, NULL, values) < 0) {
        return NULL;
    }
    row_source *source = PyMem_Calloc(1, sizeof(*source));
    if (source == NULL) {
        return PyErr_NoMemory();
    }
    PyObject *capsule = NULL;
    if (row_source_read(self, values[0], values[1], values[2], source) == 0) {
        capsule = PyCapsule_New(source, capsule_name, destroy_rows);
    }
    if (capsule == NULL) {
        row_source_clear(source);
        PyMem_Free(source);
    }
    return capsule;
}

const char producer_send_rows_doc[] =
"_send_rows($self, future, rows, first, seconds, /)\n--\n\n"
"Enqueue rows, in steps that do not wait.\n\n"
"Args:\n"
"    future: settled for each row, see _settle(); or None.\n"
"    rows: from _import_rows().\n"
"    first: the first row of this step.\n"
"    seconds: the time after which the step ends.\n\n"
"Returns:\n"
"    tuple: The first row that is left, if the queue is full or time is up; and the number of all\n"
"    rows.";

SIGNATURE(send_rows_signature, "_send_rows()", 4, 4, P_future, P_rows, P_first, P_seconds);

PyObject *
producer_send_rows(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Producer *self = (Producer *)object;
    PyObject *values[4];
    int64_t first;
    batch_defaults defaults = {.producer = self, .stepwise = true};
    if (client_args(&self->client, &send_rows_signature, args, nargs, NULL, values) < 0
        || producer_recipient_from_arg(self, values[0], &defaults.recipient) < 0
        || arg_int64(values[2], "first", 0, INT64_MAX, &first) < 0
        || deadline_from_arg(values[3], "seconds", &defaults.turn) < 0) {
        return NULL;
    }
    if (!PyCapsule_IsValid(values[1], capsule_name)) {
        PyErr_Format(PyExc_TypeError, "rows must be from _import_rows(), not %.100s",
                     Py_TYPE(values[1])->tp_name);
        return NULL;
    }
    const row_source *source = PyCapsule_GetPointer(values[1], capsule_name);
    int64_t next = enqueue_source(&defaults, source, first);
    return next < 0 ? NULL
                    : Py_BuildValue("LL", (long long)next,
                                    (long long)arrow_rows_count(source->rows));
}

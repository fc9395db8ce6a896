/*
 * poll(), consume(), consume_arrow() and iteration.
 */
#include "consumer/consumer.h"

#include "client/exceptions.h"
#include "client/guard.h"
#include "client/serve.h"
#include "consumer/message_batch.h"
#include "consumer/record_memory.h"
#include "values/topic_partition.h"

/*
 * True in a callback that fetches again. It gets no message: the surrounding fetch has messages
 * that come first.
 */
static bool
is_nested(const Client *client)
{
    return serve_is_nested(client);
}

/* ---- one message ---- */

/*
 * Fetches into `messages` and waits up to `timeout_ms` for all of them. Returns the number of
 * messages. Callbacks may run.
 */
static size_t
fetch_batch(Client *client, int timeout_ms, rd_kafka_message_t **messages, size_t wanted)
{
    rd_kafka_queue_t *queue = client->core->queue;
    ssize_t fetched;
    if (timeout_ms == 0 && wanted <= READ_AHEAD_SIZE) { /* fast enough to keep the GIL */
        fetched = rd_kafka_consume_batch_queue(queue, 0, messages, wanted);
    }
    else {
        serve_release_gil(client);
        fetched = rd_kafka_consume_batch_queue(queue, timeout_ms, messages, wanted);
        serve_take_gil(client);
    }
    return fetched > 0 ? (size_t)fetched : 0;
}

static bool
is_revoked(const Consumer *self, const rd_kafka_message_t *message)
{
    return message->rkt != NULL
           && rd_kafka_topic_partition_list_find(
                  self->revoked, rd_kafka_topic_name(message->rkt), message->partition)
                  != NULL;
}

/*
 * Drops messages of partitions that a rebalance callback removed during the fetch. Returns how
 * many are left. The new owner reads the dropped messages; if they were handed out here, they
 * would be processed twice. Partitions that were assigned again since are not in the list.
 */
static size_t
drop_revoked(Consumer *self, rd_kafka_message_t **messages, size_t count)
{
    if (self->revoked->cnt == 0) {
        return count;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_revoked(self, messages[i])) {
            rd_kafka_message_destroy(messages[i]);
        }
        else {
            messages[kept++] = messages[i];
        }
    }
    rd_kafka_topic_partition_list_destroy(self->revoked);
    self->revoked = rd_kafka_topic_partition_list_new(0);
    return kept;
}

size_t
consumer_fetch_ahead(Consumer *self, int timeout_ms, size_t wanted)
{
    /* Not into `read_ahead` itself, because a rebalance callback may drop messages from it. */
    rd_kafka_message_t *messages[READ_AHEAD_SIZE];
    size_t fetched = fetch_batch(&self->client, timeout_ms, messages, wanted);
    size_t kept = drop_revoked(self, messages, fetched);
    if (kept > 0) {
        read_ahead_add(&self->read_ahead, messages, kept);
    }
    return fetched;
}

int
consumer_serve_once(Client *client, int timeout_ms)
{
    Consumer *self = (Consumer *)client;
    if (is_nested(client) || self->read_ahead.count == self->read_ahead.capacity) {
        return 1; /* the buffer is full, or the fetch around this callback needs the room */
    }
    consumer_fetch_ahead(self, timeout_ms, 1);
    return 0;
}

/* Before a call that wants messages from any partition: 0, or -1 with an exception. */
static int
put_back(Consumer *self)
{
    consumer_take_back(self);
    if (self->shelves.count > 0
        && shelves_put_back(&self->shelves, self->client.rk, &self->read_ahead) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

void
consumer_serve_if_stale(Consumer *self)
{
    read_ahead *waiting = &self->read_ahead;
    if (read_ahead_is_stale(waiting) && waiting->count < waiting->capacity) {
        consumer_fetch_ahead(self, 0, 1);
    }
}

/* Buffers a message to take, if one is available without waiting. */
static void
look_for_one(Consumer *self)
{
    read_ahead *waiting = &self->read_ahead;
    if (waiting->count == 0) {
        consumer_fetch_ahead(self, 0, read_ahead_next_size(waiting));
    }
    else {
        consumer_serve_if_stale(self);
    }
}

/*
 * Between serve_begin() and serve_end(): 1 with a message (or a consumer error as a message);
 * 0: time is up, or wakeup() was called; -1: exception.
 */
static int
fetch_one(Consumer *self, deadline *until, rd_kafka_message_t **message)
{
    Client *client = &self->client;
    if (is_nested(client)) {
        return 0;
    }
    if (put_back(self) < 0) {
        return -1;
    }
    look_for_one(self);
    for (;;) {
        if (serve_raise_parked(client) < 0) {
            return -1; /* the message stays for the next call */
        }
        if (consumer_is_deferring(self)) {
            return 0;
        }
        *message = read_ahead_take(&self->read_ahead);
        if (*message != NULL) {
            return 1;
        }
        if (deadline_passed(until)) {
            return 0; /* before the check for wakeup(), which is meant for a call that waits */
        }
        int go_on = serve_check_until(client, until);
        if (go_on <= 0) {
            return go_on;
        }
        consumer_fetch_ahead(self, deadline_remaining_ms(until, WAIT_SLICE_MS), 1);
    }
}

static PyObject *
as_message(Consumer *self, rd_kafka_message_t *message, void *Py_UNUSED(opaque))
{
    return message_from_consumed(self->client.state, &self->client.names, message);
}

int
consumer_poll_object(Consumer *self, deadline *until, message_converter *convert, void *opaque,
                     handing store, PyObject **result)
{
    Client *client = &self->client;
    serve_frame frame;
    rd_kafka_message_t *message;
    if (client_enter(client) < 0) {
        return -1;
    }
    int found = serve_begin(client, &frame, until);
    if (found == 1) {
        found = fetch_one(self, until, &message);
        if (found == 1) {
            bool room = consumer_may_return(self, 1, store) == 0;
            *result = room ? convert(self, message, opaque) : NULL;
            if (*result != NULL) {
                consumer_returned(self, &message, 1, store);
            }
            else {
                consumer_rewind_raising(self, &message, 1);
                found = -1;
            }
            consumer_destroy_messages(&message, 1);
        }
        serve_end(client, &frame);
    }
    client_leave(client);
    return found;
}

int
consumer_poll_message(Consumer *self, deadline *until, handing store, PyObject **result)
{
    return consumer_poll_object(self, until, as_message, NULL, store, result);
}

PyDoc_STRVAR(poll_doc,
"poll($self, /, timeout=-1)\n--\n\n"
"Fetch one message, and serve callbacks.\n\n"
"Args:\n"
"    timeout (float): seconds to wait for a message; -1 waits without limit, 0 does not wait.\n\n"
"Returns:\n"
"    Message or None: None if no message arrived in time, after wakeup(), and inside a callback\n"
"    of this consumer. A message with an error() is an event such as _PARTITION_EOF or\n"
"    UNKNOWN_TOPIC_OR_PART, and not a record.\n\n"
"Raises:\n"
"    Exception: a callback raised it. Further callbacks that are ready within 10 ms run too. If\n"
"        several raise, the last exception is raised, with the others as its context. Messages\n"
"        stay for the next call.\n\n"
"librdkafka: rd_kafka_consumer_poll().");

SIGNATURE(poll_signature, "poll()", 0, 1, P_timeout);

static PyObject *
poll(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[1];
    PyObject *result;
    deadline until;
    if (client_args(&self->client, &poll_signature, args, nargs, kwnames, values) < 0
        || deadline_from_arg(values[0], "timeout", &until) < 0) {
        return NULL;
    }
    int found = consumer_poll_message(self, &until, STORED, &result);
    if (found < 0) {
        return NULL;
    }
    return found ? result : Py_NewRef(Py_None);
}

PyObject *
consumer_iter_next(PyObject *object)
{
    Consumer *self = (Consumer *)object;
    deadline never = DEADLINE_NEVER;
    PyObject *message;
    int found = consumer_poll_message(self, &never, STORED, &message);
    if (found <= 0) {
        return NULL; /* without an exception: woken or closed, so the iteration ends */
    }
    PyObject *error = message_error(message);
    if (error == NULL) {
        Py_CLEAR(message);
    }
    else if (error != Py_None
             && kafka_error_code(error) != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        raise_kafka_error_object(self->client.state, Py_NewRef(error));
        Py_CLEAR(message);
    }
    Py_XDECREF(error);
    return message;
}

/* ---- many messages ---- */

/* What consume() and consume_arrow() want, and have fetched so far. */
typedef struct {
    rd_kafka_message_t **messages;
    size_t count, wanted;
    bool all; /* return all `wanted` messages or none; fewer messages wait for the next call */
    handing store;
    message_column_set wanted_columns;
    PyObject *key, *value; /* the decoders of these columns, borrowed, or NULL */
    bool headers_for_decoders;
} collected;

static void
collected_clear(collected *batch)
{
    consumer_destroy_messages(batch->messages, batch->count);
    PyMem_Free(batch->messages);
    *batch = (collected){0};
}

static void
take_read_ahead(Consumer *self, collected *batch)
{
    rd_kafka_message_t *message;
    while (batch->count < batch->wanted
           && (message = read_ahead_take(&self->read_ahead)) != NULL) {
        batch->messages[batch->count++] = message;
    }
}

/* Whether nothing has to be done before messages may be returned. */
static bool
may_hand_out(Consumer *self)
{
    return !client_has_parked(&self->client) && !consumer_is_deferring(self);
}

/*
 * Fetches the messages that arrive within `timeout_ms`. Callbacks may run. A seek or a rebalance
 * removes messages from `read_ahead`, so messages that are not returned at once are kept there,
 * too.
 */
static void
collect_more(Consumer *self, collected *batch, int timeout_ms)
{
    read_ahead *waiting = &self->read_ahead;
    size_t fetched = fetch_batch(&self->client, timeout_ms, batch->messages,
                                 batch->wanted - waiting->count);
    size_t kept = drop_revoked(self, batch->messages, fetched);
    if (kept == batch->wanted && may_hand_out(self)) {
        batch->count = kept;
    }
    else if (kept > 0) {
        read_ahead_add(waiting, batch->messages, kept);
    }
}

/*
 * Fills the batch until it is full, time is up or wakeup() is called: 0 or -1. On -1, fetched
 * messages stay for the next call, so that the exception loses none. Another thread may then hold
 * the serving lock.
 */
static int
collect(Consumer *self, collected *batch, deadline *until)
{
    Client *client = &self->client;
    read_ahead *waiting = &self->read_ahead;
    int timeout_ms = 0;
    if (is_nested(client) || consumer_is_deferring(self)) {
        return 0;
    }
    if (put_back(self) < 0) {
        return -1;
    }
    if (read_ahead_reserve(waiting, batch->wanted) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    for (;;) {
        if (waiting->count < batch->wanted) {
            collect_more(self, batch, timeout_ms);
        }
        else {
            consumer_serve_if_stale(self);
        }
        if (batch->count == batch->wanted) {
            return 0;
        }
        int go_on = 0;
        if (waiting->count < batch->wanted || !may_hand_out(self)) {
            go_on = deadline_passed(until) ? serve_raise_parked(client)
                                           : serve_check_until(client, until);
        }
        if (go_on < 0) {
            return -1;
        }
        if (!serve_is_serving(client) || consumer_is_deferring(self)) {
            return 0; /* the messages belong to another thread, or to partitions being revoked */
        }
        if (!go_on) {
            if (!batch->all || waiting->count >= batch->wanted) {
                take_read_ahead(self, batch);
            }
            return 0;
        }
        timeout_ms = deadline_remaining_ms(until, WAIT_SLICE_MS);
    }
}

int
consumer_count_from_arg(PyObject *object, int32_t *count)
{
    int64_t number;
    if (arg_int64(object, "num_messages", INT64_MIN, INT64_MAX, &number) < 0) {
        return -1;
    }
    if (number < 0 || number > MAX_MESSAGES) {
        PyErr_SetString(PyExc_ValueError, "num_messages must be between 0 and 1000000 (1M)");
        return -1;
    }
    *count = (int32_t)number;
    return 0;
}

/* Reads the arguments of consume() and consume_arrow(); NULL is the default: 0, or -1. */
static int
read_count_and_timeout(PyObject *num_messages, PyObject *timeout, int32_t *wanted,
                       deadline *until)
{
    *wanted = 1;
    if (num_messages != NULL && consumer_count_from_arg(num_messages, wanted) < 0) {
        return -1;
    }
    return deadline_from_arg(timeout, "timeout", until);
}

/* Reserves room for `wanted` messages: 0, or -1 with an exception. */
static int
collected_init(collected *batch, int32_t wanted)
{
    batch->wanted = (size_t)wanted;
    batch->messages = PyMem_Calloc(batch->wanted + 1, sizeof(*batch->messages));
    if (batch->messages == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

/* New reference; or NULL with an exception, and the messages will be fetched again. */
static PyObject *
list_of_messages(Consumer *self, collected *batch)
{
    Client *client = &self->client;
    if (batch->count == 0) {
        return PyList_New(0); /* another thread may hold the serving lock */
    }
    bool room = consumer_may_return(self, batch->count, batch->store) == 0;
    PyObject *list = room ? PyList_New((Py_ssize_t)batch->count) : NULL;
    client->names.in_batch = true;
    for (size_t i = 0; list != NULL && i < batch->count; i++) {
        record_memory_prefetch(batch->messages, i, batch->count);
        PyObject *message =
            message_from_consumed(client->state, &client->names, batch->messages[i]);
        if (message == NULL) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, (Py_ssize_t)i, message);
    }
    client->names.in_batch = false;
    client->names.current = NULL;
    if (list == NULL) {
        consumer_rewind_raising(self, batch->messages, batch->count);
        return NULL;
    }
    return list;
}

static PyObject *
messages_as_list(Consumer *self, collected *batch)
{
    PyObject *list = list_of_messages(self, batch);
    if (list != NULL) {
        consumer_returned(self, batch->messages, batch->count, batch->store);
    }
    return list;
}

/*
 * Collects messages and makes an object from them with `build`, all under the serving lock. New
 * reference, or NULL with an exception. Clears the batch.
 */
static PyObject *
collect_and_build(Consumer *self, collected *batch, int32_t wanted, deadline *until,
                  PyObject *(*build)(Consumer *, collected *))
{
    Client *client = &self->client;
    serve_frame frame;
    PyObject *result = NULL;
    if (collected_init(batch, wanted) < 0 || client_enter(client) < 0) {
        collected_clear(batch);
        return NULL;
    }
    int locked = serve_begin(client, &frame, until);
    if (locked == 1) {
        locked = wanted == 0 ? 0 : collect(self, batch, until);
        if (locked == 0) {
            result = build(self, batch);
        }
        serve_end(client, &frame);
    }
    else if (locked == 0) {
        /* Nothing was fetched: another thread held the lock all the time. */
        result = build(self, batch);
    }
    collected_clear(batch);
    client_leave(client);
    return result;
}

PyObject *
consumer_consume_now(Consumer *self, int32_t wanted, bool all, handing store)
{
    collected batch = {.all = all, .store = store};
    deadline now = deadline_after(0);
    return collect_and_build(self, &batch, wanted, &now, messages_as_list);
}

PyDoc_STRVAR(consume_doc,
"consume($self, /, num_messages=1, timeout=-1)\n--\n\n"
"Fetch a list of messages, and serve callbacks.\n\n"
"Args:\n"
"    num_messages (int): the maximum number of messages, up to 1,000,000.\n"
"    timeout (float): seconds to wait for all of them; -1 waits without limit, 0 returns what is\n"
"        available.\n\n"
"Returns:\n"
"    list of Message: Fewer than num_messages if time was up or after wakeup(); none inside a\n"
"    callback of this consumer. A message with an error() is an event, and not a record.\n\n"
"Raises:\n"
"    Exception: a callback or a signal handler raised it. Fetched messages are not lost: the next\n"
"        call returns them.\n\n"
"librdkafka: rd_kafka_consume_batch_queue().");

SIGNATURE(consume_signature, "consume()", 0, 2, P_num_messages, P_timeout);

static PyObject *
consume(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[2];
    collected batch = {.store = STORED};
    int32_t wanted;
    deadline until;
    if (client_args(&self->client, &consume_signature, args, nargs, kwnames, values) < 0
        || read_count_and_timeout(values[0], values[1], &wanted, &until) < 0) {
        return NULL;
    }
    return collect_and_build(self, &batch, wanted, &until, messages_as_list);
}

/* ---- columns ---- */

static int
append_eof(Consumer *self, PyObject *eof, const rd_kafka_message_t *message)
{
    rd_kafka_topic_partition_t partition = {
        .topic = (char *)rd_kafka_topic_name(message->rkt),
        .partition = message->partition,
        .offset = message->offset,
    };
    PyObject *object = topic_partition_from(self->client.state, &partition);
    int result = object == NULL ? -1 : PyList_Append(eof, object);
    Py_XDECREF(object);
    return result;
}

/*
 * Moves the records to the front and destroys all other messages. Ends of partitions are added to
 * `eof`, errors are parked. Returns 0, or -1 with an exception.
 */
static int
keep_records(Consumer *self, collected *batch, PyObject *eof)
{
    size_t kept = 0;
    int result = 0;
    for (size_t i = 0; i < batch->count; i++) {
        rd_kafka_message_t *message = batch->messages[i];
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            batch->messages[kept++] = message;
            continue;
        }
        if (message->err != RD_KAFKA_RESP_ERR__PARTITION_EOF) {
            consumer_park_error(self, message);
            rd_kafka_message_destroy(message);
            continue;
        }
        if (result == 0) {
            result = append_eof(self, eof, message);
        }
        consumer_returned(self, &message, 1, batch->store); /* a take keeps it, to give it back */
        consumer_destroy_messages(&message, 1);
    }
    batch->count = kept;
    return result;
}

/*
 * The batch with decoded keys or values. Both decoders are from confluent_kafka.columns, which also
 * decodes the batch. The batch's reference is stolen. NULL with an exception.
 */
static PyObject *
decoded_batch(PyObject *messages, const collected *batch)
{
    bool with_headers = (batch->wanted_columns & MESSAGE_COLUMN(FIELD_HEADERS)) != 0;
    PyObject *decoder = batch->value != NULL ? batch->value : batch->key;
    if (messages == NULL || decoder == NULL) {
        return messages;
    }
    PyObject *decoded = PyObject_CallMethod(
        decoder, "_decode_batch", "OOOO", messages, batch->key != NULL ? batch->key : Py_None,
        batch->value != NULL ? batch->value : Py_None, with_headers ? Py_True : Py_False);
    Py_DECREF(messages);
    return decoded;
}

static message_column_set
columns_to_build(const collected *batch)
{
    return batch->wanted_columns
           | (batch->headers_for_decoders ? MESSAGE_COLUMN(FIELD_HEADERS) : 0);
}

static PyObject *
messages_as_columns(Consumer *self, collected *batch)
{
    bool fetched_any = batch->count > 0; /* otherwise another thread may hold the serving lock */
    PyObject *eof = PyList_New(0);
    if (eof == NULL || consumer_may_return(self, batch->count, batch->store) < 0
        || keep_records(self, batch, eof) < 0) {
        Py_XDECREF(eof);
        consumer_rewind_raising(self, batch->messages, batch->count);
        return NULL;
    }
    if (fetched_any && batch->count == 0 && PyList_GET_SIZE(eof) == 0
        && serve_raise_parked(&self->client) < 0) {
        Py_DECREF(eof);
        return NULL;
    }
    size_t taken = batch->count;
    PyObject *messages = message_batch_new(self->client.state, batch->messages, &taken,
                                           columns_to_build(batch), eof);
    PyObject *result = decoded_batch(messages, batch);
    if (result != NULL) {
        consumer_returned(self, batch->messages, taken, batch->store);
        /* Arrow's 32-bit offsets hold 2 GiB of values; the remaining messages come next time. */
        consumer_rewind_messages(self, batch->messages + taken, batch->count - taken);
    }
    else {
        consumer_rewind_raising(self, batch->messages, batch->count);
    }
    return result;
}

PyDoc_STRVAR(consume_arrow_doc,
"consume_arrow($self, /, num_messages=1, timeout=-1, *, headers=False,\n"
"              columns=None, key=None, value=None)\n--\n\n"
"Fetch messages as Arrow columns, and serve callbacks.\n\n"
"Columns: key binary, value binary, topic string, partition int32, offset int64, timestamp\n"
"timestamp[us, UTC], timestampType int32 (the columns of Spark's Kafka source), and headers\n"
"list<struct<key: string, value: binary>> if requested. The buffers are filled without\n"
"the GIL. pyarrow, polars, DuckDB or pandas read them without a copy, for example\n"
"pyarrow.record_batch(batch).\n\n"
"Args:\n"
"    num_messages (int): the maximum number of rows, up to 1,000,000.\n"
"    timeout (float): seconds to wait for all of them; -1 waits without limit, 0 returns what is\n"
"        available.\n"
"    headers (bool): whether to add the column of headers.\n"
"    columns (list of str, optional): the columns to build; all when None. The result has them in\n"
"        the order above.\n"
"    key (AvroColumns or another decoder of confluent_kafka.columns, optional): decodes the keys\n"
"        into a column of structs.\n"
"    value (AvroColumns or another decoder, optional): decodes the values.\n\n"
"Returns:\n"
"    MessageBatch: Its eof lists the partitions whose end was reached (with\n"
"    enable.partition.eof). With `key` or `value`: a confluent_kafka.columns.DecodedBatch.\n\n"
"Raises:\n"
"    KafkaException: an error of the consumer; the rows before it have been returned.\n"
"    SchemaRegistryError: the registry could not be asked for the schemas of `key` or `value`.\n"
"    Exception: a callback or a signal handler raised it. Fetched rows are not lost.\n\n"
"Source: rd_kafka_consume_batch_queue(); Arrow C data interface, PyCapsule protocol.");

SIGNATURE(consume_arrow_signature, "consume_arrow()", 0, 2, P_num_messages, P_timeout,
          P_headers, P_columns, P_key, P_value);

/* Records whether a decoder reads headers: 0, or -1 with an exception. */
static int
note_headers(PyObject *decoder, collected *batch)
{
    PyObject *attribute = attribute_of(decoder, "_reads_headers");
    int reads = attribute == NULL ? -1 : PyObject_IsTrue(attribute);
    Py_XDECREF(attribute);
    batch->headers_for_decoders |= reads > 0;
    return reads < 0 ? -1 : 0;
}

/* The decoder of a column, borrowed; NULL for None. 0, or -1 with an exception. */
static int
decoder_from_arg(PyObject *object, const char *name, enum message_field field, collected *batch,
                 PyObject **decoder)
{
    if (object == NULL || object == Py_None) {
        return 0;
    }
    if ((batch->wanted_columns & MESSAGE_COLUMN(field)) == 0) {
        PyErr_Format(PyExc_ValueError, "%s is to be decoded, but columns does not name it", name);
        return -1;
    }
    if (!PyObject_HasAttrString(object, "_decode_batch")) {
        PyErr_Format(PyExc_TypeError,
                     "%s must be AvroColumns or another decoder of confluent_kafka.columns, not "
                     "%.100s",
                     name, Py_TYPE(object)->tp_name);
        return -1;
    }
    *decoder = object;
    return note_headers(object, batch);
}

static PyObject *
consume_arrow(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[6];
    bool with_headers = false;
    collected batch = {.store = STORED};
    int32_t wanted;
    deadline until;
    if (client_args(&self->client, &consume_arrow_signature, args, nargs, kwnames, values) < 0
        || (values[2] != NULL && arg_bool(values[2], "headers", &with_headers) < 0)
        || message_column_set_from_args(values[3], with_headers, &batch.wanted_columns) < 0
        || decoder_from_arg(values[4], "key", FIELD_KEY, &batch, &batch.key) < 0
        || decoder_from_arg(values[5], "value", FIELD_VALUE, &batch, &batch.value) < 0
        || read_count_and_timeout(values[0], values[1], &wanted, &until) < 0) {
        return NULL;
    }
    return collect_and_build(self, &batch, wanted, &until, messages_as_columns);
}

PyDoc_STRVAR(take_arrow_doc,
"_take_arrow($self, num_messages, take, headers, columns, /)\n--\n\n"
"Do what consume_arrow(num_messages, 0) does, but keep the messages in flight; see _hand_out().");

SIGNATURE(take_arrow_signature, "_take_arrow()", 4, 4, P_num_messages, P_take, P_headers,
          P_columns);

static PyObject *
take_arrow(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[4];
    bool with_headers;
    collected batch = {0};
    int32_t wanted;
    deadline now = deadline_after(0);
    if (client_args(&self->client, &take_arrow_signature, args, nargs, NULL, values) < 0
        || consumer_count_from_arg(values[0], &wanted) < 0
        || consumer_handing_from_arg(values[1], "take", &batch.store) < 0
        || arg_bool(values[2], "headers", &with_headers) < 0
        || message_column_set_from_args(values[3], with_headers, &batch.wanted_columns) < 0) {
        return NULL;
    }
    return collect_and_build(self, &batch, wanted, &now, messages_as_columns);
}

PyDoc_STRVAR(take_one_doc,
"_take_one($self, timeout, take, /)\n--\n\n"
"Do what poll(timeout) does, but keep the message in flight; see _hand_out().");

SIGNATURE(take_one_signature, "_take_one()", 2, 2, P_timeout, P_take);

static PyObject *
take_one(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[2], *result = NULL;
    handing take;
    deadline until;
    if (client_args(&self->client, &take_one_signature, args, nargs, NULL, values) < 0
        || deadline_from_arg(values[0], "timeout", &until) < 0
        || consumer_handing_from_arg(values[1], "take", &take) < 0) {
        return NULL;
    }
    int found = consumer_poll_message(self, &until, take, &result);
    return found < 0 ? NULL : found == 0 ? Py_NewRef(Py_None) : result;
}

int
consumer_gather(Consumer *self, size_t wanted)
{
    read_ahead *waiting = &self->read_ahead;
    if (put_back(self) < 0) {
        return -1;
    }
    if (read_ahead_reserve(waiting, wanted) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    size_t fetched = 1;
    while (fetched > 0 && waiting->count < wanted && !consumer_is_deferring(self)) {
        size_t missing = wanted - waiting->count;
        size_t next = missing < READ_AHEAD_SIZE ? missing : READ_AHEAD_SIZE;
        fetched = consumer_fetch_ahead(self, 0, next);
        if (serve_raise_parked(&self->client) < 0) {
            return -1;
        }
    }
    return 0;
}

PyMethodDef consumer_fetch_methods[] = {
    {"poll", WITH_KEYWORDS(poll), poll_doc},
    {"consume", WITH_KEYWORDS(consume), consume_doc},
    {"consume_arrow", WITH_KEYWORDS(consume_arrow), consume_arrow_doc},
    {"_take_arrow", WITHOUT_KEYWORDS(take_arrow), take_arrow_doc},
    {"_take_one", WITHOUT_KEYWORDS(take_one), take_one_doc},
    {NULL, NULL, 0, NULL},
};

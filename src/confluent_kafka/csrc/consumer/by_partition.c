/*
 * Messages by partition, for the compatibility APIs. Only _wait() waits.
 */
#include "consumer/consumer.h"

#include "client/exceptions.h"
#include "client/guard.h"
#include "client/serve.h"
#include "consumer/record_memory.h"
#include "values/message.h"
#include "values/record.h"
#include "values/topic_partition.h"

/* What a call wants to take, and what it has taken. */
typedef struct {
    rd_kafka_topic_partition_list_t *wanted; /* NULL: any partition */
    handing store;
    PyTypeObject *record_type;               /* the type of the objects; NULL: Message */
    PyObject *partition_type;                /* the type of the dict's keys; NULL: TopicPartition */
    size_t partition_bytes;                  /* the limit for one partition, see byte_count */
    rd_kafka_message_t **messages;
    size_t limit, count;
} selection;

/* The bytes of keys and values that were taken from each partition. */
typedef struct {
    rd_kafka_topic_partition_list_t *sums; /* the sum of each partition is in `offset` */
    rd_kafka_topic_partition_t *current;   /* the partition of the last message */
    const rd_kafka_topic_t *topic;         /* its topic */
} byte_count;

/* ---- the arguments ---- */

static void
selection_clear(selection *self)
{
    consumer_destroy_messages(self->messages, self->count);
    PyMem_Free(self->messages);
    if (self->wanted != NULL) {
        rd_kafka_topic_partition_list_destroy(self->wanted);
    }
    *self = (selection){0};
}

static bool
is_given(PyObject *argument)
{
    return argument != NULL && argument != Py_None;
}

/* Argument `record_type`: 0, or -1 with an exception. */
static int
record_type_argument(module_state *state, PyObject *object, PyTypeObject **type)
{
    *type = is_given(object) ? record_type_from_arg(state, object, "record_type") : NULL;
    return is_given(object) && *type == NULL ? -1 : 0;
}

/* Argument `partition_bytes`: 0, or -1 with an exception. */
static int
partition_bytes_argument(PyObject *object, size_t *bytes)
{
    int64_t number = INT64_MAX;
    if (is_given(object) && arg_int64(object, "partition_bytes", 1, INT64_MAX, &number) < 0) {
        return -1;
    }
    *bytes = (size_t)number;
    return 0;
}

/* 0, or -1 with an exception. The caller calls selection_clear() in any case. */
static int
selection_init(selection *self, module_state *state, size_t limit, PyObject *partitions,
               PyObject *store, PyObject *record_type)
{
    if (consumer_handing_from_arg(store, "store", &self->store) < 0
        || record_type_argument(state, record_type, &self->record_type) < 0) {
        return -1;
    }
    self->partition_bytes = SIZE_MAX;
    if (partitions != Py_None) {
        self->wanted = topic_partitions_to_c(state, partitions, "partitions");
        if (self->wanted == NULL) {
            return -1;
        }
    }
    self->limit = limit;
    self->messages = PyMem_Calloc(limit + 1, sizeof(*self->messages));
    if (self->messages == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

/* ---- looking for messages ---- */

/* The byte count of the message's partition. */
static int64_t *
bytes_of_partition(byte_count *self, const rd_kafka_message_t *message)
{
    if (self->topic != message->rkt || self->current->partition != message->partition) {
        const char *topic = rd_kafka_topic_name(message->rkt);
        self->topic = message->rkt;
        self->current =
            rd_kafka_topic_partition_list_find(self->sums, topic, message->partition);
        if (self->current == NULL) {
            self->current =
                rd_kafka_topic_partition_list_add(self->sums, topic, message->partition);
            self->current->offset = 0;
        }
    }
    return &self->current->offset;
}

/* Counts a message if it may still be taken. Returns whether it may. */
static bool
has_room(const selection *taken, byte_count *bytes, const rd_kafka_message_t *message)
{
    if (taken->partition_bytes == SIZE_MAX || message->rkt == NULL) {
        return true;
    }
    int64_t *sum = bytes_of_partition(bytes, message);
    size_t size = message->len + message->key_len;
    if (*sum > 0 && (size_t)*sum + size > taken->partition_bytes) {
        return false;
    }
    *sum += (int64_t)size;
    return true;
}

/* An event with an error is taken alone; the messages before it come first. */
static void
take_any(Consumer *self, selection *taken)
{
    const rd_kafka_message_t *first;
    byte_count bytes = {.sums = rd_kafka_topic_partition_list_new(8)};
    bool error = false;
    while (!error && taken->count < taken->limit
           && (first = read_ahead_first(&self->read_ahead)) != NULL) {
        error = read_ahead_is_error(first);
        if ((error && taken->count > 0) || !has_room(taken, &bytes, first)) {
            break;
        }
        taken->messages[taken->count++] = read_ahead_take(&self->read_ahead);
    }
    rd_kafka_topic_partition_list_destroy(bytes.sums);
}

static int
select_any(Consumer *self, selection *taken)
{
    size_t step = taken->limit < LONGEST_STEP ? taken->limit : LONGEST_STEP;
    if (self->read_ahead.count >= step) {
        consumer_serve_if_stale(self);
    }
    if (consumer_gather(self, step) < 0 || serve_raise_parked(&self->client) < 0) {
        return -1;
    }
    if (!consumer_is_deferring(self)) {
        take_any(self, taken);
    }
    return 0;
}

/* Moves fetched messages to the shelves of their partitions: 0, or -1 with an exception. */
static int
sort_out(Consumer *self, const selection *taken)
{
    int result = shelves_sort(&self->shelves, &self->read_ahead);
    shelves_balance(&self->shelves, self->client.rk, taken->wanted);
    if (result < 0) {
        PyErr_NoMemory();
    }
    return result;
}

/* Callbacks that run here may drop messages, so they are counted again each time. */
static int
select_wanted(Consumer *self, selection *taken)
{
    consumer_take_back(self);
    consumer_serve_if_stale(self);
    size_t fetched = 1;
    for (size_t sum = 0;; sum += fetched) {
        if (sort_out(self, taken) < 0 || serve_raise_parked(&self->client) < 0) {
            return -1;
        }
        if (consumer_is_deferring(self)) {
            return 0;
        }
        if (fetched == 0 || sum >= LONGEST_STEP
            || shelves_waiting(&self->shelves, taken->wanted) >= taken->limit) {
            break;
        }
        fetched = consumer_fetch_ahead(self, 0, READ_AHEAD_SIZE);
    }
    taken->count = shelves_take(&self->shelves, taken->wanted, taken->messages, taken->limit,
                                taken->partition_bytes);
    return 0;
}

/* ---- from messages to objects ---- */

/* The key for the message's partition: new reference, or NULL with an exception. */
static PyObject *
partition_of(Consumer *self, const selection *taken, const rd_kafka_message_t *message)
{
    Client *client = &self->client;
    rd_kafka_topic_partition_t place = {
        .topic = (char *)rd_kafka_topic_name(message->rkt),
        .partition = message->partition,
        .offset = RD_KAFKA_OFFSET_INVALID,
    };
    if (taken->partition_type == NULL) {
        return topic_partition_from(client->state, &place);
    }
    PyObject *topic = topic_names_get(&client->names, message->rkt);
    return topic == NULL ? NULL
                         : call_with(taken->partition_type,
                                     Py_BuildValue("Ni", topic, (int)message->partition));
}

/* The list for the message's partition in `result`, created if necessary; borrowed, or NULL. */
static PyObject *
list_for(Consumer *self, PyObject *result, const selection *taken,
         const rd_kafka_message_t *message)
{
    PyObject *key = partition_of(self, taken, message);
    if (key == NULL) {
        return NULL;
    }
    PyObject *list = PyDict_GetItemWithError(result, key);
    if (list == NULL && !PyErr_Occurred()) {
        list = PyList_New(0);
        if (list != NULL && PyDict_SetItem(result, key, list) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(list); /* the dict holds a reference */
    }
    Py_DECREF(key);
    return list;
}

/* Errors always become Message objects. */
static PyObject *
object_from(Consumer *self, PyTypeObject *record_type, rd_kafka_message_t *message)
{
    Client *client = &self->client;
    if (record_type == NULL || message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return message_from_consumed(client->state, &client->names, message);
    }
    return record_from_consumed(client->state, &client->names, record_type, message);
}

static int
append(Consumer *self, PyObject *list, PyTypeObject *record_type, rd_kafka_message_t *message)
{
    PyObject *object = object_from(self, record_type, message);
    int failed = object == NULL ? -1 : PyList_Append(list, object);
    Py_XDECREF(object);
    return failed;
}

static int
fill(Consumer *self, PyObject *result, const selection *taken)
{
    PyObject *list = NULL;
    for (size_t i = 0; i < taken->count; i++) {
        rd_kafka_message_t *message = taken->messages[i];
        const rd_kafka_message_t *last = i == 0 ? NULL : taken->messages[i - 1];
        if (last == NULL || message->rkt != last->rkt || message->partition != last->partition) {
            list = list_for(self, result, taken, message);
        }
        record_memory_prefetch(taken->messages, i, taken->count);
        if (list == NULL || append(self, list, taken->record_type, message) < 0) {
            return -1;
        }
    }
    return 0;
}

static PyObject *
as_dict(Consumer *self, const selection *taken)
{
    topic_names *names = &self->client.names;
    PyObject *result = PyDict_New();
    if (result == NULL || taken->count == 0) {
        return result; /* another thread may hold the serving lock */
    }
    names->in_batch = true;
    if (fill(self, result, taken) < 0) {
        Py_CLEAR(result);
    }
    names->in_batch = false;
    names->current = NULL;
    return result;
}

static PyObject *
as_object(Consumer *self, const selection *taken)
{
    if (taken->count == 0) {
        Py_RETURN_NONE;
    }
    return object_from(self, taken->record_type, taken->messages[0]);
}

/* ---- the calls ---- */

static PyObject *
hand_out(Consumer *self, selection *taken,
         PyObject *(*convert)(Consumer *, const selection *))
{
    bool room = consumer_may_return(self, taken->count, taken->store) == 0;
    PyObject *result = room ? convert(self, taken) : NULL;
    if (result == NULL) {
        consumer_rewind_raising(self, taken->messages, taken->count);
    }
    else if (taken->count > 0) {
        consumer_returned(self, taken->messages, taken->count, taken->store);
    }
    return result;
}

/* New reference, or NULL with an exception. */
static PyObject *
select_and_hand_out(Consumer *self, selection *taken,
                    PyObject *(*convert)(Consumer *, const selection *))
{
    Client *client = &self->client;
    deadline now = deadline_after(0);
    serve_frame frame;
    PyObject *result = NULL;
    if (client_enter(client) < 0) {
        return NULL;
    }
    int locked = serve_begin(client, &frame, &now);
    if (locked == 1) {
        /* A callback gets nothing: the surrounding fetch has messages that come first. */
        int failed = serve_is_nested(client)     ? 0
                     : taken->wanted == NULL ? select_any(self, taken)
                                             : select_wanted(self, taken);
        if (failed == 0) {
            result = hand_out(self, taken, convert);
        }
        serve_end(client, &frame);
    }
    else if (locked == 0) {
        result = hand_out(self, taken, convert);
    }
    client_leave(client);
    return result;
}

static PyObject *
as_dict_or_event(Consumer *self, const selection *taken)
{
    return taken->count > 0 && read_ahead_is_error(taken->messages[0]) ? as_object(self, taken)
                                                            : as_dict(self, taken);
}

PyDoc_STRVAR(by_partition_doc,
"_by_partition($self, /, num_messages, partitions, store, record_type=None,\n"
"              partition_type=None, partition_bytes=None)\n--\n\n"
"Return messages by partition, without waiting, and serve callbacks.\n\n"
"Messages from other partitions stay buffered, in order. If the result is empty but\n"
"_queue_length() is not 0, there may be more.\n\n"
"Args:\n"
"    num_messages (int): the maximum number of messages.\n"
"    partitions (list of TopicPartition or None): the partitions; None for all.\n"
"    store (bool or int): as for _poll_now().\n"
"    record_type (type, optional): the type of the records instead of Message: a subclass of\n"
"        _Record, or a named tuple of its thirteen fields.\n"
"    partition_type (callable, optional): makes a key of the dict from topic and partition.\n"
"    partition_bytes (int, optional): the maximum size of the keys and values from each\n"
"        partition. Only a partition's first message may be larger.\n\n"
"Returns:\n"
"    dict of TopicPartition to list of Message. If an event with an error comes before all\n"
"    messages, the Message of that event.");

SIGNATURE(by_partition_signature, "_by_partition()", 3, 6, P_num_messages, P_partitions,
          P_store, P_record_type, P_partition_type, P_partition_bytes);

static PyObject *
by_partition(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    module_state *state = self->client.state;
    PyObject *values[6];
    PyObject *result = NULL;
    selection taken = {0};
    int32_t limit;
    if (client_args(&self->client, &by_partition_signature, args, nargs, kwnames, values) < 0
        || consumer_count_from_arg(values[0], &limit) < 0) {
        return NULL;
    }
    if (selection_init(&taken, state, (size_t)limit, values[1], values[2], values[3]) == 0
        && arg_callable(values[4], "partition_type", &taken.partition_type) == 0
        && partition_bytes_argument(values[5], &taken.partition_bytes) == 0) {
        result = select_and_hand_out(self, &taken, as_dict_or_event);
    }
    selection_clear(&taken);
    return result;
}

PyDoc_STRVAR(poll_of_doc,
"_poll_of($self, /, partitions, store, record_type=None)\n--\n\n"
"Return the next message or event of these partitions, or None; see _by_partition().");

SIGNATURE(poll_of_signature, "_poll_of()", 2, 3, P_partitions, P_store, P_record_type);

static PyObject *
as_record_or_event(Consumer *self, rd_kafka_message_t *message, void *record_type)
{
    return object_from(self, record_type, message);
}

/* Like poll(0), which may fetch ahead: new reference, or NULL with an exception. */
static PyObject *
poll_any(Consumer *self, PyObject *store_argument, PyObject *type_argument)
{
    PyTypeObject *record_type;
    handing store;
    deadline now = deadline_after(0);
    PyObject *result;
    if (consumer_handing_from_arg(store_argument, "store", &store) < 0
        || record_type_argument(self->client.state, type_argument, &record_type) < 0) {
        return NULL;
    }
    int found =
        consumer_poll_object(self, &now, as_record_or_event, record_type, store, &result);
    return found < 0 ? NULL : found == 0 ? Py_NewRef(Py_None) : result;
}

static PyObject *
poll_of(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    module_state *state = self->client.state;
    PyObject *values[3];
    PyObject *result = NULL;
    selection taken = {0};
    if (client_args(&self->client, &poll_of_signature, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    if (values[0] == Py_None) {
        return poll_any(self, values[1], values[2]);
    }
    if (selection_init(&taken, state, 1, values[0], values[1], values[2]) == 0) {
        result = select_and_hand_out(self, &taken, as_object);
    }
    selection_clear(&taken);
    return result;
}

/*
 * Between serve_begin() and serve_end(): 1 if there is a message; 0 if callbacks ran, time is up
 * or wakeup() was called; -1 exception.
 */
static int
wait_for_one(Consumer *self, deadline *until)
{
    Client *client = &self->client;
    Py_ssize_t callbacks = serve_count(client);
    while (!serve_is_nested(client) && self->read_ahead.count == 0) {
        if (serve_raise_parked(client) < 0) {
            return -1;
        }
        if (serve_count(client) != callbacks || consumer_is_deferring(self)
            || deadline_passed(until)) {
            return 0;
        }
        int go_on = serve_check_until(client, until);
        if (go_on <= 0) {
            return go_on;
        }
        consumer_fetch_ahead(self, deadline_remaining_ms(until, WAIT_SLICE_MS), 1);
    }
    return 1;
}

PyDoc_STRVAR(wait_doc,
"_wait($self, seconds, /)\n--\n\n"
"Wait until a message is available or callbacks have run. The message is not taken.\n\n"
"Args:\n"
"    seconds (float): how long to wait; -1 waits without limit.\n\n"
"Raises:\n"
"    Exception: raised by a callback.");

static PyObject *
wait_(PyObject *object, PyObject *seconds)
{
    Consumer *self = (Consumer *)object;
    deadline until;
    serve_frame frame;
    if (deadline_from_arg(seconds, "seconds", &until) < 0 || client_enter(&self->client) < 0) {
        return NULL;
    }
    int result = serve_begin(&self->client, &frame, &until);
    if (result == 1) {
        result = wait_for_one(self, &until);
        serve_end(&self->client, &frame);
    }
    client_leave(&self->client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyMethodDef consumer_by_partition_methods[] = {
    {"_wait", wait_, METH_O, wait_doc},
    {"_by_partition", WITH_KEYWORDS(by_partition), by_partition_doc},
    {"_poll_of", WITH_KEYWORDS(poll_of), poll_of_doc},
    {NULL, NULL, 0, NULL},
};

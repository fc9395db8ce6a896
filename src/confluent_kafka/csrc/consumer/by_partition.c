/*
 * Messages by partition, and of certain partitions, for event loops: nothing here waits.
 */
#include "consumer/consumer.h"

#include "client/exceptions.h"
#include "client/guard.h"
#include "client/serve.h"
#include "consumer/record_memory.h"
#include "values/message.h"
#include "values/topic_partition.h"

/* A call must not keep the loop for longer: it is repeated while the queue has more. */
#define LONGEST_STEP 10000

/* What a call is to take, and what it has taken. */
typedef struct {
    rd_kafka_topic_partition_list_t *wanted; /* NULL: any partition */
    bool store;                              /* the offsets of what is handed out */
    rd_kafka_message_t **messages;
    size_t limit, count;
} selection;

/* ---- the arguments ---- */

static void
selection_clear(selection *self)
{
    for (size_t i = 0; i < self->count; i++) {
        rd_kafka_message_destroy(self->messages[i]);
    }
    PyMem_Free(self->messages);
    if (self->wanted != NULL) {
        rd_kafka_topic_partition_list_destroy(self->wanted);
    }
    *self = (selection){0};
}

/* 0, or -1 with an exception; selection_clear() in any case. */
static int
selection_init(selection *self, module_state *state, size_t limit, PyObject *partitions,
               PyObject *store)
{
    if (arg_bool(store, "store", &self->store) < 0) {
        return -1;
    }
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

static bool
is_error(const rd_kafka_message_t *message)
{
    return message->err != RD_KAFKA_RESP_ERR_NO_ERROR
           && message->err != RD_KAFKA_RESP_ERR__PARTITION_EOF;
}

/* An event with an error is taken alone, after the messages before it. */
static void
take_any(Consumer *self, selection *taken)
{
    const rd_kafka_message_t *first;
    while (taken->count < taken->limit
           && (first = read_ahead_first(&self->read_ahead)) != NULL) {
        bool error = is_error(first);
        if (error && taken->count > 0) {
            return;
        }
        taken->messages[taken->count++] = read_ahead_take(&self->read_ahead);
        if (error) {
            return;
        }
    }
}

static int
select_any(Consumer *self, selection *taken)
{
    size_t step = taken->limit < LONGEST_STEP ? taken->limit : LONGEST_STEP;
    if (self->read_ahead.count >= step) {
        consumer_serve_if_stale(self);
    }
    if (consumer_gather(self, step) < 0 || client_raise_parked(&self->client) < 0) {
        return -1;
    }
    if (!consumer_is_deferring(self)) {
        take_any(self, taken);
    }
    return 0;
}

/* Puts what was fetched where its partition's messages wait: 0, or -1 with an exception. */
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

/* Callbacks that run meanwhile may drop what has been found: it is counted again each time. */
static int
select_wanted(Consumer *self, selection *taken)
{
    consumer_serve_if_stale(self);
    size_t fetched = 1;
    for (size_t sum = 0;; sum += fetched) {
        if (sort_out(self, taken) < 0 || client_raise_parked(&self->client) < 0) {
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
    taken->count =
        shelves_take(&self->shelves, taken->wanted, taken->messages, taken->limit);
    return 0;
}

/* ---- from messages to objects ---- */

/* A new list, in `result`, for messages of that one's partition; borrowed, or NULL. */
static PyObject *
list_for(Consumer *self, PyObject *result, const rd_kafka_message_t *message)
{
    rd_kafka_topic_partition_t place = {
        .topic = (char *)rd_kafka_topic_name(message->rkt),
        .partition = message->partition,
        .offset = RD_KAFKA_OFFSET_INVALID,
    };
    PyObject *key = topic_partition_from(self->client.state, &place);
    if (key == NULL) {
        return NULL;
    }
    PyObject *list = PyDict_GetItemWithError(result, key);
    if (list == NULL && !PyErr_Occurred()) {
        list = PyList_New(0);
        if (list != NULL && PyDict_SetItem(result, key, list) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(list); /* the dict has it */
    }
    Py_DECREF(key);
    return list;
}

static int
append(Consumer *self, PyObject *list, rd_kafka_message_t *message)
{
    Client *client = &self->client;
    PyObject *object = message_from_consumed(client->state, &client->names, message);
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
            list = list_for(self, result, message);
        }
        record_memory_prefetch(taken->messages, i, taken->count);
        if (list == NULL || append(self, list, message) < 0) {
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
    Client *client = &self->client;
    return message_from_consumed(client->state, &client->names, taken->messages[0]);
}

/* ---- the calls ---- */

static PyObject *
hand_out(Consumer *self, selection *taken,
         PyObject *(*convert)(Consumer *, const selection *))
{
    PyObject *result = convert(self, taken);
    if (result == NULL) {
        consumer_rewind_raising(self, taken->messages, taken->count);
    }
    else if (taken->count > 0) {
        consumer_handed_out(self, taken->messages, taken->count, taken->store);
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
        /* In a callback there is nothing: the fetch around it has messages that come first. */
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
    return taken->count > 0 && is_error(taken->messages[0]) ? as_object(self, taken)
                                                            : as_dict(self, taken);
}

PyDoc_STRVAR(by_partition_doc,
"_by_partition($self, /, num_messages, partitions, store)\n--\n\n"
"Return messages by partition, without waiting, and serve callbacks.\n\n"
"Messages of other partitions stay at hand, in order. An empty result while _queue_length() is\n"
"not 0 means that there may be more.\n\n"
"Args:\n"
"    num_messages (int): the maximum number of messages.\n"
"    partitions (list of TopicPartition or None): those to return messages of; None for all.\n"
"    store (bool): whether to store the offsets; False leaves it to _store().\n\n"
"Returns:\n"
"    dict of TopicPartition to list of Message, or the Message of an event with an error, when it\n"
"    comes before all others.");

SIGNATURE(by_partition_signature, "_by_partition()", 3, 3, P_num_messages, P_partitions,
          P_store);

static PyObject *
by_partition(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    module_state *state = self->client.state;
    PyObject *values[3];
    PyObject *result = NULL;
    selection taken = {0};
    int32_t limit;
    if (args_parse(state, &by_partition_signature, args, nargs, kwnames, values) < 0
        || consumer_count_from_arg(values[0], &limit) < 0) {
        return NULL;
    }
    if (selection_init(&taken, state, (size_t)limit, values[1], values[2]) == 0) {
        result = select_and_hand_out(self, &taken, as_dict_or_event);
    }
    selection_clear(&taken);
    return result;
}

PyDoc_STRVAR(poll_of_doc,
"_poll_of($self, /, partitions, store)\n--\n\n"
"Return the next message or event of these partitions, or None; see _by_partition().");

SIGNATURE(poll_of_signature, "_poll_of()", 2, 2, P_partitions, P_store);

static PyObject *
poll_of(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    module_state *state = self->client.state;
    PyObject *values[2];
    PyObject *result = NULL;
    selection taken = {0};
    if (args_parse(state, &poll_of_signature, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    if (selection_init(&taken, state, 1, values[0], values[1]) == 0) {
        result = select_and_hand_out(self, &taken, as_object);
    }
    selection_clear(&taken);
    return result;
}

PyMethodDef consumer_by_partition_methods[] = {
    {"_by_partition", WITH_KEYWORDS(by_partition), by_partition_doc},
    {"_poll_of", WITH_KEYWORDS(poll_of), poll_of_doc},
    {NULL, NULL, 0, NULL},
};

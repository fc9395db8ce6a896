/*
 * Handing out messages, and giving back messages that were not handed out.
 */
#include "consumer/consumer.h"

#include "client/exceptions.h"
#include "client/guard.h"
#include "client/serve.h"
#include "consumer/topic_version.h"
#include "values/topic_partition.h"

static bool
same_partition(const rd_kafka_message_t *one, const rd_kafka_message_t *other)
{
    return one->partition == other->partition && one->rkt == other->rkt;
}

int
consumer_handing_from_arg(PyObject *object, const char *name, handing *store)
{
    return arg_int64(object, name, LEFT_UNSTORED, INT64_MAX, store);
}

/* The take of an internal step. The application's calls count up from 2. */
#define PASSING_TAKE INT64_MAX

/* Messages that a call hands out at once must not overtake the messages of a take either. */
static handing
take_for(const Consumer *self, handing store)
{
    return store == STORED && in_flight_any(&self->in_flight) ? PASSING_TAKE : store;
}

int
consumer_may_return(Consumer *self, size_t count, handing store)
{
    return take_for(self, store) > STORED ? in_flight_reserve(&self->in_flight, count) : 0;
}

void
consumer_destroy_messages(rd_kafka_message_t **messages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (messages[i] != NULL) {
            rd_kafka_message_destroy(messages[i]);
        }
    }
}

/* Later calls continue after these messages. */
static void
note_returned(Consumer *self, rd_kafka_message_t **messages, size_t count, bool store)
{
    for (size_t i = 0; i < count; i++) {
        rd_kafka_message_t *message = messages[i];
        bool last_of_run = i + 1 == count || messages[i + 1]->err != RD_KAFKA_RESP_ERR_NO_ERROR
                           || !same_partition(message, messages[i + 1]);
        if (!last_of_run || message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            continue;
        }
        if (self->rewound->cnt > 0) {
            rd_kafka_topic_partition_list_del(
                self->rewound, rd_kafka_topic_name(message->rkt), message->partition);
        }
        fence_end(&self->fence, rd_kafka_topic_name(message->rkt), message->partition);
        if (store && self->auto_offset_store) {
            /* It only fails if the partition was revoked, or its topic was deleted and created
             * again. In these cases it must fail. */
            rd_kafka_error_destroy(rd_kafka_offset_store_message(message));
        }
    }
}

/* False if the take has lost a partition; the take then stays open. */
static bool
hand_out_take(Consumer *self, handing take)
{
    return in_flight_hand_out(&self->in_flight, take,
                              self->auto_offset_store ? self->client.rk : NULL);
}

void
consumer_returned(Consumer *self, rd_kafka_message_t **messages, size_t count, handing store)
{
    handing take = take_for(self, store);
    note_returned(self, messages, count, take == STORED);
    for (size_t i = 0; take > STORED && i < count; i++) {
        in_flight_add(&self->in_flight, take, messages[i]);
        messages[i] = NULL;
    }
    if (take == PASSING_TAKE) {
        hand_out_take(self, take);
    }
}

/* ---- the end of a take ---- */

PyDoc_STRVAR(hand_out_doc,
"_hand_out($self, take, /)\n--\n\n"
"End a take (the messages that one call took): the application gets the messages now. Store their\n"
"offsets, unless enable.auto.offset.store is off. No offset is stored beyond a message that is\n"
"still in flight.\n\n"
"Args:\n"
"    take (int): the number that was passed to the call that took the messages.\n\n"
"Returns:\n"
"    bool: False if a partition was moved or revoked meanwhile. The application must not get the\n"
"    messages then, and _give_back() must end the take.");

static PyObject *
hand_out(PyObject *object, PyObject *argument)
{
    Consumer *self = (Consumer *)object;
    handing take;
    if (consumer_handing_from_arg(argument, "take", &take) < 0 || client_enter(&self->client) < 0) {
        return NULL;
    }
    bool whole = hand_out_take(self, take);
    client_leave(&self->client);
    return PyBool_FromLong(whole);
}

PyDoc_STRVAR(split_doc,
"_split_take($self, take, partition, own_take, /)\n--\n\n"
"Make one message of a take a take of its own.\n\n"
"Args:\n"
"    take (int): the take.\n"
"    partition (TopicPartition): the partition and offset of the message.\n"
"    own_take (int): the new take's number.");

SIGNATURE(split_signature, "_split_take()", 3, 3, P_take, P_partition, P_own_take);

static PyObject *
split(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Consumer *self = (Consumer *)object;
    module_state *state = self->client.state;
    PyObject *values[3];
    handing take, own_take;
    if (args_parse(state, &split_signature, args, nargs, NULL, values) < 0
        || consumer_handing_from_arg(values[0], "take", &take) < 0
        || consumer_handing_from_arg(values[2], "own_take", &own_take) < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *place = rd_kafka_topic_partition_list_new(1);
    int result = topic_partition_add_to(state, values[1], "partition", place);
    result = result < 0 ? result : client_enter(&self->client);
    if (result == 0) {
        in_flight_split(&self->in_flight, take, &place->elems[0], own_take);
        client_leave(&self->client);
    }
    rd_kafka_topic_partition_list_destroy(place);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

/* The partitions that pause() and pause_while() have paused. */
static partition_set *
paused_partitions(Consumer *self)
{
    object_mutex_lock(&self->fence.mutex);
    partition_set *paused = partition_set_of(self->fence.paused);
    partition_set_add(&paused, self->fence.held);
    object_mutex_unlock(&self->fence.mutex);
    return paused;
}

void
consumer_take_back(Consumer *self)
{
    read_ahead *waiting = &self->read_ahead;
    /* The fetch around a callback has already counted the free room. */
    if (!self->in_flight.given_back || serve_is_nested(&self->client)
        || shelves_put_back(&self->shelves, self->client.rk, waiting) < 0) {
        return; /* the next fetch will do it */
    }
    partition_set *paused = paused_partitions(self);
    rd_kafka_message_t *message;
    while (read_ahead_reserve(waiting, waiting->count + 1) == 0
           && (message = in_flight_take_back(&self->in_flight, self->client.rk, paused)) != NULL) {
        read_ahead_insert(waiting, message);
    }
    rd_kafka_topic_partition_list_destroy(paused);
}

PyDoc_STRVAR(give_back_doc,
"_give_back($self, take, /)\n--\n\n"
"End a take whose messages the application does not get. The next calls return them again,\n"
"unless their partitions were moved or revoked. Does nothing if the take has ended.");

static PyObject *
give_back(PyObject *object, PyObject *argument)
{
    Consumer *self = (Consumer *)object;
    Client *client = &self->client;
    handing take;
    serving_lock lock;
    if (consumer_handing_from_arg(argument, "take", &take) < 0 || client_enter(client) < 0) {
        return NULL;
    }
    int result = serve_lock(client, &lock);
    if (result == 0) {
        in_flight_give_back(&self->in_flight, take);
        consumer_take_back(self);
        serve_unlock(client, &lock);
    }
    client_leave(client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyMethodDef consumer_handing_out_methods[] = {
    {"_hand_out", hand_out, METH_O, hand_out_doc},
    {"_split_take", WITHOUT_KEYWORDS(split), split_doc},
    {"_give_back", give_back, METH_O, give_back_doc},
    {NULL, NULL, 0, NULL},
};

void
consumer_park_error(Consumer *self, const rd_kafka_message_t *message)
{
    raise_kafka_error(self->client.state, message->err, "%s[%d]: %s",
                      message->rkt == NULL ? "" : rd_kafka_topic_name(message->rkt),
                      (int)message->partition, rd_kafka_message_errstr(message));
    client_park_exception(&self->client);
}

/* Parks an error that will not be fetched again, and returns true for it. */
static bool
park_if_error(Consumer *self, const rd_kafka_message_t *message)
{
    if (!read_ahead_is_error(message)) {
        return false;
    }
    consumer_park_error(self, message);
    return true;
}

/* The first offset of each partition in `messages`; errors are parked. */
static rd_kafka_topic_partition_list_t *
first_offsets(Consumer *self, rd_kafka_message_t **messages, size_t count)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(8);
    for (size_t i = 0; i < count; i++) {
        rd_kafka_message_t *message = messages[i];
        /* The messages of a deleted topic cannot be fetched again. */
        if (park_if_error(self, message) || rd_kafka_message_is_of_former_topic(message)) {
            continue;
        }
        const char *topic = rd_kafka_topic_name(message->rkt);
        if (rd_kafka_topic_partition_list_find(list, topic, message->partition) == NULL) {
            rd_kafka_topic_partition_list_add(list, topic, message->partition)->offset =
                message->offset;
        }
    }
    return list;
}

void
consumer_rewind_messages(Consumer *self, rd_kafka_message_t **messages, size_t count)
{
    if (count == 0) {
        return;
    }
    rd_kafka_topic_partition_list_t *offsets = first_offsets(self, messages, count);
    consumer_rewind(self, offsets);
    rd_kafka_topic_partition_list_destroy(offsets);
}

void
consumer_rewind_raising(Consumer *self, rd_kafka_message_t **messages, size_t count)
{
    PyObject *raised = PyErr_GetRaisedException();
    consumer_rewind_messages(self, messages, count);
    PyErr_SetRaisedException(raised);
}

static void
note_rewound(Consumer *self, const rd_kafka_topic_partition_t *entry)
{
    void *version = topic_version(self->client.rk, entry->topic, entry->partition);
    rd_kafka_topic_partition_t *noted =
        rd_kafka_topic_partition_list_add(self->rewound, entry->topic, entry->partition);
    noted->offset = entry->offset;
    noted->opaque = version;
}

int64_t
consumer_rewound_to(Consumer *self, const char *topic, int32_t partition)
{
    const rd_kafka_topic_partition_t *noted =
        rd_kafka_topic_partition_list_find(self->rewound, topic, partition);
    if (noted == NULL) {
        return RD_KAFKA_OFFSET_INVALID;
    }
    return topic_version(self->client.rk, topic, partition) == noted->opaque
               ? noted->offset
               : RD_KAFKA_OFFSET_INVALID;
}

void
consumer_rewind(Consumer *self, rd_kafka_topic_partition_list_t *offsets)
{
    consumer_drop_read_ahead(self, offsets); /* they will be fetched again */
    if (offsets->cnt == 0) {
        return;
    }
    for (int i = 0; i < offsets->cnt; i++) {
        note_rewound(self, &offsets->elems[i]);
    }
    Py_BEGIN_ALLOW_THREADS
    /* A partition that is no longer assigned cannot be sought, and need not be: its new owner
     * reads the messages. So the results are ignored. A timeout of 0 does not wait. */
    rd_kafka_error_destroy(rd_kafka_seek_partitions(self->client.rk, offsets, 0));
    Py_END_ALLOW_THREADS
}

int64_t
consumer_first_ahead(const Consumer *self, const char *topic, int32_t partition)
{
    int64_t offset = shelves_first_offset(&self->shelves, topic, partition);
    return offset != RD_KAFKA_OFFSET_INVALID
               ? offset
               : read_ahead_first_offset(&self->read_ahead, topic, partition);
}

void
consumer_moved(Consumer *self, const rd_kafka_topic_partition_list_t *partitions)
{
    consumer_drop_read_ahead(self, partitions);
    in_flight_drop(&self->in_flight, partitions);
}

void
consumer_drop_read_ahead(Consumer *self, const rd_kafka_topic_partition_list_t *partitions)
{
    shelves_resume(&self->shelves, self->client.rk, partitions);
    if (partitions == NULL) {
        read_ahead_drop_all(&self->read_ahead);
        shelves_drop_all(&self->shelves);
        rd_kafka_topic_partition_list_destroy(self->rewound);
        self->rewound = rd_kafka_topic_partition_list_new(0);
        return;
    }
    for (int i = 0; i < partitions->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &partitions->elems[i];
        read_ahead_drop_partition(&self->read_ahead, entry->topic, entry->partition);
        shelves_drop_partition(&self->shelves, entry->topic, entry->partition);
        rd_kafka_topic_partition_list_del(self->rewound, entry->topic, entry->partition);
    }
}

/*
 * Keeps returned messages of paused partitions apart: fetching them again would also repeat
 * messages that later takes have handed out.
 */
static void
keep_what_came_back(Consumer *self, const rd_kafka_topic_partition_list_t *partitions)
{
    read_ahead *waiting = &self->read_ahead;
    if (self->in_flight.gaps.count == 0) {
        return;
    }
    if (!serve_is_nested(&self->client)) {
        (void)shelves_put_back(&self->shelves, self->client.rk, waiting);
    }
    if (in_flight_reserve(&self->in_flight, waiting->count) < 0) {
        PyErr_Clear();
        return;
    }
    partition_set *set = partition_set_of(partitions);
    for (size_t left = waiting->count; left > 0; left--) {
        rd_kafka_message_t *message = read_ahead_take(waiting);
        if (in_flight_came_back(&self->in_flight, self->client.rk, message)
            && partition_set_has(set, rd_kafka_topic_name(message->rkt), message->partition)) {
            in_flight_add(&self->in_flight, GIVEN_BACK, message);
        }
        else {
            read_ahead_add(waiting, &message, 1);
        }
    }
    rd_kafka_topic_partition_list_destroy(set);
}

void
consumer_rewind_read_ahead(Consumer *self,
                             const rd_kafka_topic_partition_list_t *partitions)
{
    keep_what_came_back(self, partitions);
    rd_kafka_topic_partition_list_t *offsets = rd_kafka_topic_partition_list_new(8);
    for (int i = 0; i < partitions->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &partitions->elems[i];
        int64_t offset = consumer_first_ahead(self, entry->topic, entry->partition);
        if (offset != RD_KAFKA_OFFSET_INVALID) {
            rd_kafka_topic_partition_list_add(offsets, entry->topic, entry->partition)->offset =
                offset;
        }
    }
    consumer_rewind(self, offsets);
    rd_kafka_topic_partition_list_destroy(offsets);
}

#include "consumer/in_flight.h"

#include <string.h>

#include "consumer/topic_version.h"

void
in_flight_init(in_flight *self)
{
    if (self->ends == NULL) {
        self->ends = rd_kafka_topic_partition_list_new(0);
    }
}

static void
destroy_message(in_flight_message *entry)
{
    if (entry->message != NULL) {
        rd_kafka_message_destroy(entry->message);
        entry->message = NULL;
    }
}

void
in_flight_clear(in_flight *self)
{
    for (size_t i = 0; i < self->count; i++) {
        destroy_message(&self->messages[i]);
    }
    PyMem_Free(self->messages);
    self->messages = NULL;
    self->count = self->capacity = 0;
    gaps_clear(&self->gaps);
    if (self->ends != NULL) {
        rd_kafka_topic_partition_list_destroy(self->ends);
        self->ends = NULL;
    }
}

int
in_flight_reserve(in_flight *self, size_t more)
{
    object_mutex_lock(&self->mutex);
    size_t needed = self->count + more;
    bool room = needed <= self->capacity;
    if (!room) {
        size_t capacity = needed + self->capacity; /* at least twice the former capacity */
        in_flight_message *messages =
            PyMem_Realloc(self->messages, capacity * sizeof(*messages));
        room = messages != NULL;
        if (room) {
            self->messages = messages;
            self->capacity = capacity;
        }
    }
    object_mutex_unlock(&self->mutex);
    if (!room) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

bool
in_flight_any(const in_flight *self)
{
    return self->count > 0 || self->gaps.count > 0;
}

void
in_flight_add(in_flight *self, int64_t take, rd_kafka_message_t *message)
{
    object_mutex_lock(&self->mutex);
    self->messages[self->count++] = (in_flight_message){.take = take, .message = message};
    self->given_back |= take == GIVEN_BACK;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        gaps_remove(&self->gaps, rd_kafka_topic_name(message->rkt), message->partition,
                    message->offset);
    }
    object_mutex_unlock(&self->mutex);
}

/* ---- partitions that are moved or revoked ---- */

static bool
is_of(const rd_kafka_message_t *message, const char *topic, int32_t partition)
{
    return message->partition == partition && message->rkt != NULL
           && strcmp(rd_kafka_topic_name(message->rkt), topic) == 0;
}

static void
drop_partition(in_flight *self, const char *topic, int32_t partition)
{
    for (size_t i = 0; i < self->count; i++) {
        in_flight_message *entry = &self->messages[i];
        if (entry->message != NULL && is_of(entry->message, topic, partition)) {
            destroy_message(entry);
        }
    }
    gaps_remove_partition(&self->gaps, topic, partition);
    rd_kafka_topic_partition_list_del(self->ends, topic, partition);
}

static void
drop_all(in_flight *self)
{
    for (size_t i = 0; i < self->count; i++) {
        destroy_message(&self->messages[i]);
    }
    gaps_clear(&self->gaps);
    rd_kafka_topic_partition_list_destroy(self->ends);
    self->ends = rd_kafka_topic_partition_list_new(0);
}

void
in_flight_drop(in_flight *self, const rd_kafka_topic_partition_list_t *partitions)
{
    if (!in_flight_any(self)) {
        return;
    }
    object_mutex_lock(&self->mutex);
    if (partitions == NULL) {
        drop_all(self);
    }
    for (int i = 0; partitions != NULL && i < partitions->cnt; i++) {
        drop_partition(self, partitions->elems[i].topic, partitions->elems[i].partition);
    }
    object_mutex_unlock(&self->mutex);
}

/* ---- offsets that may be stored ---- */

/* Whether a message is in flight and is not being handed out at this moment. */
static bool
holds_back(const in_flight_message *entry)
{
    return entry->message != NULL && !entry->ends
           && entry->message->err == RD_KAFKA_RESP_ERR_NO_ERROR;
}

static int64_t
first_offset_lock_held(in_flight *self, rd_kafka_t *rk, const char *topic, int32_t partition)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < self->count; i++) {
        const in_flight_message *entry = &self->messages[i];
        if (holds_back(entry) && entry->message->offset < first
            && is_of(entry->message, topic, partition)
            && !rd_kafka_message_is_of_former_topic(entry->message)) {
            first = entry->message->offset;
        }
    }
    int64_t gap = gaps_first(&self->gaps, rk, topic, partition);
    if (gap != RD_KAFKA_OFFSET_INVALID && gap < first) {
        first = gap;
    }
    return first == INT64_MAX ? RD_KAFKA_OFFSET_INVALID : first;
}

int64_t
in_flight_first_offset(in_flight *self, rd_kafka_t *rk, const char *topic, int32_t partition)
{
    if (!in_flight_any(self)) {
        return RD_KAFKA_OFFSET_INVALID;
    }
    object_mutex_lock(&self->mutex);
    int64_t first = first_offset_lock_held(self, rk, topic, partition);
    object_mutex_unlock(&self->mutex);
    return first;
}

static void
store_at(rd_kafka_t *rk, const char *topic, int32_t partition, int64_t offset)
{
    rd_kafka_topic_partition_list_t *one = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(one, topic, partition)->offset = offset;
    (void)rd_kafka_offsets_store(rk, one);
    rd_kafka_topic_partition_list_destroy(one);
}

/* The offset to store later; NULL if there is none, or if it belongs to a deleted topic. */
static rd_kafka_topic_partition_t *
find_end(in_flight *self, rd_kafka_t *rk, const char *topic, int32_t partition)
{
    rd_kafka_topic_partition_t *end =
        rd_kafka_topic_partition_list_find(self->ends, topic, partition);
    if (end != NULL && end->opaque != topic_version(rk, topic, partition)) {
        rd_kafka_topic_partition_list_del(self->ends, topic, partition);
        end = NULL;
    }
    return end;
}

/*
 * Stores the offset after a run of messages of one partition, `first` to `last`, but not beyond
 * a message in flight. It only fails if the partition was revoked, and then it must fail.
 */
static void
store_run(in_flight *self, const rd_kafka_message_t *first, const rd_kafka_message_t *last,
          rd_kafka_t *rk)
{
    if (rd_kafka_message_is_of_former_topic(last)) {
        return;
    }
    const char *topic = rd_kafka_topic_name(last->rkt);
    int64_t waiting = first_offset_lock_held(self, rk, topic, last->partition);
    rd_kafka_topic_partition_t *later = find_end(self, rk, topic, last->partition);
    int64_t end = later != NULL && later->offset > last->offset + 1 ? later->offset
                                                                     : last->offset + 1;
    bool held_back = waiting != RD_KAFKA_OFFSET_INVALID && waiting < end;
    if (held_back && later == NULL) {
        later = rd_kafka_topic_partition_list_add(self->ends, topic, last->partition);
        later->opaque = topic_version(rk, topic, last->partition);
    }
    if (held_back) {
        later->offset = end;
    }
    else if (later != NULL) {
        rd_kafka_topic_partition_list_del(self->ends, topic, last->partition);
    }
    if (held_back ? waiting > first->offset : end != last->offset + 1) {
        store_at(rk, topic, last->partition, held_back ? waiting : end);
    }
    else if (!held_back) {
        rd_kafka_error_destroy(rd_kafka_offset_store_message((rd_kafka_message_t *)last));
    }
}

static void
store_ending(in_flight *self, rd_kafka_t *rk)
{
    const rd_kafka_message_t *first = NULL, *last = NULL;
    for (size_t i = 0; i < self->count; i++) {
        const in_flight_message *entry = &self->messages[i];
        if (!entry->ends || entry->message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            continue;
        }
        const rd_kafka_message_t *next = entry->message;
        bool goes_on = last != NULL && next->rkt == last->rkt && next->partition == last->partition;
        if (last != NULL && !goes_on) {
            store_run(self, first, last, rk);
        }
        first = goes_on ? first : next;
        last = next;
    }
    if (last != NULL) {
        store_run(self, first, last, rk);
    }
}

static void
remove_ending(in_flight *self)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (self->messages[i].ends) {
            destroy_message(&self->messages[i]);
        }
        else {
            self->messages[kept++] = self->messages[i];
        }
    }
    self->count = kept;
}

/* ---- the end of a take ---- */

/* Marks the messages of the take; false if one of them has lost its partition. */
static bool
mark_ending(in_flight *self, int64_t take)
{
    bool whole = true;
    for (size_t i = 0; whole && i < self->count; i++) {
        whole = self->messages[i].take != take || self->messages[i].message != NULL;
    }
    for (size_t i = 0; whole && i < self->count; i++) {
        self->messages[i].ends = self->messages[i].take == take;
    }
    return whole;
}

bool
in_flight_hand_out(in_flight *self, int64_t take, rd_kafka_t *rk)
{
    object_mutex_lock(&self->mutex);
    bool whole = mark_ending(self, take);
    if (whole && rk != NULL) {
        store_ending(self, rk);
    }
    if (whole) {
        remove_ending(self);
    }
    object_mutex_unlock(&self->mutex);
    return whole;
}

void
in_flight_split(in_flight *self, int64_t take, const rd_kafka_topic_partition_t *place,
                int64_t own_take)
{
    object_mutex_lock(&self->mutex);
    for (size_t i = 0; i < self->count; i++) {
        in_flight_message *entry = &self->messages[i];
        if (entry->take == take && holds_back(entry) && entry->message->offset == place->offset
            && is_of(entry->message, place->topic, place->partition)) {
            entry->take = own_take;
            break;
        }
    }
    object_mutex_unlock(&self->mutex);
}

void
in_flight_give_back(in_flight *self, int64_t take)
{
    object_mutex_lock(&self->mutex);
    for (size_t i = 0; i < self->count; i++) {
        if (self->messages[i].take == take) {
            self->messages[i].take = GIVEN_BACK;
            self->given_back = true;
        }
    }
    object_mutex_unlock(&self->mutex);
}

static bool
waits(const in_flight_message *entry, const partition_set *paused)
{
    const rd_kafka_message_t *message = entry->message;
    return message != NULL && message->rkt != NULL
           && partition_set_has(paused, rd_kafka_topic_name(message->rkt), message->partition);
}

/* Records that a message will be fetched again; false if there is no memory. */
static bool
note_gap(in_flight *self, rd_kafka_t *rk, const rd_kafka_message_t *message)
{
    return message == NULL || message->err != RD_KAFKA_RESP_ERR_NO_ERROR
           || rd_kafka_message_is_of_former_topic(message)
           || gaps_add(&self->gaps, rk, rd_kafka_topic_name(message->rkt), message->partition,
                       message->offset)
                  == 0;
}

/* Removes the last message that may be taken back; NULL if there are none. */
static rd_kafka_message_t *
remove_given_back(in_flight *self, rd_kafka_t *rk, const partition_set *paused)
{
    bool any = false;
    for (size_t i = self->count; i > 0; i--) {
        in_flight_message *entry = &self->messages[i - 1];
        if (entry->take != GIVEN_BACK) {
            continue;
        }
        rd_kafka_message_t *message = entry->message;
        if (waits(entry, paused) || !note_gap(self, rk, message)) {
            any = true;
            continue;
        }
        memmove(entry, entry + 1, (self->count - i) * sizeof(*entry));
        self->count--;
        if (message != NULL) { /* otherwise its partition was moved or revoked */
            return message;
        }
    }
    self->given_back = any;
    return NULL;
}

rd_kafka_message_t *
in_flight_take_back(in_flight *self, rd_kafka_t *rk, const partition_set *paused)
{
    object_mutex_lock(&self->mutex);
    rd_kafka_message_t *message = remove_given_back(self, rk, paused);
    object_mutex_unlock(&self->mutex);
    return message;
}

bool
in_flight_came_back(in_flight *self, rd_kafka_t *rk, const rd_kafka_message_t *message)
{
    if (message->rkt == NULL || message->err != RD_KAFKA_RESP_ERR_NO_ERROR
        || rd_kafka_message_is_of_former_topic(message)) {
        return false;
    }
    object_mutex_lock(&self->mutex);
    bool found = gaps_has(&self->gaps, rk, rd_kafka_topic_name(message->rkt), message->partition,
                          message->offset);
    object_mutex_unlock(&self->mutex);
    return found;
}

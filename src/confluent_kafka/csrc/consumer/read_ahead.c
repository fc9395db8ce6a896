#include "consumer/read_ahead.h"

#include "base/deadline.h"

#include <string.h>

/* The time is longer than a tick of the coarse clock, and much shorter than Kafka's timeouts. */
#define STALE_AFTER_US 20000

size_t
read_ahead_next_size(read_ahead *self)
{
    bool fast = coarse_now_us() - self->filled_at_us < STALE_AFTER_US;
    self->ahead = !fast || self->ahead == 0 ? 1 : self->ahead * 2;
    if (self->ahead > READ_AHEAD_SIZE) {
        self->ahead = READ_AHEAD_SIZE;
    }
    return self->ahead;
}

bool
read_ahead_is_stale(const read_ahead *self)
{
    return coarse_now_us() - self->filled_at_us >= STALE_AFTER_US;
}

static rd_kafka_message_t **
slot(const read_ahead *self, size_t index)
{
    return &self->messages[(self->first + index) & (self->capacity - 1)];
}

int
read_ahead_reserve(read_ahead *self, size_t count)
{
    size_t capacity = self->capacity == 0 ? READ_AHEAD_SIZE : self->capacity;
    while (capacity < count) {
        capacity *= 2;
    }
    if (capacity == self->capacity) {
        return 0;
    }
    rd_kafka_message_t **messages = PyMem_Calloc(capacity, sizeof(*messages));
    if (messages == NULL) {
        return -1;
    }
    for (size_t i = 0; i < self->count; i++) {
        messages[i] = *slot(self, i);
    }
    PyMem_Free(self->messages);
    self->messages = messages;
    self->capacity = capacity;
    self->first = 0;
    return 0;
}

void
read_ahead_free(read_ahead *self)
{
    PyMem_Free(self->messages);
    *self = (read_ahead){0};
}

void
read_ahead_add(read_ahead *self, rd_kafka_message_t **messages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *slot(self, self->count++) = messages[i];
    }
    self->filled_at_us = coarse_now_us();
}

void
read_ahead_prepend(read_ahead *self, read_ahead *from)
{
    self->first = (self->first + self->capacity - from->count) & (self->capacity - 1);
    self->count += from->count;
    rd_kafka_message_t *message;
    for (size_t i = 0; (message = read_ahead_take(from)) != NULL; i++) {
        *slot(self, i) = message;
    }
}

/* Where the message belongs: after the last message of its partition with a lower offset. */
static size_t
place_for(const read_ahead *self, const rd_kafka_message_t *message)
{
    size_t place = 0;
    for (size_t i = 0; i < self->count; i++) {
        const rd_kafka_message_t *other = *slot(self, i);
        if (other->rkt != message->rkt || other->partition != message->partition) {
            continue;
        }
        if (other->offset >= message->offset) {
            break;
        }
        place = i + 1;
    }
    return place;
}

void
read_ahead_insert(read_ahead *self, rd_kafka_message_t *message)
{
    size_t place = place_for(self, message);
    self->first = (self->first + self->capacity - 1) & (self->capacity - 1);
    self->count++;
    for (size_t i = 0; i < place; i++) {
        *slot(self, i) = *slot(self, i + 1);
    }
    *slot(self, place) = message;
}

bool
read_ahead_is_error(const rd_kafka_message_t *message)
{
    return message->err != RD_KAFKA_RESP_ERR_NO_ERROR
           && message->err != RD_KAFKA_RESP_ERR__PARTITION_EOF;
}

const rd_kafka_message_t *
read_ahead_first(const read_ahead *self)
{
    return self->count == 0 ? NULL : *slot(self, 0);
}

rd_kafka_message_t *
read_ahead_take(read_ahead *self)
{
    if (self->count == 0) {
        return NULL;
    }
    rd_kafka_message_t *message = *slot(self, 0);
    self->first = (self->first + 1) & (self->capacity - 1);
    self->count--;
    return message;
}

static bool
is_of(const rd_kafka_message_t *message, const char *topic, int32_t partition)
{
    return message->partition == partition && message->rkt != NULL
           && strcmp(rd_kafka_topic_name(message->rkt), topic) == 0;
}

int64_t
read_ahead_first_offset(const read_ahead *self, const char *topic, int32_t partition)
{
    for (size_t i = 0; i < self->count; i++) {
        const rd_kafka_message_t *message = *slot(self, i);
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR && is_of(message, topic, partition)
            && !rd_kafka_message_is_of_former_topic(message)) {
            return message->offset;
        }
    }
    return RD_KAFKA_OFFSET_INVALID;
}

void
read_ahead_drop_partition(read_ahead *self, const char *topic, int32_t partition)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        rd_kafka_message_t *message = *slot(self, i);
        if (is_of(message, topic, partition)) {
            rd_kafka_message_destroy(message);
        }
        else {
            *slot(self, kept++) = message;
        }
    }
    self->count = kept;
}

void
read_ahead_drop_all(read_ahead *self)
{
    rd_kafka_message_t *message;
    while ((message = read_ahead_take(self)) != NULL) {
        rd_kafka_message_destroy(message);
    }
}

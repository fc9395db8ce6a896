#include "consumer/read_ahead.h"

#include "base/deadline.h"

#include <string.h>

/* Longer than the coarse clock's tick, and short for a person and for Kafka's timers. */
#define STALE_AFTER_US 20000

size_t
prefetch_next_size(prefetch *self)
{
    bool fast = coarse_now_us() - self->filled_at_us < STALE_AFTER_US;
    self->ahead = !fast || self->ahead == 0 ? 1 : self->ahead * 2;
    if (self->ahead > PREFETCH_AHEAD) {
        self->ahead = PREFETCH_AHEAD;
    }
    return self->ahead;
}

bool
prefetch_is_stale(const prefetch *self)
{
    return coarse_now_us() - self->filled_at_us >= STALE_AFTER_US;
}

static rd_kafka_message_t **
slot(const prefetch *self, size_t index)
{
    return &self->messages[(self->first + index) & (self->capacity - 1)];
}

int
prefetch_reserve(prefetch *self, size_t count)
{
    size_t capacity = self->capacity == 0 ? PREFETCH_AHEAD : self->capacity;
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
prefetch_free(prefetch *self)
{
    PyMem_Free(self->messages);
    *self = (prefetch){0};
}

void
prefetch_add(prefetch *self, rd_kafka_message_t **messages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *slot(self, self->count++) = messages[i];
    }
    self->filled_at_us = coarse_now_us();
}

rd_kafka_message_t *
prefetch_take(prefetch *self)
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
prefetch_first_offset(const prefetch *self, const char *topic, int32_t partition)
{
    for (size_t i = 0; i < self->count; i++) {
        const rd_kafka_message_t *message = *slot(self, i);
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR && is_of(message, topic, partition)) {
            return message->offset;
        }
    }
    return RD_KAFKA_OFFSET_INVALID;
}

void
prefetch_drop_partition(prefetch *self, const char *topic, int32_t partition)
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
prefetch_drop_all(prefetch *self)
{
    rd_kafka_message_t *message;
    while ((message = prefetch_take(self)) != NULL) {
        rd_kafka_message_destroy(message);
    }
}

/*
 * Messages fetched ahead of poll().
 *
 * A call of librdkafka for each message costs more than everything else in poll(). So a loop that
 * polls fast gets its messages from this buffer, which is filled with many messages at a time.
 * These rules make that safe:
 *   - Offsets are stored when a message is handed out, never when it is buffered. For this, the
 *     consumer keeps librdkafka's own enable.auto.offset.store off.
 *   - Everything that moves or revokes a partition (seek, pause, assign, a rebalance) drops its
 *     messages from the buffer.
 *   - A loop that is not fast gets one message per call of librdkafka. If messages have waited for
 *     a while, librdkafka is called all the same, so that callbacks are served and
 *     max.poll.interval.ms is kept.
 * Only the thread that serves the consumer uses the buffer.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_READ_AHEAD_H
#define CONFLUENT_KAFKA_CONSUMER_READ_AHEAD_H

#include "base/module_state.h"

/* The maximum number of messages that poll() fetches ahead. */
#define READ_AHEAD_SIZE 256

typedef struct {
    rd_kafka_message_t **messages; /* a ring */
    size_t capacity;               /* a power of two */
    size_t first, count;
    size_t ahead; /* how many to fetch next time; it grows while the loop is fast */
    int64_t filled_at_us;
} read_ahead;

/* How many to fetch into the empty buffer; adapts to how fast the last messages were taken. */
size_t read_ahead_next_size(read_ahead *self);

/* True if the messages have waited so long that librdkafka must be called. */
bool read_ahead_is_stale(const read_ahead *self);

/* Makes room for `count` messages in all: 0, or -1 if there is no memory (no exception is set). */
int read_ahead_reserve(read_ahead *self, size_t count);
void read_ahead_free(read_ahead *self);

/* Takes ownership of `count` messages, for which there must be room. */
void read_ahead_add(read_ahead *self, rd_kafka_message_t **messages, size_t count);

/* Moves all messages of `from` to the front of this buffer, for which there must be room. */
void read_ahead_prepend(read_ahead *self, read_ahead *from);

/*
 * Takes ownership of a message, for which there must be room. It is inserted before the messages
 * of its partition with higher offsets, and otherwise at the front.
 */
void read_ahead_insert(read_ahead *self, rd_kafka_message_t *message);

/* Whether a message is an error; the end of a partition is not an error. */
bool read_ahead_is_error(const rd_kafka_message_t *message);

/* The oldest message, or NULL. */
const rd_kafka_message_t *read_ahead_first(const read_ahead *self);

/* Takes the oldest message, which the caller then owns, or NULL. */
rd_kafka_message_t *read_ahead_take(read_ahead *self);

/* The offset of the partition's first waiting message, or RD_KAFKA_OFFSET_INVALID. */
int64_t read_ahead_first_offset(const read_ahead *self, const char *topic, int32_t partition);

/* Drops the messages of one partition, or all. */
void read_ahead_drop_partition(read_ahead *self, const char *topic, int32_t partition);
void read_ahead_drop_all(read_ahead *self);

#endif

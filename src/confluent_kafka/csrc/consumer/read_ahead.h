/*
 * Messages fetched ahead of poll().
 *
 * One call of librdkafka per message costs more than everything else that poll() does, so
 * a loop that polls fast is given its messages from here, fetched many at a time. What
 * makes that safe:
 *   - offsets are stored when a message is handed out, never when it is fetched ahead
 *     (the consumer keeps librdkafka's own enable.auto.offset.store off for this);
 *   - whatever moves or takes away a partition (seek, pause, assign, a rebalance) drops
 *     its messages from here;
 *   - a loop that is not fast gets one message per call, and messages that have waited for
 *     a while are followed by a call of librdkafka all the same, so that callbacks are
 *     served and max.poll.interval.ms is honoured.
 * Only the thread that serves the consumer touches it.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_READ_AHEAD_H
#define CONFLUENT_KAFKA_CONSUMER_READ_AHEAD_H

#include "base/module_state.h"

/* How many poll() fetches ahead at most. */
#define READ_AHEAD_SIZE 256

typedef struct {
    rd_kafka_message_t **messages; /* a ring */
    size_t capacity;               /* a power of two */
    size_t first, count;
    size_t ahead; /* how many to fetch next time: grows while the loop is fast */
    int64_t filled_at_us;
} read_ahead;

/* How many to fetch now that there is none; adapts to how fast the last ones went. */
size_t read_ahead_next_size(read_ahead *self);

/* True when the messages have waited so long that librdkafka wants to be called. */
bool read_ahead_is_stale(const read_ahead *self);

/* Makes room for `count` messages in all: 0, or -1 without memory (no exception is set). */
int read_ahead_reserve(read_ahead *self, size_t count);
void read_ahead_free(read_ahead *self);

/* Takes over `count` messages, at most what there is room for. */
void read_ahead_add(read_ahead *self, rd_kafka_message_t **messages, size_t count);

/* Takes over all messages of `from`, to be taken before those here, for which there is room. */
void read_ahead_prepend(read_ahead *self, read_ahead *from);

/*
 * Takes over a message that comes before those of its partition with higher offsets, and before all
 * others, for which there is room.
 */
void read_ahead_insert(read_ahead *self, rd_kafka_message_t *message);

/* Whether it is an error in the place of a message; the end of a partition is none. */
bool read_ahead_is_error(const rd_kafka_message_t *message);

/* The oldest message, or NULL. */
const rd_kafka_message_t *read_ahead_first(const read_ahead *self);

/* The oldest message, which becomes the caller's, or NULL. */
rd_kafka_message_t *read_ahead_take(read_ahead *self);

/* The offset of the partition's first waiting message, or RD_KAFKA_OFFSET_INVALID. */
int64_t read_ahead_first_offset(const read_ahead *self, const char *topic, int32_t partition);

/* Drops the messages of one partition, or all. */
void read_ahead_drop_partition(read_ahead *self, const char *topic, int32_t partition);
void read_ahead_drop_all(read_ahead *self);

#endif

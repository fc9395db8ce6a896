/*
 * Messages fetched ahead of calls that want certain partitions only, apart by partition.
 *
 * All partitions share one queue in librdkafka, so a call that wants one of them meets the others'
 * messages there. They wait here, in order: the calls that want them take them from here, and a
 * call that wants any gets them before all others (shelves_put_back()). A partition that nobody
 * wants for long is paused in librdkafka when a certain number waits here, and resumed when half of
 * that is left: it goes on behind the last message here.
 *
 * What holds for read_ahead holds here: offsets are stored when a message is handed out, and
 * whatever moves or takes away a partition drops its messages. It calls shelves_resume() before
 * that, since librdkafka's idea of where a paused partition goes on must not be the newer one.
 * Only the thread that serves the consumer touches them.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_SHELVES_H
#define CONFLUENT_KAFKA_CONSUMER_SHELVES_H

#include "consumer/read_ahead.h"

typedef struct {
    char *topic;
    int32_t partition; /* negative: events of the consumer, which every call wants */
    read_ahead waiting;
    size_t bytes;   /* of keys and values that wait */
    bool held_back; /* paused in librdkafka, from here */
} shelf;

typedef struct {
    shelf *items;
    size_t count, capacity;
    size_t turn; /* which of the wanted partitions is first next time */
} shelves;

/* Takes over all that was read ahead: 0, or -1 without memory (what is left stays there). */
int shelves_sort(shelves *self, read_ahead *from);

/* Everything to the front of what was read ahead: 0, or -1 without memory (nothing moved). */
int shelves_put_back(shelves *self, rd_kafka_t *rk, read_ahead *to);

/* Pauses what has too many messages and is not wanted, resumes what is and has few. */
void shelves_balance(shelves *self, rd_kafka_t *rk,
                     const rd_kafka_topic_partition_list_t *wanted);

/* Has librdkafka fetch from these partitions again (NULL: from all) where it was paused here. */
void shelves_resume(shelves *self, rd_kafka_t *rk,
                    const rd_kafka_topic_partition_list_t *partitions);

/* How many messages and events wait of these partitions. */
size_t shelves_waiting(const shelves *self, const rd_kafka_topic_partition_list_t *wanted);

/*
 * Takes up to `limit` messages of these partitions, which become the caller's: how many. Those of
 * a partition end before the one with which keys and values would be more than `max_bytes`; only
 * the first may be larger. An event with an error is taken alone, after the messages before it. The
 * partitions take turns.
 */
size_t shelves_take(shelves *self, const rd_kafka_topic_partition_list_t *wanted,
                    rd_kafka_message_t **messages, size_t limit, size_t max_bytes);

/* The offset of the partition's first waiting message, or RD_KAFKA_OFFSET_INVALID. */
int64_t shelves_first_offset(const shelves *self, const char *topic, int32_t partition);

/* Drops the messages of one partition, or all. */
void shelves_drop_partition(shelves *self, const char *topic, int32_t partition);
void shelves_drop_all(shelves *self);
/* After shelves_drop_all(). */
void shelves_free(shelves *self);

#endif

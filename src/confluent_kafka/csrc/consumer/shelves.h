/*
 * Messages that were fetched while a call wanted other partitions, sorted by partition.
 *
 * All partitions share one queue in librdkafka, so a call that wants one partition finds messages
 * from other partitions there. These messages wait here, in order. Calls that want their
 * partitions take them from here. A call that wants any partition gets them first
 * (shelves_put_back()). If no call wants a partition for a long time, its shelf becomes full. The
 * partition is then paused in librdkafka until half of these messages are left. It continues after
 * the last message of its shelf.
 *
 * The rules of read_ahead apply here as well: offsets are stored when a message is handed out, and
 * everything that moves or revokes a partition drops its messages. Code that moves or revokes a
 * partition must first call shelves_resume(). Otherwise librdkafka would later continue the paused
 * partition after the last message of its shelf. Only the thread that serves the consumer uses the
 * shelves.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_SHELVES_H
#define CONFLUENT_KAFKA_CONSUMER_SHELVES_H

#include "consumer/read_ahead.h"

typedef struct {
    char *topic;
    int32_t partition; /* negative: events of the consumer, which every call wants */
    read_ahead waiting;
    size_t bytes;   /* the size of the waiting keys and values */
    bool held_back; /* paused in librdkafka by this code */
} shelf;

typedef struct {
    shelf *items;
    size_t count, capacity;
    size_t turn; /* the index of the wanted partition that comes first next time */
} shelves;

/* Moves all buffered messages to shelves: 0, or -1: no memory (the rest stays buffered). */
int shelves_sort(shelves *self, read_ahead *from);

/* Moves all messages to the front of the buffer: 0, or -1: no memory (nothing is moved). */
int shelves_put_back(shelves *self, rd_kafka_t *rk, read_ahead *to);

/* Pauses unwanted partitions with too many messages; resumes wanted ones, and those with few. */
void shelves_balance(shelves *self, rd_kafka_t *rk,
                     const rd_kafka_topic_partition_list_t *wanted);

/* Resumes these partitions (NULL: all) in librdkafka, if they were paused by this code. */
void shelves_resume(shelves *self, rd_kafka_t *rk,
                    const rd_kafka_topic_partition_list_t *partitions);

/* The number of waiting messages and events of these partitions. */
size_t shelves_waiting(const shelves *self, const rd_kafka_topic_partition_list_t *wanted);

/*
 * Takes up to `limit` messages of these partitions, which the caller then owns. Returns how many.
 * From each partition it takes at most `max_bytes` of keys and values; only the first message may
 * be larger. An event with an error is taken alone, after the messages before it. The partitions
 * take turns.
 */
size_t shelves_take(shelves *self, const rd_kafka_topic_partition_list_t *wanted,
                    rd_kafka_message_t **messages, size_t limit, size_t max_bytes);

/* The offset of the partition's first waiting message, or RD_KAFKA_OFFSET_INVALID. */
int64_t shelves_first_offset(const shelves *self, const char *topic, int32_t partition);

/* Drops the messages of one partition, or all. */
void shelves_drop_partition(shelves *self, const char *topic, int32_t partition);
void shelves_drop_all(shelves *self);
/* Call shelves_drop_all() before. */
void shelves_free(shelves *self);

#endif

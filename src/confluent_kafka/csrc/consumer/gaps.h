/*
 * The offsets of messages that were given back and are not handed out yet, by partition. A
 * partition may have very many of them, and the lowest one is looked up for each message. Each
 * offset belongs to the topic that had the name when the offset was added.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_GAPS_H
#define CONFLUENT_KAFKA_CONSUMER_GAPS_H

#include "base/module_state.h"

typedef struct {
    char *topic;
    int32_t partition;
    void *version;    /* topic_version() */
    int64_t *offsets; /* descending: given back from the last one, returned from the first one */
    size_t count, capacity;
} gap_run;

typedef struct {
    gap_run *runs; /* each has at least one offset */
    size_t count, capacity;
} gaps;

void gaps_clear(gaps *self);
/* 0, or -1 if there is no memory (no exception is set). */
int gaps_add(gaps *self, rd_kafka_t *rk, const char *topic, int32_t partition, int64_t offset);
bool gaps_has(gaps *self, rd_kafka_t *rk, const char *topic, int32_t partition, int64_t offset);
void gaps_remove(gaps *self, const char *topic, int32_t partition, int64_t offset);
void gaps_remove_partition(gaps *self, const char *topic, int32_t partition);
/* The lowest offset of a partition, or RD_KAFKA_OFFSET_INVALID. */
int64_t gaps_first(gaps *self, rd_kafka_t *rk, const char *topic, int32_t partition);

#endif

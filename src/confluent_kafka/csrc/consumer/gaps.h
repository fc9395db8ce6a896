/*
 * The offsets of messages that were given back and are not handed out yet, by partition. A partition
 * may have very many, of which the lowest is asked for with every message.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_GAPS_H
#define CONFLUENT_KAFKA_CONSUMER_GAPS_H

#include "base/module_state.h"

typedef struct {
    char *topic;
    int32_t partition;
    int64_t *offsets; /* descending: messages are given back last first, and come again in order */
    size_t count, capacity;
} gap_run;

typedef struct {
    gap_run *runs; /* each has an offset */
    size_t count, capacity;
} gaps;

void gaps_clear(gaps *self);
/* 0, or -1 without memory (no exception is set). */
int gaps_add(gaps *self, const char *topic, int32_t partition, int64_t offset);
bool gaps_has(const gaps *self, const char *topic, int32_t partition, int64_t offset);
void gaps_remove(gaps *self, const char *topic, int32_t partition, int64_t offset);
void gaps_remove_partition(gaps *self, const char *topic, int32_t partition);
/* The lowest offset of a partition, or RD_KAFKA_OFFSET_INVALID. */
int64_t gaps_first(const gaps *self, const char *topic, int32_t partition);

#endif

/*
 * Sets of partitions: librdkafka's lists, sorted and without duplicates. A whole list is added or
 * removed in one pass. librdkafka's own functions search the list from the start for each
 * partition, which takes seconds for an assignment of thousands, while the GIL is held.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_PARTITION_SET_H
#define CONFLUENT_KAFKA_CONSUMER_PARTITION_SET_H

#include <stdbool.h>

#include <librdkafka/rdkafka.h>

typedef rd_kafka_topic_partition_list_t partition_set;

partition_set *partition_set_new(void);
/* A set of the list's partitions that have no error. */
partition_set *partition_set_of(const rd_kafka_topic_partition_list_t *list);

void partition_set_add(partition_set **self, const partition_set *others);
void partition_set_remove(partition_set **self, const partition_set *others);
/* Keeps the partitions that are in both sets. */
void partition_set_keep(partition_set **self, const partition_set *others);
void partition_set_remove_one(partition_set *self, const char *topic, int32_t partition);
void partition_set_clear(partition_set **self);
bool partition_set_has(const partition_set *self, const char *topic, int32_t partition);

#endif

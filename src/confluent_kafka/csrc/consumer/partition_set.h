/*
 * Sets of partitions: librdkafka's lists, sorted and without repetitions. A whole list is added or
 * removed in one pass: librdkafka's own functions look for each partition from the start of the
 * list, which takes seconds for an assignment of thousands, with the GIL.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_PARTITION_SET_H
#define CONFLUENT_KAFKA_CONSUMER_PARTITION_SET_H

#include <stdbool.h>

#include <librdkafka/rdkafka.h>

typedef rd_kafka_topic_partition_list_t partition_set;

partition_set *partition_set_new(void);
/* Of what a list has without an error. */
partition_set *partition_set_of(const rd_kafka_topic_partition_list_t *list);

void partition_set_add(partition_set **self, const partition_set *others);
void partition_set_remove(partition_set **self, const partition_set *others);
/* Leaves those that are in both. */
void partition_set_keep(partition_set **self, const partition_set *others);
void partition_set_remove_one(partition_set *self, const char *topic, int32_t partition);
void partition_set_clear(partition_set **self);
bool partition_set_has(const partition_set *self, const char *topic, int32_t partition);

#endif

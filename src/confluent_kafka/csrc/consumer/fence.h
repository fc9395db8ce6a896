/*
 * pause_while(): the whole assignment is paused while the application works on messages for
 * long, and what is taken away meanwhile is fenced, so that a commit of it raises.
 *
 * A broker takes any offset of any partition from any member of the present generation: one
 * that lost a partition and joined again would set back, unnoticed, what the new owner has
 * committed.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_FENCE_H
#define CONFLUENT_KAFKA_CONSUMER_FENCE_H

#include "base/module_state.h"
#include "consumer/partition_set.h"

typedef struct {
    object_mutex mutex; /* commit() reads `fenced` without the serving lock */
    bool active;
    partition_set *paused; /* by the application, until it resumes them or they go away */
    partition_set *held;   /* by pause_while() */
    partition_set *lost;   /* since pause_while() began */
    partition_set *fenced; /* until one of its messages is handed out */
} fence;

void fence_init(fence *self); /* does nothing if it was done */
void fence_clear(fence *self);

/* The application has paused or resumed partitions, but for those with an error. */
void fence_note_paused(fence *self, const rd_kafka_topic_partition_list_t *partitions,
                      bool paused);
/* The group has taken partitions away. */
void fence_note_revoked(fence *self, const rd_kafka_topic_partition_list_t *partitions);
/*
 * Partitions are not assigned any more: what paused them ends. librdkafka would keep them paused,
 * also when they come back.
 */
void fence_note_unassigned(fence *self, rd_kafka_t *rk,
                           const rd_kafka_topic_partition_list_t *partitions);
/* Partitions were assigned: pauses them as well if the assignment is held. */
void fence_note_assigned(fence *self, rd_kafka_t *rk,
                        const rd_kafka_topic_partition_list_t *partitions);
/* A message of the partition is handed out: what is committed now is new. */
void fence_end(fence *self, const char *topic, int32_t partition);

/* 0 when all offsets may be committed, or -1 with a KafkaException. */
int fence_check(fence *self, module_state *state, const char *what,
               const rd_kafka_topic_partition_list_t *offsets);

#endif

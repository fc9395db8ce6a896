/*
 * pause_while(): pauses the whole assignment while the application works on messages for a long
 * time. Partitions that are revoked meanwhile are fenced, so that committing their offsets raises.
 *
 * A broker accepts any offset of any partition from any member of the current generation. A
 * member that has lost a partition and joined again could set back the offsets that the new owner
 * has committed, without an error.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_FENCE_H
#define CONFLUENT_KAFKA_CONSUMER_FENCE_H

#include "base/module_state.h"
#include "consumer/partition_set.h"

typedef struct {
    object_mutex mutex; /* commit() reads `fenced` without the serving lock */
    bool active;
    partition_set *paused; /* by the application, until it resumes them or loses them */
    partition_set *held;   /* paused by pause_while() */
    partition_set *lost;   /* revoked since pause_while() began */
    partition_set *fenced; /* each until one of its messages is handed out */
} fence;

void fence_init(fence *self); /* a second call does nothing */
void fence_clear(fence *self);

/* Records that the application paused or resumed partitions; skips those with an error. */
void fence_note_paused(fence *self, const rd_kafka_topic_partition_list_t *partitions,
                      bool paused);
/* Records that the group has revoked partitions. */
void fence_note_revoked(fence *self, const rd_kafka_topic_partition_list_t *partitions);
/*
 * Records that partitions are no longer assigned, which ends their pause. librdkafka would keep
 * them paused, even if they are assigned again.
 */
void fence_note_unassigned(fence *self, rd_kafka_t *rk,
                           const rd_kafka_topic_partition_list_t *partitions);
/* Records that partitions were assigned. If the assignment is held, pauses them as well. */
void fence_note_assigned(fence *self, rd_kafka_t *rk,
                        const rd_kafka_topic_partition_list_t *partitions);
/* A message of the partition is handed out: later commits concern new messages. */
void fence_end(fence *self, const char *topic, int32_t partition);

/* 0 if all offsets may be committed, or -1 with a KafkaException. */
int fence_check(fence *self, module_state *state, const char *what,
               const rd_kafka_topic_partition_list_t *offsets);

#endif

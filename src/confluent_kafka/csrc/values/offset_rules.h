/*
 * The offsets that each call accepts. librdkafka accepts any number. If a negative number has no
 * meaning, librdkafka silently starts at auto.offset.reset, or drops the number.
 */
#ifndef CONFLUENT_KAFKA_VALUES_OFFSET_RULES_H
#define CONFLUENT_KAFKA_VALUES_OFFSET_RULES_H

#include "base/module_state.h"

/* For seek(), for the start of an assignment, for commits and stores, and for times. */
typedef enum { OFFSETS_TO_SEEK, OFFSETS_TO_START, OFFSETS_TO_KEEP, OFFSETS_AS_TIMES } offset_use;

/*
 * 0, or -1 with a KafkaException (_INVALID_ARG) that begins with `what` and names the partition and
 * the allowed offsets.
 */
int check_offsets(module_state *state, const rd_kafka_topic_partition_list_t *list, offset_use use,
                  const char *what);
/* The same for a partition that is in the list twice. */
int check_for_duplicates(module_state *state, const rd_kafka_topic_partition_list_t *list,
                         const char *what);

#endif

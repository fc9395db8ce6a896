/*
 * Which offsets a call takes. librdkafka takes any number: a negative one that means nothing begins
 * where auto.offset.reset says, or is dropped, without a word.
 */
#ifndef CONFLUENT_KAFKA_VALUES_OFFSET_RULES_H
#define CONFLUENT_KAFKA_VALUES_OFFSET_RULES_H

#include "base/module_state.h"

/* Where seek() goes, where an assignment starts, what is committed or stored, and a time. */
typedef enum { OFFSETS_TO_SEEK, OFFSETS_TO_START, OFFSETS_TO_KEEP, OFFSETS_AS_TIMES } offset_use;

/*
 * 0, or -1 with a KafkaException (_INVALID_ARG) that begins with `what` and names the partition and
 * what is allowed.
 */
int check_offsets(module_state *state, const rd_kafka_topic_partition_list_t *list, offset_use use,
                  const char *what);
/* The same for a partition that is in the list twice. */
int check_for_duplicates(module_state *state, const rd_kafka_topic_partition_list_t *list,
                         const char *what);

#endif

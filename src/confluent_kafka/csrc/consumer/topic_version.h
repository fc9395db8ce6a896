/*
 * An offset that was noted under a topic's name is wrong for a new topic with the same name.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_TOPIC_VERSION_H
#define CONFLUENT_KAFKA_CONSUMER_TOPIC_VERSION_H

#include "base/module_state.h"

/* Differs after the topic was deleted and created again; kept as `opaque` of a list's entry. */
static inline void *
topic_version(rd_kafka_t *rk, const char *topic, int32_t partition)
{
    return (void *)(intptr_t)rd_kafka_topic_version(rk, topic, partition);
}

#endif

#ifndef CONFLUENT_KAFKA_VALUES_PARTITIONER_H
#define CONFLUENT_KAFKA_VALUES_PARTITIONER_H

#include "base/module_state.h"

/* Adds murmur2(), consistent() and fnv1a(): which partition a key belongs to. */
int partitioner_functions_add(PyObject *module, module_state *state);

/* The type of librdkafka's partitioners; those for keys ignore the topic. */
typedef int32_t partitioner_function(const rd_kafka_topic_t *topic, const void *key,
                                     size_t key_size, int32_t partition_count,
                                     void *topic_opaque, void *message_opaque);

/* The function that chooses partitions for keys in a client; NULL: random. */
partitioner_function *partitioner_of(rd_kafka_t *rk);

#endif

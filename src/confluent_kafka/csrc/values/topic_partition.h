/*
 * TopicPartition, and lists of them to and from rd_kafka_topic_partition_list_t.
 */
#ifndef CONFLUENT_KAFKA_VALUES_TOPIC_PARTITION_H
#define CONFLUENT_KAFKA_VALUES_TOPIC_PARTITION_H

#include "base/module_state.h"

int topic_partition_type_add(PyObject *module, module_state *state);

PyObject *topic_partition_from(module_state *state, const rd_kafka_topic_partition_t *rktpar);

/* A list of TopicPartition. The caller keeps `list`, which may be NULL (an empty list). */
PyObject *topic_partitions_from(module_state *state,
                                const rd_kafka_topic_partition_list_t *list);

/*
 * Converts a Python list (or tuple) of TopicPartition, given as argument `name`. NULL with a
 * TypeError that names the argument and the index. Destroy the result with
 * rd_kafka_topic_partition_list_destroy().
 */
rd_kafka_topic_partition_list_t *topic_partitions_to_c(module_state *state,
                                                       PyObject *sequence, const char *name);

/* A list of the topics' names; the caller keeps `list`. */
PyObject *topic_names_from(const rd_kafka_topic_partition_list_t *list);

/* The argument `topics`, a list of names, as a partition list; NULL with an exception. */
rd_kafka_topic_partition_list_t *topics_to_c(PyObject *topics);

/* Adds one TopicPartition, given as argument `name`, to `list`. */
int topic_partition_add_to(module_state *state, PyObject *object, const char *name,
                           rd_kafka_topic_partition_list_t *list);

#endif

/*
 * The records that consumers of compat.kafka return: named tuples.
 */
#ifndef CONFLUENT_KAFKA_VALUES_RECORD_TUPLE_H
#define CONFLUENT_KAFKA_VALUES_RECORD_TUPLE_H

#include "values/message.h"

/*
 * A consumed message as an instance of `type`, a named tuple of topic, partition, leader epoch
 * (unless it has no such field, as in kafka-python 2.0), offset, timestamp in milliseconds,
 * whether the broker made the timestamp (0 or 1), key, value, headers, None, and the sizes of key,
 * value and headers in bytes, or -1 if there is none. Copies what it needs. New reference.
 */
PyObject *record_tuple_from_consumed(module_state *state, topic_names *names, PyTypeObject *type,
                                     const rd_kafka_message_t *message);

#endif

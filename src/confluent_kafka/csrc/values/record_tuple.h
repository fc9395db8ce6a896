/*
 * What the consumers of compat.kafka return: a named tuple.
 */
#ifndef CONFLUENT_KAFKA_VALUES_RECORD_TUPLE_H
#define CONFLUENT_KAFKA_VALUES_RECORD_TUPLE_H

#include "values/message.h"

/*
 * A consumed message as an instance of `type`, a named tuple of topic, partition, leader epoch (if
 * it has such a field: kafka-python 2.0 does not), offset, timestamp in milliseconds, whether the
 * broker made that (0 or 1), key, value, headers, None, and the sizes of key, value and headers in
 * bytes, -1 for none. Copies what it needs. New reference.
 */
PyObject *record_tuple_from_consumed(module_state *state, topic_names *names, PyTypeObject *type,
                                     const rd_kafka_message_t *message);

#endif

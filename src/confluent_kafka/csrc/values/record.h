/*
 * _Record: the records that consumers of compat.aiokafka return, plain objects with eleven
 * attributes. Their subclass there is a dataclass with the same fields.
 */
#ifndef CONFLUENT_KAFKA_VALUES_RECORD_H
#define CONFLUENT_KAFKA_VALUES_RECORD_H

#include "base/module_state.h"
#include "values/message.h"

int record_type_add(PyObject *module, module_state *state);

/*
 * Reads the argument `name`: a subclass of _Record that adds no fields, or a named tuple with the
 * fields of record_tuple_from_consumed(). Borrowed, or NULL.
 */
PyTypeObject *record_type_from_arg(module_state *state, PyObject *object, const char *name);

/* A consumed message as an instance of `type`. Copies what it needs. New reference. */
PyObject *record_from_consumed(module_state *state, topic_names *names, PyTypeObject *type,
                               const rd_kafka_message_t *message);

#endif

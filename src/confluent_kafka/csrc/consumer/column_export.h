/*
 * Message columns through the Arrow C data interface, in capsules.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_COLUMN_EXPORT_H
#define CONFLUENT_KAFKA_CONSUMER_COLUMN_EXPORT_H

#include "base/module_state.h"
#include "consumer/message_columns.h"

/*
 * Each gives a new capsule that owns its struct and shares the columns, or NULL with a
 * MemoryError. The columns may be exported any number of times.
 */
PyObject *arrow_schema_capsule(message_columns *columns);
PyObject *arrow_array_capsule(message_columns *columns);
PyObject *arrow_stream_capsule(message_columns *columns);

#endif

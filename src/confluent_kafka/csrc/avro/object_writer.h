#ifndef CONFLUENT_KAFKA_AVRO_OBJECT_WRITER_H
#define CONFLUENT_KAFKA_AVRO_OBJECT_WRITER_H

#include "base/module_state.h"

/* _AvroWriter: writes Python objects as Avro; see confluent_kafka.schema_registry._avro_shapes. */
int avro_writer_type_add(PyObject *module, module_state *state);

#endif

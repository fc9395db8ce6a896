#ifndef CONFLUENT_KAFKA_CODEC_RECORD_H
#define CONFLUENT_KAFKA_CODEC_RECORD_H

#include "base/module_state.h"

/* Adds _read_record(), which reads a record from a batch of format 2. */
int record_function_add(PyObject *module);

#endif

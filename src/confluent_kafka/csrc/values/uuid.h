#ifndef CONFLUENT_KAFKA_VALUES_UUID_H
#define CONFLUENT_KAFKA_VALUES_UUID_H

#include "base/module_state.h"

int uuid_type_add(PyObject *module, module_state *state);
PyObject *uuid_from(module_state *state, const rd_kafka_Uuid_t *uuid);

#endif

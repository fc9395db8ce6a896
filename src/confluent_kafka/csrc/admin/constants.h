/*
 * The numbers of librdkafka's enumerations, under the names that confluent_kafka.cimpl has.
 */
#ifndef CONFLUENT_KAFKA_ADMIN_CONSTANTS_H
#define CONFLUENT_KAFKA_ADMIN_CONSTANTS_H

#include "base/module_state.h"

int admin_constants_add(PyObject *module);

#endif

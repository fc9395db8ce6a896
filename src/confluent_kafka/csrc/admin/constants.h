/*
 * The values of librdkafka's enumerations, as constants of confluent_kafka.cimpl.
 */
#ifndef CONFLUENT_KAFKA_ADMIN_CONSTANTS_H
#define CONFLUENT_KAFKA_ADMIN_CONSTANTS_H

#include "base/module_state.h"

int admin_constants_add(PyObject *module);

#endif

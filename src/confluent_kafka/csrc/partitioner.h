#ifndef CONFLUENT_KAFKA_PARTITIONER_H
#define CONFLUENT_KAFKA_PARTITIONER_H

#include "module.h"

/* Adds murmur2(), consistent() and fnv1a(): which partition a key belongs to. */
int partitioner_functions_add(PyObject *module, module_state *state);

#endif

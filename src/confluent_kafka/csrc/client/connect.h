/*
 * connect(): waits until a broker has answered, or raises why none does.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CONNECT_H
#define CONFLUENT_KAFKA_CLIENT_CONNECT_H

#include "base/module_state.h"

/* For the type of all clients. */
extern PyMethodDef connect_methods[];

#endif

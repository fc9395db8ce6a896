/*
 * connect(): waits until a broker has answered, or raises the reason why none does.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CONNECT_H
#define CONFLUENT_KAFKA_CLIENT_CONNECT_H

#include "base/module_state.h"

/* Methods for the base type of all clients. */
extern PyMethodDef connect_methods[];

#endif

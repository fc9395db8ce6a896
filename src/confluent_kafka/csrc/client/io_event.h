/*
 * io_event_enable(): for the type of all clients.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_IO_EVENT_H
#define CONFLUENT_KAFKA_CLIENT_IO_EVENT_H

#include "base/module_state.h"

extern PyMethodDef io_event_methods[];

#endif

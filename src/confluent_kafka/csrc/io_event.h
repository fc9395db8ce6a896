/*
 * io_event_enable(): for the type of all clients.
 */
#ifndef CONFLUENT_KAFKA_IO_EVENT_H
#define CONFLUENT_KAFKA_IO_EVENT_H

#include "module.h"

extern PyMethodDef io_event_methods[];

#endif

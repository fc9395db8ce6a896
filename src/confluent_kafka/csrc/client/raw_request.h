/*
 * request() and api_versions(): any request of Kafka's protocol.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_RAW_REQUEST_H
#define CONFLUENT_KAFKA_CLIENT_RAW_REQUEST_H

#include "base/module_state.h"

/* For the type of all clients. */
extern PyMethodDef raw_request_methods[];

#endif

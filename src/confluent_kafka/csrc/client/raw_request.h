/*
 * request() and api_versions(): any request of Kafka's protocol.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_RAW_REQUEST_H
#define CONFLUENT_KAFKA_CLIENT_RAW_REQUEST_H

#include "base/module_state.h"

/* Methods for the base type of all clients. */
extern PyMethodDef raw_request_methods[];

/* 0 if this librdkafka can send any request, else -1 with a KafkaException. */
int raw_requests_check(module_state *state);

#endif

/*
 * Requests that failed, as exceptions.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_FAILURE_H
#define CONFLUENT_KAFKA_CLIENT_FAILURE_H

#include "client/client.h"

/*
 * Raise KafkaException for a request of this client. Where the error only says that no broker
 * answered, what librdkafka last said about a broken connection is added: wrong credentials
 * and certificates show nowhere else in a program that has no error_cb.
 */
void client_raise_error(Client *self, rd_kafka_resp_err_t code, const char *what);
/* NULL gives 0. Otherwise destroys `error` and gives -1. */
int client_raise_if_error(Client *self, rd_kafka_error_t *error);
/* The same for a KafkaError (stolen; NULL: an exception is set), without the client. */
void raise_with_cause(module_state *state, const client_core *core, PyObject *error);

#endif

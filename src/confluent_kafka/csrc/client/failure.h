/*
 * Converts failed requests to exceptions.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_FAILURE_H
#define CONFLUENT_KAFKA_CLIENT_FAILURE_H

#include "client/client.h"

/*
 * Raise KafkaException for a request of this client. If the error only reports that no broker
 * answered, librdkafka's last report about a broken connection is added: without an error_cb, a
 * program sees wrong credentials and certificates nowhere else.
 */
void client_raise_error(Client *self, rd_kafka_resp_err_t code, const char *what);
/*
 * Whether a request got no answer in its time. The request may still have been in the queue of a
 * broker's connection: librdkafka has a code of its own for that.
 */
static inline bool
is_timeout(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE;
}

/*
 * Whether a request got no answer because its broker is gone: the connection broke, or librdkafka
 * has given the broker up, because the newest metadata does not contain it.
 */
static inline bool
is_lost_broker(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__DESTROY_BROKER;
}

/* 0 for NULL. Otherwise destroys `error` and returns -1 with the exception. */
int client_raise_if_error(Client *self, rd_kafka_error_t *error);
/* The same for a KafkaError (stolen; NULL: an exception is set), without a client object. */
void raise_with_cause(module_state *state, const client_core *core, PyObject *error);

#endif

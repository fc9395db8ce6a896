/*
 * Brokers that do not let a consumer in, where nobody gave an error_cb to be told: poll()
 * would return None for ever. It raises instead, once all brokers are down and one of them
 * had refused the credentials or the certificate. One broker that refuses while others do not
 * is information for the log, as is a connection that breaks.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_REFUSAL_H
#define CONFLUENT_KAFKA_CLIENT_REFUSAL_H

#include "base/args.h"
#include "base/deadline.h"

struct Client;

typedef struct {
    PyObject *error; /* KafkaError of the last refusal, or NULL */
    deadline until;  /* what happens later has other causes */
} refusal;

/* Notes an error of the client; parks the KafkaException that poll() raises if it is due. */
void refusal_note(struct Client *client, rd_kafka_resp_err_t code, const char *reason);

#endif

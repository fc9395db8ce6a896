/*
 * Why a client has no broker: the most telling of the errors that its connections came to.
 * librdkafka reports each as it happens, and then that all brokers are down; connect() raises
 * the one that a person can do something about.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_OUTAGE_H
#define CONFLUENT_KAFKA_CLIENT_OUTAGE_H

#include "base/args.h"
#include "base/deadline.h"

struct Client;

typedef struct {
    PyObject *cause; /* KafkaError, or NULL */
    deadline until;  /* what happens later has other causes */
    int watching;    /* how many connect() wait */
    bool all_down;   /* since the last of them began */
} outage;

/* Notes an error that the client reports (a KafkaError). */
void outage_note(outage *self, PyObject *error);
/* The cause, which is still the client's to keep; new reference, or NULL. */
PyObject *outage_cause(outage *self);
/* A broker has answered. */
void outage_end(outage *self);

/* connect(), for the type of all clients. */
extern PyMethodDef connect_methods[];

#endif

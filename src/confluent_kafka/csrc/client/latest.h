/*
 * What a client was told last: its latest error and its latest statistics, kept for
 * last_error and stats() whether or not there is a callback for them.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_LATEST_H
#define CONFLUENT_KAFKA_CLIENT_LATEST_H

#include "base/module_state.h"

typedef struct {
    object_mutex mutex;   /* written by the thread that serves, read by any */
    PyObject *error;      /* KafkaError, or NULL */
    PyObject *statistics; /* str: librdkafka's JSON, or NULL */
} latest;

/* Puts `value` into one of the fields; the reference stays the caller's. */
void latest_set(latest *self, PyObject **field, PyObject *value);
/* A new reference to what is there, or None. */
PyObject *latest_get(latest *self, PyObject **field);

int latest_traverse(latest *self, visitproc visit, void *arg);
void latest_clear(latest *self);

/* last_error and stats(), for the type of all clients. */
extern PyGetSetDef latest_getters[];
extern PyMethodDef latest_methods[];

#endif

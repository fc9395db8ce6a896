/*
 * The life of a client: the functions behind the types' slots.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_LIFE_H
#define CONFLUENT_KAFKA_CLIENT_LIFE_H

#include "client/client.h"

/* For tp_new: a client that is not open yet, with the words of its kind. */
PyObject *client_new(PyTypeObject *type, const client_words *words);
int client_traverse(Client *self, visitproc visit, void *arg);
int client_clear(Client *self);
void client_finalize(PyObject *self);
/*
 * Brackets tp_dealloc. client_dealloc_begin() ends the handle. It calls `release`, which still
 * needs all fields of the subtype. Then the subtype frees its own fields, and client_dealloc_end()
 * frees the object. client_dealloc_begin() returns false if the finalizer has resurrected the
 * object.
 */
bool client_dealloc_begin(PyObject *self);
void client_dealloc_end(PyObject *self);

/*
 * Creates the handle from `conf` (always consumed) and opens the client as this kind. 0, or -1
 * with an exception.
 */
int client_open(Client *self, const client_kind *kind, rd_kafka_conf_t *conf);

/* client_kind.create for a kind that is a producer for librdkafka. */
rd_kafka_t *client_create_producer(Client *self, rd_kafka_conf_t *conf, char *reason,
                                   size_t size);

#endif

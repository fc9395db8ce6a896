/*
 * The life of a client: what the types' slots call.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_LIFE_H
#define CONFLUENT_KAFKA_CLIENT_LIFE_H

#include "client/client.h"

/* For tp_new: a client that is not open yet, of the kind that `words` names. */
PyObject *client_new(PyTypeObject *type, const client_words *words);
int client_traverse(Client *self, visitproc visit, void *arg);
int client_clear(Client *self);
void client_finalize(PyObject *self);
/*
 * Brackets tp_dealloc: begin ends the handle, for which `release` needs all that the subtype
 * has; end frees the object. Between them the subtype frees its own. False: the finalizer made
 * the object live again.
 */
bool client_dealloc_begin(PyObject *self);
void client_dealloc_end(PyObject *self);

/*
 * Creates the handle from `conf` (always consumed) and opens the client, of this kind. 0, or -1
 * with an exception.
 */
int client_open(Client *self, const client_kind *kind, rd_kafka_conf_t *conf);

/* client_kind.create of a kind that librdkafka takes for a producer. */
rd_kafka_t *client_create_producer(Client *self, rd_kafka_conf_t *conf, char *reason,
                                   size_t size);

#endif

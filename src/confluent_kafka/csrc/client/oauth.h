/*
 * SASL/OAUTHBEARER tokens from a Python callable: __init__() waits for the first, the others are
 * refreshed in the background.
 *
 * A Python thread of the client's own waits on librdkafka's SASL queue and runs `oauth_cb`
 * there, so that a token is renewed even when nobody polls. It holds the client's core, not
 * the client, so that it does not keep the client alive.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_OAUTH_H
#define CONFLUENT_KAFKA_CLIENT_OAUTH_H

#include "client/client.h"

int token_refresher_type_add(PyObject *module, module_state *state);

/* Makes `conf` send token requests to the SASL queue, for a client with oauth_cb. */
void oauth_configure(Client *self, rd_kafka_conf_t *conf);

/* Starts the thread of a client whose handle exists: 0, or -1 with an exception. */
int oauth_start(Client *self);
/*
 * Waits for the first token: 0, or -1 with a KafkaException when oauth_cb fails, or does not
 * return within the client's `_oauth_timeout`; also with an exception of a signal handler.
 */
int oauth_wait(Client *self);
/* The getter of `_oauth_timeout`: 10 seconds. A subclass may have another attribute instead. */
PyObject *oauth_timeout(PyObject *client, void *closure);
/* Ends the thread; waits for it, but not long for an oauth_cb that is running. */
void oauth_stop(Client *self);

int oauth_traverse(Client *self, visitproc visit, void *arg);
void oauth_clear(Client *self);

#endif

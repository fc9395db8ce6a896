/*
 * SASL/OAUTHBEARER tokens from a Python callable. __init__() waits for the first token; later
 * tokens are refreshed in the background.
 *
 * A Python thread of the client waits on librdkafka's SASL queue and runs `oauth_cb`, so that a
 * token is renewed even if nobody polls. It holds the client's core and not the client, so that
 * it does not keep the client alive.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_OAUTH_H
#define CONFLUENT_KAFKA_CLIENT_OAUTH_H

#include "client/client.h"

int token_refresher_type_add(PyObject *module, module_state *state);

/* Makes `conf` send token requests to the SASL queue, for a client with oauth_cb. */
void oauth_configure(Client *self, rd_kafka_conf_t *conf);

/* Starts the thread, after the handle has been created: 0, or -1 with an exception. */
int oauth_start(Client *self);
/*
 * Waits for the first token: 0; or -1 with a KafkaException if oauth_cb fails or does not return
 * within the client's `_oauth_timeout`, or with the exception of a signal handler.
 */
int oauth_wait(Client *self);
/* The getter of `_oauth_timeout`, 10 seconds. A subclass may have an attribute of that name. */
PyObject *oauth_timeout(PyObject *client, void *closure);
/* Stops the thread. Waits for it, but only for a short time if oauth_cb is running. */
void oauth_stop(Client *self);

int oauth_traverse(Client *self, visitproc visit, void *arg);
void oauth_clear(Client *self);

#endif

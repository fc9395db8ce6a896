/*
 * The list of a module's open clients, for the exit of the interpreter and for a fork.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_REGISTRY_H
#define CONFLUENT_KAFKA_CLIENT_REGISTRY_H

#include "client/client.h"

/* Makes the weak reference for the list: 0, or -1 with an exception. */
int registry_prepare(Client *self);
void registry_add(Client *self);
/* Does nothing for a client that is not in the list. */
void registry_remove(Client *self);

/* A weak reference to an open client, borrowed. */
PyObject *registry_reference(Client *self);
int registry_traverse(Client *self, visitproc visit, void *arg);
void registry_clear(Client *self);

/* One of the clients in the list, or NULL; new reference. */
PyObject *registry_next(module_state *state);
/* The same in a forked child, which has no other threads; so nobody holds the mutex. */
Client *registry_first_in_child(module_state *state);

/* The calling thread exits the interpreter. */
void registry_begin_exit(module_state *state);
/*
 * True, with SystemExit set, in a daemon thread that uses a client while another thread exits the
 * interpreter. The daemon thread then ends without a traceback, as it would without this client.
 */
bool client_end_thread_at_exit(Client *self);

#endif

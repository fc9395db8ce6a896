/*
 * The list of open clients of a module: for the exit of the interpreter, and for a fork.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_REGISTRY_H
#define CONFLUENT_KAFKA_CLIENT_REGISTRY_H

#include "client/client.h"

/* Makes the weak reference that the list needs: 0, or -1 with an exception. */
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
/* The same in a forked child, where no other thread is and nobody holds the mutex. */
Client *registry_first_in_child(module_state *state);

/* The thread that calls it exits the interpreter. */
void registry_begin_exit(module_state *state);
/*
 * True, with SystemExit set, in a daemon thread that uses a client while another one exits the
 * interpreter: it ends without a traceback, as it would without this client.
 */
bool client_end_thread_at_exit(Client *self);

#endif

/*
 * The end of clients: close(), the exit of the interpreter, and a fork.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CLOSE_H
#define CONFLUENT_KAFKA_CLIENT_CLOSE_H

#include "client/client.h"

/*
 * close(): waits until no other thread is inside, lets the subtype end its work with `leave`
 * under the serving lock (NULL: there is none; 1: `until` has passed before that; -1: a signal
 * handler raised, and a later close() goes on), destroys the handle, and raises what callbacks
 * left. 0, or -1 with an exception.
 */
typedef int leave_function(Client *self, deadline *until);
/* Seconds for which close() may wait before the log says what it waits for. */
double client_silent_seconds(const Client *self);
/* The end of a block that an exception has left: close() waits a few seconds at most. */
void client_hurry(Client *self);
bool client_hurries(const Client *self);
int client_close(Client *self, leave_function *leave, deadline *until);

/* Destroys all clients that are left when the interpreter exits. */
PyObject *close_live_clients(PyObject *module, PyObject *unused);
/* Marks all clients as their parent's, in a forked child. */
PyObject *mark_clients_forked(PyObject *module, PyObject *unused);

#endif

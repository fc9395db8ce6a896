/*
 * The end of clients: close(), the exit of the interpreter, and a fork.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CLOSE_H
#define CONFLUENT_KAFKA_CLIENT_CLOSE_H

#include "client/client.h"

/*
 * close(): waits until no other thread is inside. Then `leave` ends the work of the subtype, under
 * the serving lock. It may be NULL; it returns 1 if `until` has passed, and -1 if a signal handler
 * raised; in these cases a later close() continues. Then close() destroys the handle and raises
 * exceptions that callbacks left. 0, or -1 with an exception.
 */
typedef int leave_function(Client *self, deadline *until);
/* How many seconds close() waits before it logs what it waits for. */
double client_silent_seconds(const Client *self);
/* An exception has ended the client's block: close() then waits a few seconds at most. */
void client_hurry(Client *self);
bool client_hurries(const Client *self);
int client_close(Client *self, leave_function *leave, deadline *until);

/* Destroys the remaining clients when the interpreter exits. */
PyObject *close_live_clients(PyObject *module, PyObject *unused);
/* In a forked child: marks all clients as the parent's. */
PyObject *mark_clients_forked(PyObject *module, PyObject *unused);

#endif

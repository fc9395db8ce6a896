/*
 * Signal handlers, and whatever else CPython runs between two steps of a wait.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_SIGNALS_H
#define CONFLUENT_KAFKA_CLIENT_SIGNALS_H

#include "client/client.h"

/* Runs pending signal handlers inside a call: 0, or -1 with an exception. */
int client_check_signals(Client *self);

/* True in a signal handler that runs inside a call of this client, on this thread. */
bool client_runs_signal_handler(Client *self);

/* Waits for `lock` in slices without the GIL. 1: acquired; 0: time is up; -1: exception. */
int lock_within(Client *self, PyThread_type_lock lock, deadline *until);

/* Methods of the type, for tests. */
extern PyMethodDef signal_methods[];

#endif

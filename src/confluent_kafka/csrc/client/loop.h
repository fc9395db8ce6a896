/*
 * The event loop whose tasks use a client, and its turns: part of the base type of all clients.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_LOOP_H
#define CONFLUENT_KAFKA_CLIENT_LOOP_H

#include "client/client.h"

/* Whether this thread runs the loop and its turn is not over: 1 or 0, or -1 with an exception. */
int loop_is_turn(Client *self);
/* The same for a method: raises if the client is closed. */
int loop_check_turn(Client *self);

/* A future of the loop, if its turn is not over: new reference, or NULL with an exception. */
PyObject *loop_create_future(Client *self);

/* The warning of the loop's client if nobody closes it: borrowed, or NULL without a loop. */
PyObject *loop_unclosed(const Client *self);

/* For the slots and methods of the type. */
int loop_traverse(Client *self, visitproc visit, void *arg);
void loop_clear(Client *self);

extern PyMethodDef loop_methods[];

#endif

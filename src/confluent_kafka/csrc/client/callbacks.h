/*
 * The event bridge: librdkafka's rare callbacks, run on the thread that serves them.
 *
 * librdkafka calls these C functions only from inside poll(), consume(), flush() or
 * close(), on the thread that called it. Each takes the GIL back from the frame that
 * released it, runs one Python callable, parks an exception for that call to raise, and
 * asks librdkafka to return.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CALLBACKS_H
#define CONFLUENT_KAFKA_CLIENT_CALLBACKS_H

#include "client/client.h"

/* Registers the C callbacks, for the Python callables that `self` has and for what it notes. */
void callbacks_register(Client *self, rd_kafka_conf_t *conf);

/*
 * Enters and leaves Python from a C callback. callback_begin() returns false when the
 * client is gone and nothing may be run.
 */
typedef struct {
    Client *client;
    bool took_gil;
} callback_scope;

bool callback_begin(callback_scope *scope, void *opaque);
void callback_end(callback_scope *scope);

/* Calls `callable` with one argument (stolen; NULL when it could not be made). */
void callback_call(PyObject *callable, PyObject *argument);

/*
 * Polling a queue for events (delivery reports, the end of a consumer) turns the other
 * callbacks into events too: runs the same code for one, exceptions are parked. False when
 * the event is of another kind.
 */
bool callbacks_serve_event(Client *self, rd_kafka_event_t *event);

/* Whether statistics wait in the queue for a call that serves them. */
bool callbacks_has_queued_statistics(Client *self);

/* The latest statistics as JSON, also those in the queue, or None; NULL: exception. */
PyObject *callbacks_latest_statistics(Client *self);

/*
 * Notes and logs at once that oauth_cb failed, which callbacks are told when they are served. With
 * the core of the thread that called it: the client may have been closed meanwhile, and has none.
 */
void callbacks_note_token_failure(Client *client, client_core *core, const char *reason);

/* The application is told of errors, statistics or throttling. */
bool callbacks_are_there(const Client *self);

int callbacks_traverse(Client *self, visitproc visit, void *arg);
void callbacks_clear(Client *self);

#endif

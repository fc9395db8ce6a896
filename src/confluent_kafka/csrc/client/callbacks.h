/*
 * The event bridge: runs librdkafka's less frequent callbacks on the thread that serves them.
 *
 * librdkafka calls these C functions only from inside poll(), consume(), flush() or
 * close(), on the thread that called it. Each of them takes back the GIL that the serving frame
 * released, and runs one Python callable. It keeps an exception for that call to raise, and then
 * makes librdkafka return.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CALLBACKS_H
#define CONFLUENT_KAFKA_CLIENT_CALLBACKS_H

#include "client/client.h"

/* Registers the C callbacks: for the Python callables of `self`, and for what `self` records. */
void callbacks_register(Client *self, rd_kafka_conf_t *conf);

/*
 * Enters and leaves Python from a C callback. callback_begin() returns false if the client
 * has ended and no Python code may run.
 */
typedef struct {
    Client *client;
    bool took_gil;
} callback_scope;

bool callback_begin(callback_scope *scope, void *opaque);
void callback_end(callback_scope *scope);

/* Calls `callable` with one argument (stolen; NULL if it could not be made). */
void callback_call(PyObject *callable, PyObject *argument);

/*
 * When a queue is polled for events (delivery reports, the end of a consumer), librdkafka turns
 * the other callbacks into events, too. This runs the same code for such an event and parks
 * exceptions. Returns false for other kinds of events.
 */
bool callbacks_serve_event(Client *self, rd_kafka_event_t *event);

/* Whether statistics are in the queue, waiting for a call that serves them. */
bool callbacks_has_queued_statistics(Client *self);

/* The latest statistics as JSON, including queued ones; None if there are none; NULL: exception. */
PyObject *callbacks_latest_statistics(Client *self);

/*
 * Records and logs at once that oauth_cb failed; a later call that serves callbacks reports it to
 * them. The thread passes its `core`, because a client that was closed meanwhile has no core.
 */
void callbacks_note_token_failure(Client *client, client_core *core, const char *reason);

/* Whether the application has callbacks for errors, statistics or throttling. */
bool callbacks_are_there(const Client *self);

int callbacks_traverse(Client *self, visitproc visit, void *arg);
void callbacks_clear(Client *self);

#endif

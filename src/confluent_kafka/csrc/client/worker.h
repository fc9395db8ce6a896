/*
 * A Python thread of a client's own, which waits on a queue of librdkafka while nobody polls.
 *
 * It holds the handle, not the client, so that it does not keep the client alive. Whoever owns
 * the worker is a Python object, which the thread keeps.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_WORKER_H
#define CONFLUENT_KAFKA_CLIENT_WORKER_H

#include "client/core.h"

typedef struct {
    client_core *core;       /* these two are NULL once the handle is released, */
    rd_kafka_queue_t *queue; /* which only the thread does while it runs */
    object_mutex mutex;      /* of both, for threads other than the worker's */
    atomic_bool stopping;
    _Atomic unsigned long thread; /* the one that runs, or 0 */
    PyThread_type_lock ended;     /* released when the thread has released the handle */
} worker;

/* Takes `queue` over, also on failure: 0, or -1 with a MemoryError. */
int worker_init(worker *self, client_core *core, rd_kafka_queue_t *queue);
/* For a dealloc; releases the handle if the thread was never started. */
void worker_clear(worker *self);

/*
 * On the thread: calls `serve(owner)`, which waits on the queue for a second at most, until the
 * worker is stopped, then `end(owner)` (or NULL), and releases the handle.
 */
void worker_run(worker *self, PyObject *owner, void (*serve)(PyObject *owner),
                void (*end)(PyObject *owner));

/* Makes the thread end soon; false when it has released the handle already. */
bool worker_tell_to_stop(worker *self);

/*
 * Stops the thread and waits for it, but not long for Python code that it runs: the handle is
 * destroyed by whoever releases it last, and that should be the caller.
 */
void worker_stop(worker *self);

#endif

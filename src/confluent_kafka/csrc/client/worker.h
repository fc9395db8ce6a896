/*
 * A Python thread of a client, which waits on a queue of librdkafka even if nobody polls.
 *
 * It holds the handle and not the client, so that it does not keep the client alive. The worker
 * belongs to a Python object, which the thread keeps alive.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_WORKER_H
#define CONFLUENT_KAFKA_CLIENT_WORKER_H

#include "client/core.h"

typedef struct {
    client_core *core;       /* this and `queue` are NULL once the handle is released; */
    rd_kafka_queue_t *queue; /* while the thread runs, only the thread releases it */
    object_mutex mutex;      /* guards both, for threads other than the worker's */
    atomic_bool stopping;
    _Atomic unsigned long thread; /* the running thread, or 0 */
    PyThread_type_lock ended;     /* released when the thread has released the handle */
} worker;

/* Takes ownership of `queue`, even on failure: 0, or -1 with a MemoryError. */
int worker_init(worker *self, client_core *core, rd_kafka_queue_t *queue);
/* For a dealloc: releases the handle if the thread was never started. */
void worker_clear(worker *self);

/*
 * On the thread: calls `serve(owner)`, which waits on the queue for at most a second, until the
 * worker is stopped. Then calls `end(owner)` (may be NULL) and releases the handle.
 */
void worker_run(worker *self, PyObject *owner, void (*serve)(PyObject *owner),
                void (*end)(PyObject *owner));

/* Makes the thread end soon; false if it has already released the handle. */
bool worker_tell_to_stop(worker *self);

/*
 * Stops the thread and waits for it, but only for a short time if it runs Python code. The last
 * one to release the handle destroys it, and that should be the caller.
 */
void worker_stop(worker *self);

#endif

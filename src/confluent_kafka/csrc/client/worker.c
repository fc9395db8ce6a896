#include "client/worker.h"

#include "client/core.h"

/* How long the end of a client waits for Python code that runs on the thread. */
#define STOP_TIMEOUT_US 2000000

int
worker_init(worker *self, client_core *core, rd_kafka_queue_t *queue)
{
    self->core = core_retain(core);
    self->queue = queue;
    self->ended = PyThread_allocate_lock();
    if (self->ended == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyThread_acquire_lock(self->ended, NOWAIT_LOCK); /* new, so this cannot fail */
    return 0;
}

static void
release_handle(worker *self)
{
    object_mutex_lock(&self->mutex);
    client_core *core = self->core;
    rd_kafka_queue_t *queue = self->queue;
    self->core = NULL;
    self->queue = NULL;
    object_mutex_unlock(&self->mutex);
    if (core == NULL) {
        return;
    }
    bool own = core_owned_by_this_process(core);
    Py_BEGIN_ALLOW_THREADS
    if (own) {
        rd_kafka_queue_destroy(queue);
    }
    core_release(core);
    Py_END_ALLOW_THREADS
}

void
worker_clear(worker *self)
{
    release_handle(self);
    if (self->ended != NULL) {
        PyThread_free_lock(self->ended);
        self->ended = NULL;
    }
}

void
worker_run(worker *self, PyObject *owner, void (*serve)(PyObject *owner),
           void (*end)(PyObject *owner))
{
    atomic_store(&self->thread, PyThread_get_thread_ident());
    while (!atomic_load(&self->stopping)) {
        serve(owner);
    }
    if (end != NULL) {
        end(owner);
    }
    release_handle(self);
    PyThread_release_lock(self->ended);
}

bool
worker_tell_to_stop(worker *self)
{
    atomic_store(&self->stopping, true);
    object_mutex_lock(&self->mutex);
    bool running = self->queue != NULL && core_owned_by_this_process(self->core);
    if (running) {
        rd_kafka_queue_yield(self->queue);
    }
    object_mutex_unlock(&self->mutex);
    return running;
}

void
worker_stop(worker *self)
{
    if (worker_tell_to_stop(self) && atomic_load(&self->thread) != PyThread_get_thread_ident()) {
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock_timed(self->ended, STOP_TIMEOUT_US, 0);
        Py_END_ALLOW_THREADS
    }
}

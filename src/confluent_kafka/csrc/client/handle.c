#include "client/handle.h"

#include "client/core.h"

/* The end of a handle, which the calling thread may wait for only for a limited time. */
typedef struct {
    client_core *core;
    PyThread_type_lock done; /* released when the handle is gone */
    atomic_int parties;      /* the thread that destroys the handle, and the one that waits */
} handle_end;

static void
drop_end(handle_end *end)
{
    if (atomic_fetch_sub(&end->parties, 1) == 1) {
        PyThread_free_lock(end->done);
        PyMem_RawFree(end);
    }
}

WITHOUT_GIL static void
end_handle(void *argument)
{
    handle_end *end = argument;
    core_release(end->core);
    PyThread_release_lock(end->done);
    drop_end(end);
}

/* Starts to destroy the handle on a thread of its own; NULL if there is no memory for it. */
static handle_end *
start_handle_end(client_core *core)
{
    handle_end *end = PyMem_RawMalloc(sizeof(*end));
    if (end == NULL) {
        return NULL;
    }
    end->core = core;
    atomic_init(&end->parties, 2);
    end->done = PyThread_allocate_lock();
    if (end->done == NULL) {
        PyMem_RawFree(end);
        return NULL;
    }
    PyThread_acquire_lock(end->done, NOWAIT_LOCK); /* new, so this cannot fail */
    if (PyThread_start_new_thread(end_handle, end) == PYTHREAD_INVALID_THREAD_ID) {
        PyThread_free_lock(end->done);
        PyMem_RawFree(end);
        return NULL;
    }
    return end;
}

void
client_release_handle(Client *self, double patience)
{
    client_core *core = self->core;
    core->client = NULL; /* no callbacks run from here on */
    if (self->kind != NULL && self->kind->release != NULL && core_owned_by_this_process(core)) {
        self->kind->release(self);
    }
    self->core = NULL;
    self->rk = NULL;
    bool ends_now = patience < 0 || core->rk == NULL || !core_owned_by_this_process(core);
    handle_end *end = ends_now ? NULL : start_handle_end(core);
    Py_BEGIN_ALLOW_THREADS
    if (end == NULL) {
        core_release(core);
    }
    else {
        PyThread_acquire_lock_timed(end->done, (PY_TIMEOUT_T)(patience * 1e6), 0);
        drop_end(end);
    }
    Py_END_ALLOW_THREADS
}

#include "client/signals.h"

/* Scopes end in any order: a handler can switch to another greenlet of its thread. */
static void
add_scope(client_signals *self, signal_scope *scope)
{
    object_mutex_lock(&self->mutex);
    scope->next = self->first;
    if (scope->next != NULL) {
        scope->next->previous = scope;
    }
    self->first = scope;
    object_mutex_unlock(&self->mutex);
}

static void
remove_scope(client_signals *self, signal_scope *scope)
{
    object_mutex_lock(&self->mutex);
    if (scope->previous != NULL) {
        scope->previous->next = scope->next;
    }
    else {
        self->first = scope->next;
    }
    if (scope->next != NULL) {
        scope->next->previous = scope->previous;
    }
    object_mutex_unlock(&self->mutex);
}

int
client_check_signals(Client *self)
{
    signal_scope scope = {.thread = PyThread_get_thread_ident()};
    add_scope(&self->signals, &scope);
    int result = PyErr_CheckSignals();
    remove_scope(&self->signals, &scope);
    return result;
}

bool
client_runs_signal_handler(Client *self)
{
    unsigned long thread = PyThread_get_thread_ident();
    object_mutex_lock(&self->signals.mutex);
    const signal_scope *scope = self->signals.first;
    while (scope != NULL && scope->thread != thread) {
        scope = scope->next;
    }
    object_mutex_unlock(&self->signals.mutex);
    return scope != NULL;
}

int
lock_within(Client *self, PyThread_type_lock lock, deadline *until)
{
    for (;;) {
        PyLockStatus status;
        int slice_ms = deadline_remaining_ms(until, WAIT_SLICE_MS);
        Py_BEGIN_ALLOW_THREADS
        status = PyThread_acquire_lock_timed(lock, (PY_TIMEOUT_T)slice_ms * 1000, 1);
        Py_END_ALLOW_THREADS
        if (status == PY_LOCK_ACQUIRED) {
            return 1;
        }
        if (client_check_signals(self) < 0) {
            return -1;
        }
        if (deadline_passed(until)) {
            return 0;
        }
    }
}

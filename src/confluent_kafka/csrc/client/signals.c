#include "client/signals.h"

#include "base/args.h"

/* Scopes may end in any order: a handler can switch to another greenlet of its thread. */
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

/* True once: at the check that _interrupt_after() selects. */
static bool
is_to_be_interrupted(client_signals *self)
{
    return atomic_load_explicit(&self->until_interrupt, memory_order_relaxed) > 0
           && atomic_fetch_sub(&self->until_interrupt, 1) == 1;
}

int
client_check_signals(Client *self)
{
    if (is_to_be_interrupted(&self->signals)) {
        PyErr_SetInterrupt();
    }
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

PyDoc_STRVAR(interrupt_after_doc,
"_interrupt_after($self, checks, /)\n--\n\n"
"Simulate Ctrl-C when the client's calls check for signals for the n-th time. For tests.\n\n"
"Args:\n"
"    checks (int): the number n; 0 cancels an earlier call.\n\n"
"Returns:\n"
"    int: how many checks were left from an earlier call; 0 if that Ctrl-C was already simulated.");

static PyObject *
interrupt_after(PyObject *object, PyObject *arg)
{
    Client *self = (Client *)object;
    int32_t checks;
    if (arg_int32(arg, "checks", 0, INT32_MAX, &checks) < 0) {
        return NULL;
    }
    return PyLong_FromLong(atomic_exchange(&self->signals.until_interrupt, checks));
}

PyMethodDef signal_methods[] = {
    {"_interrupt_after", interrupt_after, METH_O, interrupt_after_doc},
    {NULL, NULL, 0, NULL},
};

#include "client/registry.h"

int
registry_prepare(Client *self)
{
    Py_XSETREF(self->registration.reference, PyWeakref_NewRef((PyObject *)self, NULL));
    return self->registration.reference == NULL ? -1 : 0;
}

PyObject *
registry_reference(Client *self)
{
    return self->registration.reference;
}

int
registry_traverse(Client *self, visitproc visit, void *arg)
{
    Py_VISIT(self->registration.reference);
    return 0;
}

void
registry_clear(Client *self)
{
    Py_CLEAR(self->registration.reference);
}

void
registry_add(Client *self)
{
    object_mutex_lock(&self->state->live_clients_mutex);
    Client *next = self->state->live_clients;
    self->registration.next = next;
    if (next != NULL) {
        next->registration.previous = self;
    }
    self->state->live_clients = self;
    object_mutex_unlock(&self->state->live_clients_mutex);
}

static void
remove_lock_held(Client *self)
{
    Client *previous = self->registration.previous, *next = self->registration.next;
    if (previous != NULL) {
        previous->registration.next = next;
    }
    else if (self->state->live_clients == self) {
        self->state->live_clients = next;
    }
    if (next != NULL) {
        next->registration.previous = previous;
    }
    self->registration.previous = self->registration.next = NULL;
}

void
registry_remove(Client *self)
{
    object_mutex_lock(&self->state->live_clients_mutex);
    remove_lock_held(self);
    object_mutex_unlock(&self->state->live_clients_mutex);
}

PyObject *
registry_next(module_state *state)
{
    PyObject *client = NULL;
    object_mutex_lock(&state->live_clients_mutex);
    while (client == NULL && state->live_clients != NULL) {
        Client *first = state->live_clients;
        if (PyWeakref_GetRef(first->registration.reference, &client) <= 0) {
            remove_lock_held(first); /* another thread is deleting it, and will end it */
        }
    }
    object_mutex_unlock(&state->live_clients_mutex);
    return client;
}

Client *
registry_first_in_child(module_state *state)
{
    return state->live_clients;
}

/* ---- the exit of the interpreter ---- */

void
registry_begin_exit(module_state *state)
{
    atomic_store(&state->exiting_thread, PyThread_get_thread_ident());
}

bool
client_end_thread_at_exit(Client *self)
{
    unsigned long exiting = atomic_load(&self->state->exiting_thread);
    if (exiting == 0 || exiting == PyThread_get_thread_ident()) {
        return false;
    }
    PyErr_SetNone(PyExc_SystemExit);
    return true;
}

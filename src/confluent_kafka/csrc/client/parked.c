#include "client/parked.h"

/* The oldest and how many were dropped before it, or NULL; no Python runs in here. */
static PyObject *
take(parked_exceptions *self, Py_ssize_t *dropped)
{
    PyObject *exception = NULL;
    object_mutex_lock(&self->mutex);
    size_t count = atomic_load(&self->count);
    if (count > 0) {
        exception = self->exceptions[self->first];
        self->exceptions[self->first] = NULL;
        self->first = (self->first + 1) % PARKED_MOST;
        atomic_store(&self->count, count - 1);
        *dropped = self->dropped;
        self->dropped = 0;
    }
    object_mutex_unlock(&self->mutex);
    return exception;
}

void
parked_add(parked_exceptions *self, PyObject *exception)
{
    PyObject *oldest = NULL;
    object_mutex_lock(&self->mutex);
    size_t count = atomic_load(&self->count);
    PyObject **place = &self->exceptions[(self->first + count) % PARKED_MOST];
    if (count == PARKED_MOST) {
        oldest = *place;
        self->first = (self->first + 1) % PARKED_MOST;
        self->dropped++;
    }
    else {
        atomic_store(&self->count, count + 1);
    }
    *place = exception;
    object_mutex_unlock(&self->mutex);
    Py_XDECREF(oldest); /* may run Python */
}

static void
add_note(PyObject *exception, Py_ssize_t dropped)
{
    PyObject *note = PyUnicode_FromFormat("%zd earlier exceptions of this client's callbacks were "
                                          "dropped: call poll() more often",
                                          dropped);
    PyObject *added =
        note == NULL ? NULL : PyObject_CallMethod(exception, "add_note", "O", note);
    if (added == NULL) {
        PyErr_WriteUnraisable(exception); /* the exception itself is not lost */
    }
    Py_XDECREF(added);
    Py_XDECREF(note);
}

/* How deep contexts are followed: a program can have made them a circle. */
#define MOST_CONTEXTS 100

/*
 * What is being handled now, such as the exception that leaves a `with` block, would not be
 * seen any more: as with `raise`, it becomes the context.
 */
static void
chain_to_handled(PyObject *exception)
{
    PyObject *handled = PyErr_GetHandledException();
    PyObject *last = Py_NewRef(exception);
    for (int i = 0; handled != NULL && last != handled && i < MOST_CONTEXTS; i++) {
        PyObject *context = PyException_GetContext(last);
        if (context == NULL) {
            PyException_SetContext(last, Py_NewRef(handled));
            break;
        }
        Py_SETREF(last, context);
    }
    Py_DECREF(last);
    Py_XDECREF(handled);
}

bool
parked_raise(parked_exceptions *self)
{
    Py_ssize_t dropped;
    PyObject *exception = take(self, &dropped);
    if (exception == NULL) {
        return false;
    }
    if (dropped > 0) {
        add_note(exception, dropped);
    }
    chain_to_handled(exception);
    PyErr_SetRaisedException(exception);
    return true;
}

int
parked_traverse(parked_exceptions *self, visitproc visit, void *arg)
{
    for (int i = 0; i < PARKED_MOST; i++) {
        Py_VISIT(self->exceptions[i]);
    }
    return 0;
}

void
parked_clear(parked_exceptions *self)
{
    PyObject *exception;
    Py_ssize_t dropped;
    while ((exception = take(self, &dropped)) != NULL) {
        Py_DECREF(exception);
    }
}

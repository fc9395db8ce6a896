#include "client/parked.h"

/* Takes the oldest exception and the number of dropped ones, or NULL; runs no Python code. */
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
        if (count == 1) {
            atomic_store(&self->pressing, false);
        }
    }
    object_mutex_unlock(&self->mutex);
    return exception;
}

void
parked_add(parked_exceptions *self, PyObject *exception)
{
    PyObject *oldest = NULL;
    bool pressing = !PyErr_GivenExceptionMatches(exception, PyExc_Exception);
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
    if (pressing) {
        atomic_store(&self->pressing, true);
    }
    object_mutex_unlock(&self->mutex);
    Py_XDECREF(oldest); /* may run Python code */
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
        PyErr_WriteUnraisable(exception); /* the exception itself must not be lost */
    }
    Py_XDECREF(added);
    Py_XDECREF(note);
}

/* How many contexts are followed: a program can make them circular. */
#define MOST_CONTEXTS 100

/* True if `wanted` is the exception or one of its contexts. */
static bool
has_context(PyObject *exception, PyObject *wanted)
{
    PyObject *next = Py_NewRef(exception);
    for (int i = 0; next != NULL && next != wanted && i < MOST_CONTEXTS; i++) {
        Py_SETREF(next, PyException_GetContext(next));
    }
    bool found = next == wanted;
    Py_XDECREF(next);
    return found;
}

/*
 * Makes `earlier` (raised or handled before) the context of `exception`, as `raise` does. It is
 * added at the end of the chain of contexts of `exception`. Contexts that are also contexts of
 * `earlier` are first removed from that chain. Returns false if `exception` itself is a context of
 * `earlier`: then nothing can be done.
 */
static bool
chain(PyObject *exception, PyObject *earlier)
{
    if (has_context(earlier, exception)) {
        return false;
    }
    PyObject *last = Py_NewRef(exception);
    for (int i = 0; i < MOST_CONTEXTS; i++) {
        PyObject *context = PyException_GetContext(last);
        if (context == NULL || has_context(earlier, context)) {
            PyException_SetContext(last, Py_NewRef(earlier));
            Py_XDECREF(context);
            break;
        }
        Py_SETREF(last, context);
    }
    Py_DECREF(last);
    return true;
}

/* All exceptions as one: the newest, with the others as its contexts; NULL if there are none. */
static PyObject *
take_all(parked_exceptions *self)
{
    Py_ssize_t dropped, all_dropped = 0;
    PyObject *raised = NULL, *exception;
    while ((exception = take(self, &dropped)) != NULL) {
        all_dropped += dropped;
        if (raised == NULL || chain(exception, raised)) {
            Py_XSETREF(raised, exception);
        }
        else {
            Py_DECREF(exception);
        }
    }
    if (all_dropped > 0) {
        add_note(raised, all_dropped);
    }
    return raised;
}

bool
parked_raise(parked_exceptions *self)
{
    PyObject *exception = take_all(self);
    if (exception == NULL) {
        return false;
    }
    PyObject *handled = PyErr_GetHandledException();
    if (handled != NULL) {
        (void)chain(exception, handled);
        Py_DECREF(handled);
    }
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

#include "values/last_headers.h"

#ifndef Py_GIL_DISABLED

static bool
can_be_in_cycle(PyObject *field)
{
    return field != NULL && PyObject_IS_GC(field);
}

/* The message no longer has the list; if possible, the garbage collector stops tracking it. */
static void
untrack_without_list(Message *self)
{
    if (!can_be_in_cycle(self->topic) && !can_be_in_cycle(self->key)
        && !can_be_in_cycle(self->value) && !can_be_in_cycle(self->error)) {
        PyObject_GC_UnTrack(self);
    }
}

/* True if only the message refers to the list, and nobody has changed it. */
static bool
can_be_made_again(const Message *self, const last_headers *last)
{
    /* A list that set_headers() stored does not come from encoded headers. */
    if (self->headers == NULL || self->encoded_headers == NULL || Py_REFCNT(self->headers) != 1
        || PyList_GET_SIZE(self->headers) != last->count) {
        return false;
    }
    for (int i = 0; i < last->count; i++) {
        if (PyList_GET_ITEM(self->headers, i) != last->pairs[i]) {
            return false;
        }
    }
    return true;
}

static void
drop_pairs(last_headers *last)
{
    for (int i = 0; i < last->count; i++) {
        Py_CLEAR(last->pairs[i]);
    }
    last->count = 0;
}

PyObject *
last_headers_take(module_state *state)
{
    last_headers *last = &state->last_headers;
    Message *self = last->message;
    if (self == NULL) {
        return NULL;
    }
    PyObject *list = NULL;
    last->message = NULL;
    if (can_be_made_again(self, last)) {
        list = self->headers;
        self->headers = NULL;
        untrack_without_list(self);
    }
    else {
        Py_CLEAR(self->encoded_headers);
    }
    drop_pairs(last);
    return list;
}

void
last_headers_set(Message *self)
{
    last_headers *last = &self->state->last_headers;
    Py_XDECREF(last_headers_take(self->state)); /* a finalizer may have read another message */
    Py_ssize_t count = PyList_GET_SIZE(self->headers);
    if (count > LAST_HEADERS) {
        Py_CLEAR(self->encoded_headers);
        return;
    }
    last->message = self;
    last->count = (int)count;
    for (int i = 0; i < last->count; i++) {
        last->pairs[i] = Py_NewRef(PyList_GET_ITEM(self->headers, i));
    }
}

void
last_headers_forget(Message *self)
{
    last_headers *last = &self->state->last_headers;
    if (last->message == self) {
        last->message = NULL;
        drop_pairs(last);
    }
}

#else

PyObject *
last_headers_take(module_state *Py_UNUSED(state))
{
    return NULL;
}

void
last_headers_set(Message *self)
{
    Py_CLEAR(self->encoded_headers);
}

void
last_headers_forget(Message *Py_UNUSED(self))
{
}

#endif

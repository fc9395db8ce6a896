#include "client/exceptions.h"

#include "client/guard.h"
#include "client/parked.h"

bool
client_has_parked(Client *self)
{
    return parked_any(&self->parked) && !parked_is_held(&self->parked) && !client_is_closing(self);
}

int
client_raise_parked(Client *self)
{
    return client_has_parked(self) && parked_raise(&self->parked) ? -1 : 0;
}

bool
client_hold_parked(Client *self)
{
    return parked_hold(&self->parked, true);
}

int
client_raise_held(Client *self, bool held_before, int result)
{
    parked_hold(&self->parked, false);
    if (client_has_parked(self)) {
        if (result < 0) {
            parked_add(&self->parked, PyErr_GetRaisedException());
        }
        result = parked_raise(&self->parked) ? -1 : result;
    }
    parked_hold(&self->parked, held_before);
    return result;
}

void
client_report_parked(Client *self)
{
    PyObject *raised = PyErr_GetRaisedException();
    while (parked_raise(&self->parked)) {
        PyErr_WriteUnraisable((PyObject *)self);
    }
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

void
client_park_exception(Client *self)
{
    if (client_is_closed(self)) {
        PyErr_WriteUnraisable((PyObject *)self);
        return;
    }
    PyObject *exception = PyErr_GetRaisedException();
    if (!PyErr_GivenExceptionMatches(exception, PyExc_Exception)) {
        parked_hold(&self->parked, false); /* Ctrl-C in a callback ends the call */
    }
    parked_add(&self->parked, exception);
}

#include "client/exceptions.h"

#include "client/guard.h"
#include "client/parked.h"

bool
client_has_parked(Client *self)
{
    return parked_any(&self->parked) && !client_is_closing(self);
}

int
client_raise_parked(Client *self)
{
    return client_has_parked(self) && parked_raise(&self->parked) ? -1 : 0;
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
    parked_add(&self->parked, PyErr_GetRaisedException());
}

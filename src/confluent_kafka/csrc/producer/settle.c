/*
 * Settling asyncio futures: how a delivery report becomes the result of an await.
 *
 * A future belongs to the thread of its event loop. If the loop itself serves the reports
 * (_settle()), futures are settled at once. Otherwise settling is deferred: for reports that
 * another thread pops (in close(), or while a transaction is committed), and for a producer that
 * is deleted. Their outcomes wait in the list `unsettled`, and the loop is told once for each
 * batch. The call that is scheduled in the loop holds a reference to the list, so the list may
 * outlive the producer.
 *
 * Only done(), set_result(), set_exception() and get_loop() of a future are used, so every object
 * that has these methods can be settled.
 */
#include "producer/producer.h"

#include "client/parked.h"

/* ---- the argument ---- */

int
producer_recipient_from_arg(Producer *self, PyObject *future, void **recipient)
{
    PyObject *type = (PyObject *)Py_TYPE(future);
    *recipient = future == Py_None ? NULL : recipient_future(future);
    if (future == Py_None || Py_TYPE(future) == self->future_type) {
        return 0;
    }
    PyObject *get_loop = PyObject_GetAttr(type, self->client.state->names[N_get_loop]);
    if (get_loop == NULL) {
        PyErr_Format(PyExc_TypeError, "future must be a future of asyncio, not %.100s",
                     Py_TYPE(future)->tp_name);
        return -1;
    }
    Py_DECREF(get_loop);
    Py_XSETREF(self->future_type, (PyTypeObject *)Py_NewRef(type));
    return 0;
}

/* ---- one future ---- */

/* 1 or 0, or -1 with an exception. */
static int
is_done(module_state *state, PyObject *future)
{
    PyObject *result = PyObject_CallMethodNoArgs(future, state->names[N_done]);
    int done = result == NULL ? -1 : PyObject_IsTrue(result);
    Py_XDECREF(result);
    return done;
}

/* In the loop's thread: 0, or -1 with an exception. */
static int
tell(module_state *state, PyObject *future, PyObject *outcome)
{
    bool failed = PyExceptionInstance_Check(outcome);
    PyObject *method = state->names[failed ? N_set_exception : N_set_result];
    PyObject *result = PyObject_CallMethodOneArg(future, method, outcome);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

/* The same for a future that may have been cancelled in the meantime. */
static int
tell_unless_done(module_state *state, PyObject *future, PyObject *outcome)
{
    int done = is_done(state, future);
    return done != 0 ? -(done < 0) : tell(state, future, outcome);
}

/* ---- at once ---- */

static int
settle_now(Producer *self, PyObject *future, const rd_kafka_message_t *report)
{
    module_state *state = self->client.state;
    int done = is_done(state, future);
    if (done != 0) {
        return done < 0 ? -1 : 0;
    }
    PyObject *outcome = producer_outcome(self, report);
    int result = tell(state, future, outcome);
    Py_DECREF(outcome);
    return result;
}

/* ---- deferred ---- */

static int
put_off(Producer *self, PyObject *future, const rd_kafka_message_t *report)
{
    if (self->unsettled == NULL) {
        return 0; /* there was no memory for the list of a deleted producer */
    }
    PyObject *outcome = producer_outcome(self, report);
    PyObject *pair = PyTuple_Pack(2, future, outcome);
    int result = pair == NULL ? -1 : PyList_Append(self->unsettled, pair);
    Py_XDECREF(pair);
    Py_DECREF(outcome);
    return result;
}

int
producer_settle(Producer *self, PyObject *future, const rd_kafka_message_t *report)
{
    return self->in_loop ? settle_now(self, future, report) : put_off(self, future, report);
}

static PyObject *settle_later(PyObject *module, PyObject *unsettled);

static PyMethodDef settle_later_method = {"_settle_later", settle_later, METH_O, NULL};

/* A closed loop settles nothing any more: 0, or -1 with the exception that is set. */
static int
forget_if_closed(module_state *state, PyObject *loop, PyObject *unsettled)
{
    PyObject *raised = PyErr_GetRaisedException();
    PyObject *closed = PyObject_CallMethodNoArgs(loop, state->names[N_is_closed]);
    bool forget = closed != NULL && PyObject_IsTrue(closed) == 1;
    Py_XDECREF(closed);
    if (!forget) {
        PyErr_SetRaisedException(raised);
        return -1;
    }
    Py_XDECREF(raised);
    return PyList_SetSlice(unsettled, 0, PyList_GET_SIZE(unsettled), NULL);
}

/* Makes the loop of `future` call settle_later(): 0, or -1 with an exception. */
static int
wake_loop(PyObject *module, PyObject *future, PyObject *unsettled)
{
    module_state *state = PyModule_GetState(module);
    PyObject *loop = PyObject_CallMethodNoArgs(future, state->names[N_get_loop]);
    if (loop == NULL) {
        return -1;
    }
    PyObject *function = PyCFunction_New(&settle_later_method, module);
    PyObject *arguments[] = {loop, function, unsettled};
    PyObject *handle = function == NULL
                           ? NULL
                           : PyObject_VectorcallMethod(state->names[N_call_soon_threadsafe],
                                                       arguments, 3, NULL);
    int result = handle == NULL ? forget_if_closed(state, loop, unsettled) : 0;
    Py_XDECREF(handle);
    Py_XDECREF(function);
    Py_DECREF(loop);
    return result;
}

int
producer_wake_loop(Producer *self)
{
    PyObject *unsettled = self->unsettled;
    if (self->in_loop || unsettled == NULL || PyList_GET_SIZE(unsettled) == 0) {
        return 0;
    }
    PyObject *pair = PyList_GetItemRef(unsettled, 0);
    if (pair == NULL) {
        PyErr_Clear(); /* the loop has just taken it */
        return 0;
    }
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(self), &cimpl_module);
    int result = wake_loop(module, PyTuple_GET_ITEM(pair, 0), unsettled);
    Py_DECREF(pair);
    return result;
}

/* ---- later, in the loop's thread ---- */

/* Ctrl-C in a callback ends the turn; outcomes from `first` on are left to the next turn. */
static int
put_back(PyObject *module, PyObject *unsettled, PyObject *taken, Py_ssize_t first)
{
    if (first == PyList_GET_SIZE(taken)) {
        return 0;
    }
    PyObject *rest = PyList_GetSlice(taken, first, PyList_GET_SIZE(taken));
    int result = rest == NULL ? -1 : PyList_SetSlice(unsettled, 0, 0, rest);
    Py_XDECREF(rest);
    PyObject *future = PyTuple_GET_ITEM(PyList_GET_ITEM(taken, first), 0);
    return result < 0 ? -1 : wake_loop(module, future, unsettled);
}

/* Adds the exceptions of futures and their callbacks to `raised`. */
static void
settle_taken(PyObject *module, PyObject *unsettled, PyObject *taken, parked_exceptions *raised)
{
    bool interrupted = false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(taken) && !interrupted; i++) {
        PyObject *pair = PyList_GET_ITEM(taken, i);
        if (tell_unless_done(PyModule_GetState(module), PyTuple_GET_ITEM(pair, 0),
                             PyTuple_GET_ITEM(pair, 1))
            == 0) {
            continue;
        }
        interrupted = !PyErr_ExceptionMatches(PyExc_Exception);
        parked_add(raised, PyErr_GetRaisedException());
        if (interrupted && put_back(module, unsettled, taken, i + 1) < 0) {
            parked_add(raised, PyErr_GetRaisedException());
        }
    }
}

/*
 * Settles in order: how many; or -1 with the exceptions, after all were settled. Other threads may
 * append at the same time; only the loop's thread removes.
 */
static Py_ssize_t
settle_list(PyObject *module, PyObject *unsettled)
{
    parked_exceptions raised = {0};
    Py_ssize_t count = PyList_GET_SIZE(unsettled);
    if (count == 0) {
        return 0;
    }
    PyObject *taken = PyList_GetSlice(unsettled, 0, count);
    if (taken == NULL || PyList_SetSlice(unsettled, 0, count, NULL) < 0) {
        Py_XDECREF(taken);
        return -1;
    }
    settle_taken(module, unsettled, taken, &raised);
    Py_DECREF(taken);
    return parked_raise(&raised) ? -1 : count;
}

/* The loop calls this after another thread has popped reports. */
static PyObject *
settle_later(PyObject *module, PyObject *unsettled)
{
    return settle_list(module, unsettled) < 0 ? NULL : Py_NewRef(Py_None);
}

Py_ssize_t
producer_settle_put_off(Producer *self)
{
    PyObject *module = PyType_GetModuleByDef(Py_TYPE(self), &cimpl_module);
    return settle_list(module, self->unsettled);
}

/*
 * Turns of an event loop: how long its tasks may use the client before other tasks run.
 *
 * A task that always finds work never waits, so that no other task would run. Therefore the loop's
 * tasks use the client in turns. Python begins a turn after other tasks have had a chance to run,
 * and ends it when something else comes first: a callback's exception, a rebalance, the closing. So
 * the fast paths of produce() and poll() only have to check whether the turn is over, without
 * running Python code.
 *
 * The time comes from a clock, and not from the loop, because uvloop's time does not advance during
 * a turn. No system call is made, unlike in asyncio.get_running_loop() before CPython 3.12. If a
 * loop is running in this thread, it is the only one.
 */
#include "client/loop.h"

#include "client/guard.h"

int
loop_is_turn(Client *self)
{
    client_loop *loop = &self->loop;
    if (loop->is_running == NULL || loop->thread != thread_number()
        || deadline_passed(&loop->turn)) {
        return 0;
    }
    PyObject *running = PyObject_CallNoArgs(loop->is_running);
    int result = running == NULL ? -1 : PyObject_IsTrue(running);
    Py_XDECREF(running);
    return result;
}

int
loop_check_turn(Client *self)
{
    int is_turn = loop_is_turn(self);
    if (is_turn == 0) {
        if (client_enter(self) < 0) {
            return -1;
        }
        client_leave(self);
    }
    return is_turn;
}

PyObject *
loop_create_future(Client *self)
{
    return PyObject_CallNoArgs(self->loop.create_future);
}

PyObject *
loop_unclosed(const Client *self)
{
    return self->loop.unclosed;
}

int
loop_traverse(Client *self, visitproc visit, void *arg)
{
    Py_VISIT(self->loop.is_running);
    Py_VISIT(self->loop.create_future);
    Py_VISIT(self->loop.unclosed);
    return 0;
}

void
loop_clear(Client *self)
{
    Py_CLEAR(self->loop.is_running);
    Py_CLEAR(self->loop.create_future);
    Py_CLEAR(self->loop.unclosed);
}

PyDoc_STRVAR(join_loop_doc,
"_join_loop($self, is_running, create_future, unclosed, /)\n--\n\n"
"Let the event loop of this thread use the client in turns.\n\n"
"Args:\n"
"    is_running: the loop's method.\n"
"    create_future: makes a future of the loop.\n"
"    unclosed: the text of Python's warning if nobody closes the client.");

SIGNATURE(join_signature, "_join_loop()", 3, 3, P_is_running, P_create_future, P_unclosed);

static PyObject *
join_loop(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Client *self = (Client *)object;
    PyObject *values[3], *is_running, *create_future;
    if (client_args(self, &join_signature, args, nargs, NULL, values) < 0
        || arg_callable(values[0], "is_running", &is_running) < 0
        || arg_callable(values[1], "create_future", &create_future) < 0
        || arg_utf8(values[2], "unclosed", NULL) == NULL || client_enter(self) < 0) {
        return NULL;
    }
    /* An object without both methods is not a loop. */
    bool joins = is_running != NULL && create_future != NULL;
    Py_XSETREF(self->loop.is_running, joins ? Py_NewRef(is_running) : NULL);
    Py_XSETREF(self->loop.create_future, joins ? Py_NewRef(create_future) : NULL);
    Py_XSETREF(self->loop.unclosed, joins ? Py_NewRef(values[2]) : NULL);
    self->loop.thread = thread_number();
    self->loop.turn = deadline_after(0);
    client_leave(self);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(begin_turn_doc,
"_begin_turn($self, seconds, /)\n--\n\n"
"Let the loop's tasks use the client for this number of seconds; 0 ends their turn.");

static PyObject *
begin_turn(PyObject *object, PyObject *seconds)
{
    Client *self = (Client *)object;
    deadline turn;
    if (deadline_from_arg(seconds, "seconds", &turn) < 0 || client_enter(self) < 0) {
        return NULL;
    }
    self->loop.turn = turn;
    client_leave(self);
    Py_RETURN_NONE;
}

PyMethodDef loop_methods[] = {
    {"_join_loop", WITHOUT_KEYWORDS(join_loop), join_loop_doc},
    {"_begin_turn", begin_turn, METH_O, begin_turn_doc},
    {NULL, NULL, 0, NULL},
};

#include "client/close.h"

#include "client/exceptions.h"
#include "client/guard.h"
#include "client/handle.h"
#include "client/logs.h"
#include "client/oauth.h"
#include "client/registry.h"
#include "client/serve.h"
#include "client/signals.h"

/* Refuses close() inside a call, which it would wait for: 0, or -1 with an exception. */
static int
refuse_inside_a_call(Client *self)
{
    if (!serve_is_serving(self) && !client_runs_signal_handler(self)
        && !client_is_closed_by_this_thread(self)
        && !guard_has_only_calls_of_this_thread(self)) {
        return 0;
    }
    return guard_refuse_closing(self);
}

static int
leave_locked(Client *self, leave_function *leave, deadline *until)
{
    serving_lock lock;
    if (serve_lock(self, &lock) < 0) {
        return -1;
    }
    int result = leave(self, until);
    serve_unlock(self, &lock);
    return result;
}

static int
finish(Client *self, double patience)
{
    oauth_stop(self);
    registry_remove(self);
    serve_logs(self);
    guard_end_closing(self);
    client_release_handle(self, patience);
    return client_raise_parked(self);
}

/* A user who pressed Ctrl-C waits for the program to end. */
#define SECONDS_AFTER_EXCEPTION 5

void
client_hurry(Client *self)
{
    atomic_store(&self->hurries, true);
}

bool
client_hurries(const Client *self)
{
    return atomic_load(&self->hurries);
}

double
client_silent_seconds(const Client *self)
{
    return client_hurries(self) ? 1 : 5;
}

int
client_close(Client *self, leave_function *leave, deadline *until)
{
    deadline soon = deadline_after(SECONDS_AFTER_EXCEPTION);
    if (refuse_inside_a_call(self) < 0) {
        return -1;
    }
    int soon_ms = 1000 * SECONDS_AFTER_EXCEPTION;
    if (client_hurries(self) && deadline_remaining_ms(until, soon_ms + 1) > soon_ms) {
        until = &soon;
    }
    int begun = guard_begin_closing(self);
    if (begun != 1) {
        return begun;
    }
    int left = leave == NULL ? 0 : leave_locked(self, leave, until);
    if (left < 0) {
        guard_stop_closing(self);
        return -1;
    }
    return finish(self, left == 0 ? HANDLE_ENDS_NOW : 0);
}

/* ---- clients that nobody closes ---- */

PyObject *
mark_clients_forked(PyObject *module, PyObject *Py_UNUSED(unused))
{
    module_state *state = PyModule_GetState(module);
    Client *client;
    /* The exit of a child must not end the parent's clients: it would wait for threads that were
     * inside them, and that do not exist in the child. */
    while ((client = registry_first_in_child(state)) != NULL) {
        guard_mark_forked(client);
        registry_remove(client);
    }
    Py_RETURN_NONE;
}

/* Waits a moment for threads inside the client. If they stay, the handle ends with the process. */
static void
close_at_exit(Client *self)
{
    int begun = guard_begin_closing_at_exit(self);
    oauth_stop(self);
    registry_remove(self);
    if (begun == 1) {
        guard_end_closing(self);
        client_report_parked(self);
        client_release_handle(self, HANDLE_END_SECONDS);
    }
}

PyObject *
close_live_clients(PyObject *module, PyObject *Py_UNUSED(unused))
{
    module_state *state = PyModule_GetState(module);
    registry_begin_exit(state);
    PyObject *client;
    while ((client = registry_next(state)) != NULL) {
        close_at_exit((Client *)client);
        Py_DECREF(client);
    }
    Py_RETURN_NONE;
}

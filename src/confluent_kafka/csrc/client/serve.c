/*
 * Serving: whose turn it is to run a client's callbacks, and the exceptions they leave.
 */
#include "client/client.h"

#include "client/callbacks.h"

/* ---- what ends a wait ---- */

int
client_check_signals(Client *self)
{
    unsigned long outer = atomic_exchange(&self->signal_thread, PyThread_get_thread_ident());
    int result = PyErr_CheckSignals();
    atomic_store(&self->signal_thread, outer);
    return result;
}

bool
client_interrupted(Client *self)
{
    if (atomic_load(&self->phase) == CLIENT_OPEN) {
        return atomic_exchange(&self->woken, 0);
    }
    return atomic_load(&self->closing_thread) != PyThread_get_thread_ident();
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

/* ---- turns ---- */

/* The turn is this thread's: links the frame. */
static void
link_frame(Client *self, serve_frame *frame)
{
    frame->outer = self->frame;
    self->frame = frame;
}

/* Takes the turn if nobody has it. */
static bool
try_turn(Client *self, unsigned long thread)
{
    unsigned long nobody = 0;
    return atomic_compare_exchange_strong(&self->serving_thread, &nobody, thread);
}

static void
give_turn_up(Client *self)
{
    atomic_store(&self->serving_thread, 0);
    if (atomic_load(&self->waiting_for_turn) > 0) {
        PyThread_release_lock(self->turn_free);
    }
}

/* 1 it is this thread's turn, 0 time is up, -1 exception of a signal handler. */
static int
wait_for_turn(Client *self, deadline *until)
{
    unsigned long thread = PyThread_get_thread_ident();
    if (atomic_load(&self->serving_thread) == thread) {
        return 1; /* a callback polls again */
    }
    int turn = 1;
    if (!try_turn(self, thread)) {
        atomic_fetch_add(&self->waiting_for_turn, 1);
        while (!try_turn(self, thread)) {
            turn = lock_within(self, self->turn_free, until);
            if (turn != 1) {
                break;
            }
        }
        atomic_fetch_sub(&self->waiting_for_turn, 1);
    }
    if (turn == 1) {
        self->served = 0;
    }
    return turn;
}

int
serve_begin(Client *self, serve_frame *frame, deadline *until)
{
    int turn = wait_for_turn(self, until);
    if (turn != 1) {
        return turn;
    }
    *frame = (serve_frame){0};
    link_frame(self, frame);
    serve_logs(self);
    if (client_raise_parked(self) < 0) {
        serve_end(self, frame);
        return -1;
    }
    return 1;
}

void
serve_end(Client *self, serve_frame *frame)
{
    self->frame = frame->outer;
    if (self->frame == NULL) {
        give_turn_up(self);
    }
}

int
serve_try_turn(Client *self, serve_frame *frame)
{
    unsigned long thread = PyThread_get_thread_ident();
    if (!try_turn(self, thread)) {
        return atomic_load(&self->serving_thread) == thread ? 0 : -1;
    }
    self->served = 0;
    *frame = (serve_frame){0};
    link_frame(self, frame);
    return 1;
}

int
serve_take_turn(Client *self, serve_turn *turn)
{
    deadline never = DEADLINE_NEVER;
    turn->took = atomic_load(&self->serving_thread) != PyThread_get_thread_ident();
    if (turn->took) {
        if (lock_within(self, self->taking_turn, &never) < 0) {
            return -1;
        }
        atomic_store(&self->turn_wanted, 1);
        core_wake(self->core);
        int waited = wait_for_turn(self, &never);
        atomic_store(&self->turn_wanted, 0);
        if (waited < 0) {
            PyThread_release_lock(self->taking_turn);
            return -1;
        }
    }
    turn->frame = (serve_frame){0};
    link_frame(self, &turn->frame);
    return 0;
}

void
serve_end_turn(Client *self, serve_turn *turn)
{
    serve_end(self, &turn->frame);
    if (turn->took) {
        PyThread_release_lock(self->taking_turn);
    }
}

/* Lets the thread in serve_take_turn() go first. */
static void
step_aside(Client *self)
{
    serve_frame *frame = self->frame;
    if (frame->outer != NULL) {
        return; /* inside a callback: the call around it is not finished */
    }
    Py_ssize_t served = self->served;
    serve_end(self, frame);
    unsigned long thread = PyThread_get_thread_ident();
    atomic_fetch_add(&self->waiting_for_turn, 1);
    /* Such a turn is short, so this wait serves no signals and cannot fail. */
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(self->taking_turn, WAIT_LOCK);
    PyThread_release_lock(self->taking_turn);
    while (!try_turn(self, thread)) {
        PyThread_acquire_lock_timed(self->turn_free, WAIT_SLICE_MS * 1000, 0);
    }
    Py_END_ALLOW_THREADS
    atomic_fetch_sub(&self->waiting_for_turn, 1);
    self->served = served;
    link_frame(self, frame);
}

void
serve_release_gil(Client *self)
{
    self->frame->released = PyEval_SaveThread();
}

void
serve_take_gil(Client *self)
{
    /* The frame is read before the GIL is there: it belongs to this thread alone. */
    serve_frame *frame = self->frame;
    PyThreadState *thread_state = frame->released;
    frame->released = NULL;
    PyEval_RestoreThread(thread_state);
}

int
serve_check(Client *self)
{
    if (client_check_signals(self) < 0) {
        return -1;
    }
    serve_logs(self);
    if (client_raise_parked(self) < 0) {
        return -1;
    }
    if (atomic_load(&self->turn_wanted)) {
        step_aside(self);
    }
    serve_frame *frame = self->frame;
    frame->interrupted = frame->interrupted || client_interrupted(self);
    return !frame->interrupted;
}

/* ---- exceptions of callbacks ---- */

bool
client_has_parked(Client *self)
{
    return parked_any(&self->parked) && atomic_load(&self->phase) != CLIENT_CLOSING;
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
    while (client_raise_parked(self) < 0) {
        PyErr_WriteUnraisable((PyObject *)self);
    }
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

void
client_park_exception(Client *self)
{
    if (atomic_load(&self->phase) == CLIENT_CLOSED) {
        PyErr_WriteUnraisable((PyObject *)self);
        return;
    }
    parked_add(&self->parked, PyErr_GetRaisedException());
}

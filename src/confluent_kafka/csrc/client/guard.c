#include "client/guard.h"

#include "base/text.h"
#include "client/core.h"
#include "client/registry.h"
#include "client/signals.h"

/* ---- creation and deletion ---- */

int
guard_init(Client *self)
{
    atomic_init(&self->guard.phase, CLIENT_NEW);
    self->guard.misuse = Py_NewRef(PyExc_RuntimeError);
    self->guard.left = PyThread_allocate_lock();
    if (self->guard.left == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

void
guard_free(Client *self)
{
    Py_CLEAR(self->guard.misuse);
    if (self->guard.left != NULL) {
        PyThread_free_lock(self->guard.left);
    }
}

int
guard_traverse(Client *self, visitproc visit, void *arg)
{
    Py_VISIT(self->guard.misuse);
    return 0;
}

void
guard_set_misuse(Client *self, PyObject *exception_type)
{
    Py_SETREF(self->guard.misuse, Py_NewRef(exception_type));
}

/* ---- __init__ ---- */

int
client_init_begin(Client *self)
{
    int expected = CLIENT_NEW;
    if (atomic_compare_exchange_strong(&self->guard.phase, &expected, CLIENT_OPENING)) {
        /* Not before: until then, another thread is creating the handle. */
        if (self->rk == NULL) {
            return 0;
        }
        client_init_end(self, -1);
        PyErr_Format(PyExc_RuntimeError,
                     "%s.__init__() failed after it had created its librdkafka handle: "
                     "create a new one",
                     client_type_name(self));
        return -1;
    }
    PyErr_Format(PyExc_RuntimeError, "%s already initialized", self->words->name);
    return -1;
}

int
client_init_end(Client *self, int result)
{
    int expected = CLIENT_OPENING;
    if (result < 0) {
        atomic_compare_exchange_strong(&self->guard.phase, &expected, CLIENT_NEW);
    }
    return result;
}

void
guard_open(Client *self)
{
    atomic_store(&self->guard.phase, CLIENT_OPEN);
}

/* ---- entering and leaving ---- */

static int
refuse_entry(Client *self, int phase, const char *closed)
{
    const char *name = client_type_name(self);
    if (client_end_thread_at_exit(self)) {
        return -1;
    }
    if (phase == CLIENT_FORKED) {
        PyErr_Format(self->guard.misuse,
                     "%s was created before os.fork() and cannot be used in the child "
                     "process: create a new %s after the fork",
                     name, name);
        return -1;
    }
    PyErr_SetString(self->guard.misuse, closed);
    if (phase == CLIENT_NEW || phase == CLIENT_OPENING) {
        add_note("%s is not initialised: call super().__init__(config) first", name);
    }
    else {
        add_note("%s has been closed: create a new one", name);
    }
    return -1;
}

static int
phase_of(Client *self)
{
    return atomic_load(&self->guard.phase);
}

/* The lower bits of a tag count the calls; the upper bits distinguish the threads. */
#define CALL_COUNT_BITS UINT64_C(0xfffff)

/*
 * What each call of this thread adds to the sum. The numbers of threads are mostly addresses at
 * equal distances, so that two numbers can add up to twice a third one; their squares do not. The
 * factor moves the bits that distinguish small numbers to the upper half.
 */
static uint64_t
call_tag(void)
{
    uint64_t number = thread_number();
    return (number * number * UINT64_C(0x9e3779b97f4a7c15) & ~CALL_COUNT_BITS) | 1;
}

static bool
any_calls(Client *self)
{
    return atomic_load(&self->guard.calls) != 0;
}

bool
guard_has_only_calls_of_this_thread(Client *self)
{
    uint64_t calls = atomic_load(&self->guard.calls);
    return calls != 0 && calls == (calls & CALL_COUNT_BITS) * call_tag();
}

/* Whether this thread may enter a client that is in this phase. */
static bool
admits(Client *self, int phase)
{
    return phase == CLIENT_OPEN
           || (phase == CLIENT_CLOSING && client_is_closed_by_this_thread(self));
}

int
client_enter_or(Client *self, const char *closed)
{
    shared_sum_add(&self->guard.calls, call_tag());
    int phase = phase_of(self);
    if (admits(self, phase)) {
        return 0;
    }
    client_leave(self);
    return refuse_entry(self, phase, closed);
}

int
client_enter(Client *self)
{
    return client_enter_or(self, self->words->closed);
}

void
client_leave(Client *self)
{
    shared_sum_add(&self->guard.calls, 0 - call_tag());
    if (phase_of(self) == CLIENT_CLOSING) {
        PyThread_release_lock(self->guard.left);
    }
}

int
client_args_or(Client *self, const char *closed, const signature *sig, PyObject *const *args,
               Py_ssize_t nargs, PyObject *kwnames, PyObject **values)
{
    int phase = phase_of(self);
    if (!admits(self, phase)) {
        return refuse_entry(self, phase, closed);
    }
    return args_parse(self->state, sig, args, nargs, kwnames, values);
}

int
client_args(Client *self, const signature *sig, PyObject *const *args, Py_ssize_t nargs,
            PyObject *kwnames, PyObject **values)
{
    return client_args_or(self, self->words->closed, sig, args, nargs, kwnames, values);
}

bool
client_is_open(Client *self)
{
    return phase_of(self) == CLIENT_OPEN;
}

bool
client_is_closing(Client *self)
{
    return phase_of(self) == CLIENT_CLOSING;
}

bool
client_is_closed(Client *self)
{
    return phase_of(self) == CLIENT_CLOSED;
}

bool
client_has_no_handle(Client *self)
{
    int phase = phase_of(self);
    return phase == CLIENT_NEW || phase == CLIENT_OPENING || phase == CLIENT_CLOSED;
}

bool
client_is_closed_by_this_thread(Client *self)
{
    return atomic_load(&self->guard.closing_thread) == PyThread_get_thread_ident();
}

/* ---- closing ---- */

#define SLICE_MS 20

/* Waits a moment for a thread to leave: 0, or -1 with an exception. */
static int
wait_for_one(Client *self, deadline *until)
{
    if (self->core->queue != NULL) {
        core_wake(self->core);
    }
    deadline slice = deadline_after(deadline_remaining_ms(until, SLICE_MS) / 1000.0);
    return lock_within(self, self->guard.left, &slice) < 0 ? -1 : 0;
}

/*
 * Waits until no call is inside, apart from calls of this thread: 0, also if time is up, or -1 with
 * an exception.
 */
static int
wait_for_calls(Client *self, deadline *until)
{
    while (any_calls(self) && !guard_has_only_calls_of_this_thread(self)
           && !deadline_passed(until)) {
        if (wait_for_one(self, until) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Becomes the only closing thread, within `until`: 1; 0 closed, or time is up; -1 exception. */
static int
become_closing_thread(Client *self, deadline *until)
{
    unsigned long thread = PyThread_get_thread_ident();
    for (;;) {
        unsigned long nobody = 0;
        if (atomic_compare_exchange_strong(&self->guard.closing_thread, &nobody, thread)) {
            if (phase_of(self) == CLIENT_CLOSING) {
                return 1;
            }
            atomic_store(&self->guard.closing_thread, 0); /* another thread has closed it */
            return 0;
        }
        if (deadline_passed(until)) {
            return 0;
        }
        deadline slice = deadline_after(deadline_remaining_ms(until, SLICE_MS) / 1000.0);
        if (lock_within(self, self->guard.left, &slice) < 0) {
            return -1;
        }
    }
}

int
guard_refuse_closing(Client *self)
{
    PyErr_Format(self->guard.misuse,
                 "close() was called from a callback or signal handler inside a call of "
                 "this %s: set a flag or call wakeup() there, and close() when that call "
                 "has returned",
                 client_type_name(self));
    return -1;
}

int
guard_begin_closing(Client *self)
{
    int expected = CLIENT_OPEN;
    if (!atomic_compare_exchange_strong(&self->guard.phase, &expected, CLIENT_CLOSING)
        && expected != CLIENT_CLOSING) {
        if (expected == CLIENT_NEW) {
            /* If another thread has begun __init__ since, there is nothing to close yet. */
            (void)atomic_compare_exchange_strong(&self->guard.phase, &expected, CLIENT_CLOSED);
        }
        return 0; /* not open, closed, or in a forked child, where it is the parent's client */
    }
    deadline never = DEADLINE_NEVER;
    int result = become_closing_thread(self, &never);
    if (result == 1) {
        result = wait_for_calls(self, &never) < 0 ? -1
                 : any_calls(self)                ? guard_refuse_closing(self)
                                                  : 1;
        if (result < 0) {
            guard_stop_closing(self);
        }
    }
    return result;
}

void
guard_stop_closing(Client *self)
{
    atomic_store(&self->guard.closing_thread, 0);
    PyThread_release_lock(self->guard.left); /* another thread may wait to close */
}

void
guard_end_closing(Client *self)
{
    atomic_store(&self->guard.phase, CLIENT_CLOSED);
    guard_stop_closing(self);
}

/* How many seconds the exit of the interpreter waits for threads that are inside a client. */
#define EXIT_SECONDS 2

int
guard_begin_closing_at_exit(Client *self)
{
    int expected = CLIENT_OPEN;
    deadline moment = deadline_after(EXIT_SECONDS);
    (void)atomic_compare_exchange_strong(&self->guard.phase, &expected, CLIENT_CLOSING);
    int result = become_closing_thread(self, &moment);
    if (result == 1) {
        deadline another = deadline_after(EXIT_SECONDS);
        result = wait_for_calls(self, &another);
        result = result < 0 ? result : !any_calls(self);
    }
    if (result < 0) {
        PyErr_WriteUnraisable((PyObject *)self);
        return 0;
    }
    return result;
}

void
guard_mark_forked(Client *self)
{
    atomic_store(&self->guard.phase, CLIENT_FORKED);
}

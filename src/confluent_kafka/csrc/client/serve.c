#include "client/serve.h"

#include "client/core.h"
#include "client/exceptions.h"
#include "client/guard.h"
#include "client/logs.h"
#include "client/signals.h"

int
serve_init(Client *self)
{
    self->serving.released = PyThread_allocate_lock();
    self->serving.urgent = PyThread_allocate_lock();
    if (self->serving.released == NULL || self->serving.urgent == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

void
serve_free(Client *self)
{
    if (self->serving.released != NULL) {
        PyThread_free_lock(self->serving.released);
    }
    if (self->serving.urgent != NULL) {
        PyThread_free_lock(self->serving.urgent);
    }
}

/* ---- reasons that end a wait ---- */

void
serve_wake(Client *self)
{
    atomic_store(&self->serving.woken, 1);
}

bool
client_interrupted(Client *self)
{
    if (client_is_open(self)) {
        return atomic_exchange(&self->serving.woken, 0);
    }
    return !client_is_closed_by_this_thread(self);
}

/* ---- the lock ---- */

bool
serve_is_serving(Client *self)
{
    return atomic_load(&self->serving.holder) == PyThread_get_thread_ident();
}

unsigned long
serve_holder(Client *self)
{
    unsigned long holder = atomic_load(&self->serving.holder);
    return holder != 0 ? holder : atomic_load(&self->serving.urgent_thread);
}

/* Called by the thread that has just taken the lock: links its frame. */
static void
link_frame(Client *self, serve_frame *frame)
{
    frame->outer = self->serving.frame;
    self->serving.frame = frame;
}

/* Takes the lock if no thread holds it. */
static bool
try_lock(Client *self, unsigned long thread)
{
    unsigned long nobody = 0;
    return atomic_compare_exchange_strong(&self->serving.holder, &nobody, thread);
}

static void
release_lock(Client *self)
{
    atomic_store(&self->serving.holder, 0);
    if (atomic_load(&self->serving.waiters) > 0) {
        PyThread_release_lock(self->serving.released);
    }
}

/* 1: this thread holds the lock; 0: time is up; -1: the exception of a signal handler. */
static int
wait_for_lock(Client *self, deadline *until)
{
    unsigned long thread = PyThread_get_thread_ident();
    if (atomic_load(&self->serving.holder) == thread) {
        return 1; /* a callback polls the client again */
    }
    int locked = 1;
    if (!try_lock(self, thread)) {
        atomic_fetch_add(&self->serving.waiters, 1);
        while (!try_lock(self, thread)) {
            locked = lock_within(self, self->serving.released, until);
            if (locked != 1) {
                break;
            }
        }
        atomic_fetch_sub(&self->serving.waiters, 1);
    }
    if (locked == 1) {
        self->serving.served = 0;
    }
    return locked;
}

/* Waits until the thread in serve_lock() has taken the lock or given up: as wait_for_lock(). */
static int
wait_for_urgent(Client *self, deadline *until)
{
    int locked = lock_within(self, self->serving.urgent, until);
    if (locked == 1) {
        PyThread_release_lock(self->serving.urgent);
    }
    return locked;
}

/*
 * As wait_for_lock(), but wakeup() and close() also end it: 0. A thread that yields lets the thread
 * in serve_lock() go first.
 */
static int
wait_interruptibly(Client *self, deadline *until, bool yields)
{
    deadline slice = deadline_after(0);
    for (;;) {
        int locked = yields ? wait_for_urgent(self, &slice) : 1;
        if (locked == 1) {
            locked = wait_for_lock(self, &slice);
        }
        if (locked != 0 || deadline_passed(until) || client_interrupted(self)) {
            return locked;
        }
        slice = deadline_after(deadline_remaining_ms(until, WAIT_SLICE_MS) / 1000.0);
    }
}

int
serve_begin(Client *self, serve_frame *frame, deadline *until)
{
    int locked = wait_interruptibly(self, until, false);
    if (locked != 1) {
        return locked;
    }
    *frame = (serve_frame){.waits = !deadline_passed(until)};
    link_frame(self, frame);
    serve_logs(self);
    if (serve_raise_parked(self) < 0) {
        serve_end(self, frame);
        return -1;
    }
    return 1;
}

void
serve_end(Client *self, serve_frame *frame)
{
    if (frame->yielded) {
        return;
    }
    self->serving.frame = frame->outer;
    if (self->serving.frame == NULL) {
        release_lock(self);
    }
}

/* A signal handler that runs while this thread waits in serve_lock() may call serve_lock(), too. */
static bool
is_urgent(Client *self)
{
    return atomic_load(&self->serving.urgent_thread) == PyThread_get_thread_ident();
}

static void
end_urgency(Client *self)
{
    atomic_store(&self->serving.urgent_thread, 0);
    PyThread_release_lock(self->serving.urgent);
}

int
serve_try_lock(Client *self, serve_frame *frame)
{
    bool others_turn = atomic_load(&self->serving.urgent_thread) != 0 && !is_urgent(self);
    if (others_turn || !try_lock(self, PyThread_get_thread_ident())) {
        return serve_is_serving(self) ? 0 : -1;
    }
    self->serving.served = 0;
    *frame = (serve_frame){0};
    link_frame(self, frame);
    return 1;
}

int
serve_lock_next(Client *self, serve_frame *frame, deadline *until)
{
    int locked = lock_within(self, self->serving.urgent, until);
    if (locked != 1) {
        return locked;
    }
    atomic_store(&self->serving.urgent_thread, PyThread_get_thread_ident());
    locked = wait_for_lock(self, until);
    if (locked == 1) {
        *frame = (serve_frame){0};
        link_frame(self, frame);
    }
    end_urgency(self);
    return locked;
}

/* Asks the thread that holds the lock to yield it: 0, or -1 with an exception. */
static int
begin_urgency(Client *self)
{
    deadline never = DEADLINE_NEVER;
    if (lock_within(self, self->serving.urgent, &never) < 0) {
        return -1;
    }
    atomic_store(&self->serving.urgent_thread, PyThread_get_thread_ident());
    atomic_store(&self->serving.yield_wanted, 1);
    core_wake(self->core);
    return 0;
}

int
serve_lock(Client *self, serving_lock *lock)
{
    deadline never = DEADLINE_NEVER;
    lock->urgent = !serve_is_serving(self) && !is_urgent(self);
    if (lock->urgent && begin_urgency(self) < 0) {
        return -1;
    }
    int locked = wait_for_lock(self, &never);
    if (lock->urgent) {
        atomic_store(&self->serving.yield_wanted, 0);
    }
    if (locked < 0) {
        if (lock->urgent) {
            end_urgency(self);
        }
        return -1;
    }
    lock->frame = (serve_frame){0};
    link_frame(self, &lock->frame);
    return 0;
}

void
serve_unlock(Client *self, serving_lock *lock)
{
    serve_end(self, &lock->frame);
    if (lock->urgent) {
        end_urgency(self);
    }
}

/* Waits as long as the thread in serve_lock() needs: 1, or -1 with a signal handler's exception. */
static int
wait_patiently(Client *self)
{
    deadline never = DEADLINE_NEVER;
    int locked = wait_for_urgent(self, &never);
    return locked == 1 ? wait_for_lock(self, &never) : locked;
}

/*
 * Lets the thread in serve_lock() go first. 1: this thread has the lock again. Without the lock: 0
 * if time is up or the wait was interrupted, -1 with the exception of a signal handler. `until` is
 * NULL for a caller that needs the lock: it waits as long as the other thread needs.
 */
static int
yield_lock(Client *self, deadline *until)
{
    serve_frame *frame = self->serving.frame;
    if (frame->outer != NULL) {
        return 1; /* inside a callback: the surrounding call is not finished */
    }
    Py_ssize_t served = self->serving.served;
    serve_end(self, frame);
    frame->yielded = true;
    int locked = until != NULL ? wait_interruptibly(self, until, true) : wait_patiently(self);
    if (locked == 1) {
        frame->yielded = false;
        self->serving.served = served;
        link_frame(self, frame);
    }
    return locked;
}

void
serve_release_gil(Client *self)
{
    self->serving.frame->released = PyEval_SaveThread();
}

void
serve_take_gil(Client *self)
{
    /* The frame is read before the GIL is taken: it belongs to this thread alone. */
    serve_frame *frame = self->serving.frame;
    PyThreadState *thread_state = frame->released;
    frame->released = NULL;
    PyEval_RestoreThread(thread_state);
}

/* ---- exceptions of callbacks ---- */

/* Long enough for events that a thread of librdkafka adds, and short for a waiting user. */
#define MORE_WITHIN_MS 10

/* True if there is room for further exceptions, no other thread waits for the lock, and neither
 * wakeup() nor close() waits for this call. */
static bool
may_serve_more(Client *self)
{
    return client_is_open(self) && serve_is_serving(self) && !serve_is_nested(self)
           && !atomic_load(&self->serving.yield_wanted) && !atomic_load(&self->serving.woken)
           && parked_may_grow(&self->parked);
}

/* As client_kind.serve. */
static int
serve_once(Client *self, int timeout_ms)
{
    if (self->kind->serve != NULL) {
        return self->kind->serve(self, timeout_ms);
    }
    serve_release_gil(self);
    rd_kafka_poll(self->rk, timeout_ms); /* for a share consumer this returns no records */
    serve_take_gil(self);
    return 0;
}

/* Serves once. False if there is no reason to go on. A signal handler's exception is parked. */
static bool
serve_more(Client *self, int timeout_ms)
{
    size_t parked = parked_count(&self->parked);
    if (serve_once(self, timeout_ms) != 0) {
        return false; /* there is no room for messages that may arrive */
    }
    if (client_check_signals(self) < 0) {
        client_park_exception(self);
        return false;
    }
    serve_logs(self);
    return timeout_ms > 0 || parked_count(&self->parked) != parked
           || rd_kafka_queue_length(self->core->queue) > 0;
}

void
serve_what_follows(Client *self)
{
    if (!parked_any(&self->parked)) {
        return;
    }
    deadline until = deadline_after(MORE_WITHIN_MS / 1000.0);
    while (may_serve_more(self)) {
        int left_ms = deadline_remaining_ms(&until, MORE_WITHIN_MS);
        if (!serve_more(self, self->serving.frame->waits ? left_ms : 0) || left_ms == 0) {
            break;
        }
    }
}

int
serve_raise_parked(Client *self)
{
    if (!client_has_parked(self)) {
        return 0;
    }
    serve_what_follows(self);
    return client_raise_parked(self);
}

/* 1: go on; 0: the wait was interrupted or the lock is lost; -1: exception. */
static int
check(Client *self, deadline *until)
{
    if (client_check_signals(self) < 0) {
        return -1;
    }
    serve_logs(self);
    if (serve_raise_parked(self) < 0) {
        return -1;
    }
    if (atomic_load(&self->serving.yield_wanted)) {
        int locked = yield_lock(self, until);
        if (locked <= 0) {
            return locked;
        }
    }
    serve_frame *frame = self->serving.frame;
    frame->interrupted = frame->interrupted || client_interrupted(self);
    return !frame->interrupted;
}

int
serve_check(Client *self)
{
    return check(self, NULL);
}

int
serve_check_until(Client *self, deadline *until)
{
    return check(self, until);
}

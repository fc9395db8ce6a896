#include "client/blocking.h"

/* Drops one party's share; the last one frees the call and lets go of the handle. */
WITHOUT_GIL static void
drop_party(blocking_call *call)
{
    if (atomic_fetch_sub(&call->parties, 1) != 1) {
        return;
    }
    client_core *core = call->core;
    PyThread_free_lock(call->changed);
    call->destroy(call);
    core_release(core);
}

/* As long as librdkafka itself waits for an answer (socket.timeout.ms) by default. */
#define ATTEMPT_MS 60000
/* No broker to ask is noticed sooner: the request has not been sent. */
#define NO_BROKER_MS 5000

static bool
is_given_up(blocking_call *call)
{
    return atomic_load(&call->parties) == 1;
}

rd_kafka_resp_err_t
blocking_call_attempts(blocking_call *call, int timeout_ms,
                       rd_kafka_resp_err_t (*attempt)(blocking_call *, int))
{
    if (timeout_ms >= 0) {
        return attempt(call, timeout_ms);
    }
    rd_kafka_resp_err_t code;
    int attempt_ms = NO_BROKER_MS;
    do {
        code = attempt(call, attempt_ms);
        attempt_ms = code == RD_KAFKA_RESP_ERR__TIMED_OUT ? ATTEMPT_MS : NO_BROKER_MS;
    } while ((code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TRANSPORT
              || code == RD_KAFKA_RESP_ERR__WAIT_COORD)
             && !is_given_up(call));
    return code;
}

#define PAUSE_MS 100 /* retry.backoff.ms by default */

WITHOUT_GIL bool
blocking_call_pause(blocking_call *call, deadline *until)
{
    /* An event never comes to a queue of its own: a sleep on every platform. */
    rd_kafka_queue_t *queue = rd_kafka_queue_new(call->rk);
    rd_kafka_event_destroy(rd_kafka_queue_poll(queue, deadline_remaining_ms(until, PAUSE_MS)));
    rd_kafka_queue_destroy(queue);
    return !deadline_passed(until) && !is_given_up(call);
}

WITHOUT_GIL static void
worker(void *argument)
{
    blocking_call *call = argument;
    call->run(call);
    atomic_store(&call->has_run, true);
    PyThread_release_lock(call->changed);
    core_wake(call->core);
    drop_party(call);
}

static void
add_waiting(Client *self, blocking_call *call)
{
    object_mutex_lock(&self->waiting_mutex);
    call->next_waiting = self->waiting;
    self->waiting = call;
    object_mutex_unlock(&self->waiting_mutex);
}

static void
remove_waiting(Client *self, blocking_call *call)
{
    object_mutex_lock(&self->waiting_mutex);
    blocking_call **link = &self->waiting;
    while (*link != call) {
        link = &(*link)->next_waiting;
    }
    *link = call->next_waiting;
    object_mutex_unlock(&self->waiting_mutex);
}

void
blocking_calls_wake(Client *self)
{
    object_mutex_lock(&self->waiting_mutex);
    for (blocking_call *call = self->waiting; call != NULL; call = call->next_waiting) {
        PyThread_release_lock(call->changed);
    }
    object_mutex_unlock(&self->waiting_mutex);
}

/* Starts the worker: 0, or -1 with an exception and the call freed. */
static int
start(Client *self, blocking_call *call)
{
    call->rk = self->rk;
    atomic_init(&call->has_run, false);
    atomic_init(&call->parties, 2);
    call->changed = PyThread_allocate_lock();
    if (call->changed == NULL) {
        call->destroy(call);
        PyErr_NoMemory();
        return -1;
    }
    PyThread_acquire_lock(call->changed, NOWAIT_LOCK); /* new, so this cannot fail */
    call->core = core_retain(self->core);
    if (PyThread_start_new_thread(worker, call) == PYTHREAD_INVALID_THREAD_ID) {
        PyErr_SetString(PyExc_RuntimeError, "cannot start a thread for the request");
        blocking_call_end(call);
        blocking_call_end(call);
        return -1;
    }
    return 0;
}

/* Waits until the worker is done: 0, or -1 with an exception. */
static int
wait_until_run(Client *self, blocking_call *call, const char *what,
               int (*meanwhile)(Client *self))
{
    while (!atomic_load(&call->has_run)) {
        int next = meanwhile == NULL ? 1 : meanwhile(self);
        if (next < 0) {
            return -1;
        }
        if (next == 1) {
            Py_BEGIN_ALLOW_THREADS
            PyThread_acquire_lock_timed(call->changed, WAIT_SLICE_MS * 1000, 1);
            Py_END_ALLOW_THREADS
        }
        if (client_check_signals(self) < 0) {
            return -1;
        }
        if (!atomic_load(&call->has_run) && client_interrupted(self)) {
            if (client_end_thread_at_exit(self)) {
                return -1;
            }
            bool open = atomic_load(&self->phase) == CLIENT_OPEN;
            raise_kafka_error(self->state, RD_KAFKA_RESP_ERR__INTR,
                              "%s was interrupted by %s", what,
                              open ? "wakeup()" : "close()");
            return -1;
        }
    }
    return 0;
}

int
blocking_call_run(Client *self, blocking_call *call, const char *what)
{
    return blocking_call_run_while(self, call, what, NULL);
}

int
blocking_call_run_while(Client *self, blocking_call *call, const char *what,
                        int (*meanwhile)(Client *self))
{
    if (start(self, call) < 0) {
        return -1;
    }
    add_waiting(self, call);
    int result = wait_until_run(self, call, what, meanwhile);
    remove_waiting(self, call);
    if (result < 0) {
        PyObject *raised = PyErr_GetRaisedException();
        blocking_call_end(call);
        PyErr_SetRaisedException(raised);
    }
    return result;
}

void
blocking_call_end(blocking_call *call)
{
    /* If the worker ends just now this could be the last share of the handle. */
    Py_BEGIN_ALLOW_THREADS
    drop_party(call);
    Py_END_ALLOW_THREADS
}

#include "client/client.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/build_info.h"
#include "client/callbacks.h"
#include "client/oauth.h"
#include "client/resolver.h"

/* ---- requests that failed ---- */

static bool
is_without_cause(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TRANSPORT
           || code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN
           || code == RD_KAFKA_RESP_ERR__WAIT_COORD;
}

void
raise_with_cause(module_state *state, const client_core *core, PyObject *error)
{
    char *cause = NULL;
    if (error != NULL && is_without_cause(kafka_error_code(error))) {
        cause = log_ring_last_failure(core->logs);
    }
    if (cause != NULL && kafka_error_add_cause(error, cause) < 0) {
        Py_CLEAR(error);
    }
    free(cause);
    raise_kafka_error_object(state, error);
}

/*
 * A failure that librdkafka tells and does not log, a token that could not be had, is known
 * only once it was told. Where that would call the application nothing is done.
 */
static void
note_waiting_errors(Client *self, rd_kafka_resp_err_t code)
{
    serve_turn turn;
    if (!is_without_cause(code) || self->note_errors == NULL || self->error_cb != NULL
        || self->stats_cb != NULL || self->throttle_cb != NULL) {
        return;
    }
    if (serve_take_turn(self, &turn) < 0) {
        client_park_exception(self); /* of a signal handler: not lost */
        return;
    }
    self->note_errors(self);
    serve_end_turn(self, &turn);
}

void
client_raise_error(Client *self, rd_kafka_resp_err_t code, const char *what)
{
    char reason[256];
    note_waiting_errors(self, code);
    snprintf(reason, sizeof(reason), "%s: %s", what, rd_kafka_err2str(code));
    raise_with_cause(self->state, self->core,
                     kafka_error_new(self->state, code, reason));
}

int
client_raise_if_error(Client *self, rd_kafka_error_t *error)
{
    if (error == NULL) {
        return 0;
    }
    note_waiting_errors(self, rd_kafka_error_code(error));
    raise_with_cause(self->state, self->core, kafka_error_from(self->state, error));
    rd_kafka_error_destroy(error);
    return -1;
}

/* ---- the guard ---- */

static const char *
type_name(Client *self)
{
    const char *name = Py_TYPE(self)->tp_name;
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

bool
client_end_thread_at_exit(Client *self)
{
    unsigned long exiting = atomic_load(&self->state->exiting_thread);
    if (exiting == 0 || exiting == PyThread_get_thread_ident()) {
        return false;
    }
    PyErr_SetNone(PyExc_SystemExit);
    return true;
}

static int
refuse_entry(Client *self, int phase)
{
    const char *name = type_name(self);
    if (client_end_thread_at_exit(self)) {
        return -1;
    }
    switch (phase) {
    case CLIENT_NEW:
    case CLIENT_OPENING:
        PyErr_Format(self->misuse,
                     "%s is not initialised: call super().__init__(config) first", name);
        break;
    case CLIENT_FORKED:
        PyErr_Format(self->misuse,
                     "%s was created before os.fork() and cannot be used in the child "
                     "process: create a new %s after the fork",
                     name, name);
        break;
    default:
        PyErr_Format(self->misuse, "%s has been closed: create a new one", name);
    }
    return -1;
}

int
client_enter(Client *self)
{
    /* The call is counted before the phase is read, and close() sets the phase before it
     * reads the count: one of the two always sees the other. */
    shared_count_add(&self->calls, 1);
    int phase = atomic_load(&self->phase);
    if (phase == CLIENT_OPEN) {
        return 0;
    }
    if (phase == CLIENT_CLOSING
        && atomic_load(&self->closing_thread) == PyThread_get_thread_ident()) {
        return 0;
    }
    client_leave(self);
    return refuse_entry(self, phase);
}

void
client_leave(Client *self)
{
    shared_count_add(&self->calls, -1);
    if (atomic_load(&self->phase) == CLIENT_CLOSING) {
        PyThread_release_lock(self->left);
    }
}

/* ---- life ---- */

PyObject *
client_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    Client *self = (Client *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->state = module_state_of_type(type);
    atomic_init(&self->phase, CLIENT_NEW);
    self->misuse = Py_NewRef(PyExc_RuntimeError);
    self->turn_free = PyThread_allocate_lock();
    self->taking_turn = PyThread_allocate_lock();
    self->left = PyThread_allocate_lock();
    self->core = core_new();
    if (self->turn_free == NULL || self->taking_turn == NULL || self->left == NULL
        || self->core == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    self->core->client = self;
    return (PyObject *)self;
}

int
client_init_begin(Client *self)
{
    int expected = CLIENT_NEW;
    if (self->rk == NULL
        && atomic_compare_exchange_strong(&self->phase, &expected, CLIENT_OPENING)) {
        return 0;
    }
    PyErr_Format(PyExc_RuntimeError, "%s is initialised already", type_name(self));
    return -1;
}

int
client_init_end(Client *self, int result)
{
    int expected = CLIENT_OPENING;
    if (result < 0) {
        atomic_compare_exchange_strong(&self->phase, &expected, CLIENT_NEW);
    }
    return result;
}

static void
link_live(Client *self)
{
    object_mutex_lock(&self->state->live_clients_mutex);
    self->next = self->state->live_clients;
    if (self->next != NULL) {
        self->next->previous = self;
    }
    self->state->live_clients = self;
    object_mutex_unlock(&self->state->live_clients_mutex);
}

static void
unlink_live_lock_held(Client *self)
{
    if (self->previous != NULL) {
        self->previous->next = self->next;
    }
    else if (self->state->live_clients == self) {
        self->state->live_clients = self->next;
    }
    if (self->next != NULL) {
        self->next->previous = self->previous;
    }
    self->previous = self->next = NULL;
}

static void
unlink_live(Client *self)
{
    object_mutex_lock(&self->state->live_clients_mutex);
    unlink_live_lock_held(self);
    object_mutex_unlock(&self->state->live_clients_mutex);
}

WITHOUT_GIL static rd_kafka_t *
new_consumer(Client *Py_UNUSED(self), rd_kafka_conf_t *conf, char *reason, size_t size)
{
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_CONSUMER, conf, reason, size);
    if (rk != NULL) {
        rd_kafka_poll_set_consumer(rk);
    }
    return rk;
}

WITHOUT_GIL static rd_kafka_t *
new_producer(Client *Py_UNUSED(self), rd_kafka_conf_t *conf, char *reason, size_t size)
{
    return rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, size);
}

int
client_open(Client *self, rd_kafka_type_t kind, rd_kafka_conf_t *conf)
{
    return client_open_with(self, kind, conf,
                            kind == RD_KAFKA_CONSUMER ? new_consumer : new_producer);
}

int
client_open_with(Client *self, rd_kafka_type_t kind, rd_kafka_conf_t *conf, new_handle *create)
{
    char reason[512];
    callbacks_register(self, conf);
    resolver_configure(conf);
    if (self->oauth_cb != NULL) {
        oauth_configure(conf);
    }
    rd_kafka_t *rk;
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    Py_BEGIN_ALLOW_THREADS
    rk = create(self, conf, reason, sizeof(reason));
    if (rk == NULL) {
        code = rd_kafka_last_error();
        rd_kafka_conf_destroy(conf);
    }
    Py_END_ALLOW_THREADS
    if (rk == NULL) {
        raise_kafka_error(self->state, code, "cannot create %s: %s", type_name(self),
                          reason);
        return -1;
    }
    self->core->rk = self->rk = rk;
    /* Leaving the group is close()'s work: an implicit one would run callbacks here. */
    self->core->destroy_flags = RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE;
    self->core->queue = kind == RD_KAFKA_CONSUMER ? rd_kafka_queue_get_consumer(rk)
                                                  : rd_kafka_queue_get_main(rk);
    self->reference = PyWeakref_NewRef((PyObject *)self, NULL);
    if (self->reference == NULL || (self->oauth_cb != NULL && oauth_start(self) < 0)) {
        return -1;
    }
    link_live(self);
    /* Before it is open: a logger that raises makes __init__ fail, and then nobody has a
     * client to close. */
    if (warn_of_missing_patches(self->state) < 0 || serve_logs_or_raise(self) < 0) {
        return -1;
    }
    atomic_store(&self->phase, CLIENT_OPEN);
    return 0;
}

int
client_traverse(Client *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->misuse);
    Py_VISIT(self->error_cb);
    Py_VISIT(self->throttle_cb);
    Py_VISIT(self->stats_cb);
    Py_VISIT(self->oauth_cb);
    Py_VISIT(self->logger);
    Py_VISIT(self->refusal.error);
    Py_VISIT(self->outage.cause);
    Py_VISIT(self->reference);
    int visited = latest_traverse(&self->latest, visit, arg);
    if (visited == 0) {
        visited = parked_traverse(&self->parked, visit, arg);
    }
    return visited != 0 ? visited : topic_names_traverse(&self->names, visit, arg);
}

int
client_clear(Client *self)
{
    Py_CLEAR(self->error_cb);
    Py_CLEAR(self->throttle_cb);
    Py_CLEAR(self->stats_cb);
    Py_CLEAR(self->oauth_cb);
    Py_CLEAR(self->logger);
    Py_CLEAR(self->refusal.error);
    Py_CLEAR(self->outage.cause);
    latest_clear(&self->latest);
    parked_clear(&self->parked);
    topic_names_clear(&self->names);
    return 0;
}

/* Warns of a client that was dropped and not closed, as files and sockets do. */
void
client_finalize(PyObject *object)
{
    Client *self = (Client *)object;
    int phase = atomic_load(&self->phase);
    if (phase != CLIENT_OPEN || !core_owned_by_this_process(self->core)) {
        return;
    }
    PyObject *raised = PyErr_GetRaisedException();
    if (PyErr_ResourceWarning(object, 1, "%s was not closed: call close() or use 'with'",
                              type_name(self)) < 0) {
        PyErr_WriteUnraisable(object);
    }
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

/* The end of a handle that nobody may wait for without limit. */
typedef struct {
    client_core *core;
    PyThread_type_lock done; /* released when the handle is gone */
    atomic_int parties;      /* the thread that destroys it, and the one that waits */
} handle_end;

static void
drop_end(handle_end *end)
{
    if (atomic_fetch_sub(&end->parties, 1) == 1) {
        PyThread_free_lock(end->done);
        PyMem_RawFree(end);
    }
}

WITHOUT_GIL static void
end_handle(void *argument)
{
    handle_end *end = argument;
    core_release(end->core);
    PyThread_release_lock(end->done);
    drop_end(end);
}

/* Starts destroying the handle on a thread of its own; NULL when there is no memory for it. */
static handle_end *
start_handle_end(client_core *core)
{
    handle_end *end = PyMem_RawMalloc(sizeof(*end));
    if (end == NULL) {
        return NULL;
    }
    end->core = core;
    atomic_init(&end->parties, 2);
    end->done = PyThread_allocate_lock();
    if (end->done == NULL) {
        PyMem_RawFree(end);
        return NULL;
    }
    PyThread_acquire_lock(end->done, NOWAIT_LOCK); /* new, so this cannot fail */
    if (PyThread_start_new_thread(end_handle, end) == PYTHREAD_INVALID_THREAD_ID) {
        PyThread_free_lock(end->done);
        PyMem_RawFree(end);
        return NULL;
    }
    return end;
}

/* How long an exit or a dropped client waits for its handle to end. */
#define HANDLE_END_US 2000000

/*
 * Lets go of the handle. After an orderly close() it ends at once. Otherwise librdkafka may
 * wait for brokers that do not answer, to a commit or a goodbye, for as long as the session
 * timeout: nobody should wait for that.
 */
static void
drop_core(Client *self, bool closed_in_order)
{
    client_core *core = self->core;
    core->client = NULL; /* no callbacks from here on */
    if (self->release != NULL && core_owned_by_this_process(core)) {
        self->release(self);
    }
    self->core = NULL;
    self->rk = NULL;
    handle_end *end = closed_in_order || core->rk == NULL || !core_owned_by_this_process(core)
                          ? NULL
                          : start_handle_end(core);
    Py_BEGIN_ALLOW_THREADS
    if (end == NULL) {
        core_release(core);
    }
    else {
        PyThread_acquire_lock_timed(end->done, HANDLE_END_US, 0);
        drop_end(end);
    }
    Py_END_ALLOW_THREADS
}

bool
client_dealloc_begin(PyObject *object)
{
    Client *self = (Client *)object;
    if (PyObject_CallFinalizerFromDealloc(object) < 0) {
        return false;
    }
    PyObject_GC_UnTrack(object);
    unlink_live(self); /* first: what follows can run Python code, which must not find it */
    if (self->weak_references != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    oauth_stop(self);
    if (self->core != NULL) {
        drop_core(self, false);
    }
    return true;
}

void
client_dealloc_end(PyObject *object)
{
    Client *self = (Client *)object;
    PyTypeObject *type = Py_TYPE(object);
    client_clear(self);
    Py_CLEAR(self->misuse);
    Py_CLEAR(self->reference);
    if (self->turn_free != NULL) {
        PyThread_free_lock(self->turn_free);
    }
    if (self->taking_turn != NULL) {
        PyThread_free_lock(self->taking_turn);
    }
    if (self->left != NULL) {
        PyThread_free_lock(self->left);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

/* ---- the end ---- */

/* Waits until no call of another thread is left inside: 0, or -1 with an exception. */
static int
wait_for_calls(Client *self, deadline *until)
{
    while (atomic_load(&self->calls) > 0) {
        if (self->core->queue != NULL) {
            core_wake(self->core);
        }
        deadline slice = deadline_after(deadline_remaining_ms(until, 20) / 1000.0);
        if (lock_within(self, self->left, &slice) < 0) {
            return -1;
        }
        if (deadline_passed(until)) {
            return 0;
        }
    }
    return 0;
}

/* Waits while another thread is closing the client; 0 closed, 1 it was given up, -1. */
static int
wait_for_closing_thread(Client *self)
{
    while (atomic_load(&self->phase) == CLIENT_CLOSING) {
        if (atomic_load(&self->closing_thread) == 0) {
            return 1;
        }
        deadline slice = deadline_after(WAIT_SLICE_MS / 1000.0);
        if (lock_within(self, self->left, &slice) < 0) {
            return -1;
        }
    }
    return 0;
}

/* A later close() may go on. */
static void
close_interrupted(Client *self)
{
    atomic_store(&self->closing_thread, 0);
}

/* Waits until no other thread is inside: 1 go on, 0 closed already, -1 exception. */
static int
close_begin(Client *self)
{
    unsigned long thread = PyThread_get_thread_ident();
    if (atomic_load(&self->phase) == CLIENT_FORKED) {
        return 0; /* the parent's to close */
    }
    if (atomic_load(&self->serving_thread) == thread
        || atomic_load(&self->signal_thread) == thread
        || atomic_load(&self->closing_thread) == thread) {
        PyErr_Format(self->misuse,
                     "close() was called from a callback or signal handler inside a call of "
                     "this %s: set a flag or call wakeup() there, and close() when that call "
                     "has returned",
                     type_name(self));
        return -1;
    }
    int expected = CLIENT_OPEN;
    if (!atomic_compare_exchange_strong(&self->phase, &expected, CLIENT_CLOSING)) {
        if (expected != CLIENT_CLOSING) {
            atomic_store(&self->phase, CLIENT_CLOSED);
            return 0;
        }
        int given_up = wait_for_closing_thread(self);
        if (given_up != 1) {
            return given_up;
        }
    }
    atomic_store(&self->closing_thread, thread);
    deadline never = DEADLINE_NEVER;
    if (wait_for_calls(self, &never) < 0) {
        close_interrupted(self);
        return -1;
    }
    return 1;
}

static int
close_finish(Client *self)
{
    oauth_stop(self);
    unlink_live(self);
    serve_logs(self);
    atomic_store(&self->phase, CLIENT_CLOSED);
    atomic_store(&self->closing_thread, 0);
    PyThread_release_lock(self->left); /* other threads may be waiting in close() */
    drop_core(self, true);
    int result = client_raise_parked(self);
    client_report_parked(self); /* all but the one that is raised */
    return result;
}

static int
leave_in_turn(Client *self, leave_function *leave, deadline *until)
{
    serve_turn turn;
    if (serve_take_turn(self, &turn) < 0) {
        return -1;
    }
    int result = leave(self, until);
    serve_end_turn(self, &turn);
    return result;
}

int
client_close(Client *self, leave_function *leave, deadline *until)
{
    int begun = close_begin(self);
    if (begun != 1) {
        return begun;
    }
    if (leave != NULL && leave_in_turn(self, leave, until) < 0) {
        close_interrupted(self);
        return -1;
    }
    return close_finish(self);
}

PyObject *
mark_clients_forked(PyObject *module, PyObject *Py_UNUSED(unused))
{
    module_state *state = PyModule_GetState(module);
    /* They are not this process's to end at its exit: threads that were inside them, and
     * would be waited for, do not exist here. */
    while (state->live_clients != NULL) {
        Client *client = state->live_clients;
        atomic_store(&client->phase, CLIENT_FORKED);
        unlink_live(client);
    }
    Py_RETURN_NONE;
}

/* Another thread is inside close(): it gets a moment to finish. True when it has not. */
static bool
still_closing(Client *self)
{
    deadline moment = deadline_after(2);
    while (atomic_load(&self->phase) == CLIENT_CLOSING
           && atomic_load(&self->closing_thread) != 0) {
        deadline slice = deadline_after(deadline_remaining_ms(&moment, 20) / 1000.0);
        if (lock_within(self, self->left, &slice) < 0) {
            PyErr_WriteUnraisable((PyObject *)self);
        }
        if (deadline_passed(&moment)) {
            return true;
        }
    }
    return false;
}

/* A client that nobody closed: threads still inside get a moment to leave. */
static void
close_at_exit(Client *self)
{
    if (still_closing(self)) {
        unlink_live(self); /* its handle is in use: the process ends with it */
        return;
    }
    if (atomic_load(&self->phase) == CLIENT_CLOSED) {
        unlink_live(self);
        return;
    }
    atomic_store(&self->phase, CLIENT_CLOSING);
    atomic_store(&self->closing_thread, PyThread_get_thread_ident());
    oauth_stop(self);
    deadline moment = deadline_after(2);
    if (wait_for_calls(self, &moment) < 0) {
        PyErr_WriteUnraisable((PyObject *)self);
    }
    unlink_live(self);
    if (atomic_load(&self->calls) == 0) {
        atomic_store(&self->phase, CLIENT_CLOSED);
        atomic_store(&self->closing_thread, 0);
        drop_core(self, false);
    }
}

/* One of the clients that nobody closed, or NULL; new reference. */
static PyObject *
next_live_client(module_state *state)
{
    PyObject *client = NULL;
    object_mutex_lock(&state->live_clients_mutex);
    while (client == NULL && state->live_clients != NULL) {
        Client *first = state->live_clients;
        if (PyWeakref_GetRef(first->reference, &client) <= 0) {
            unlink_live_lock_held(first); /* another thread is dropping it, and ends it */
        }
    }
    object_mutex_unlock(&state->live_clients_mutex);
    return client;
}

PyObject *
close_live_clients(PyObject *module, PyObject *Py_UNUSED(unused))
{
    module_state *state = PyModule_GetState(module);
    atomic_store(&state->exiting_thread, PyThread_get_thread_ident());
    PyObject *client;
    while ((client = next_live_client(state)) != NULL) {
        close_at_exit((Client *)client);
        Py_DECREF(client);
    }
    Py_RETURN_NONE;
}

#include "client/request.h"

#include <stdlib.h>
#include <string.h>

#include "client/core.h"
#include "client/failure.h"
#include "client/guard.h"
#include "client/registry.h"
#include "client/serve.h"
#include "client/signals.h"

/* ---- creation and deletion ---- */

request *
request_new(request_attempt *attempt, int timeout_ms, const char *name)
{
    request *self = calloc(1, sizeof(*self));
    char *copy = name == NULL ? NULL : strdup(name);
    if (self == NULL || (name != NULL && copy == NULL)) {
        free(self);
        free(copy);
        PyErr_NoMemory();
        return NULL;
    }
    self->attempt = attempt;
    self->timeout_ms = timeout_ms;
    self->name = copy;
    atomic_init(&self->parties, 1);
    return self;
}

static void
destroy(request *self)
{
    if (self->answer != NULL) {
        self->free_answer(self->answer);
    }
    if (self->partitions != NULL) {
        rd_kafka_topic_partition_list_destroy(self->partitions);
    }
    if (self->group != NULL) {
        rd_kafka_consumer_group_metadata_destroy(self->group);
    }
    rd_kafka_error_destroy(self->error);
    if (self->changed != NULL) {
        PyThread_free_lock(self->changed);
    }
    free(self->input);
    free(self->name);
    free(self);
}

/* Drops the share of one party. The last party frees the request and releases the handle. */
WITHOUT_GIL static void
drop_party(request *self)
{
    if (atomic_fetch_sub(&self->parties, 1) != 1) {
        return;
    }
    client_core *core = self->core;
    destroy(self);
    if (core != NULL) {
        core_release(core);
    }
}

void
request_end(request *self)
{
    /* If the worker ends at this moment, this may be the last reference to the handle. */
    Py_BEGIN_ALLOW_THREADS
    drop_party(self);
    Py_END_ALLOW_THREADS
}

/* ---- on the worker thread ---- */

/* As long as librdkafka itself waits for an answer by default (socket.timeout.ms). */
#define ATTEMPT_MS 60000
/* If there is no broker to ask, this is noticed sooner, because the request was not sent. */
#define NO_BROKER_MS 5000

/* True for the first caller: the worker, which begins the request, or the other thread, which
 * cancels it. */
static bool
claim(request *self)
{
    return !atomic_exchange(&self->claimed, true);
}

bool
request_is_given_up(request *self)
{
    return atomic_load(&self->parties) == 1;
}

static rd_kafka_error_t *
attempt_without_limit(request *self)
{
    rd_kafka_error_t *error;
    int attempt_ms = NO_BROKER_MS;
    for (;;) {
        error = self->attempt(self, attempt_ms);
        rd_kafka_resp_err_t code = rd_kafka_error_code(error);
        if ((!is_timeout(code) && !is_lost_broker(code)
             && code != RD_KAFKA_RESP_ERR__WAIT_COORD)
            || request_is_given_up(self)) {
            return error;
        }
        rd_kafka_error_destroy(error);
        attempt_ms = is_timeout(code) ? ATTEMPT_MS : NO_BROKER_MS;
    }
}

WITHOUT_GIL static void
run(void *argument)
{
    request *self = argument;
    if (!claim(self)) {
        drop_party(self);
        return;
    }
    bool once = self->asks_once || self->timeout_ms >= 0;
    self->error =
        once ? self->attempt(self, self->timeout_ms) : attempt_without_limit(self);
    atomic_store(&self->has_run, true);
    PyThread_release_lock(self->changed);
    core_wake(self->core);
    drop_party(self);
}

#define PAUSE_MS 100 /* the default of retry.backoff.ms */

WITHOUT_GIL bool
request_pause(request *self, deadline *until)
{
    /* No event ever arrives in a new queue, so this is a sleep that works on every platform. */
    rd_kafka_queue_t *queue = rd_kafka_queue_new(self->rk);
    rd_kafka_event_destroy(rd_kafka_queue_poll(queue, deadline_remaining_ms(until, PAUSE_MS)));
    rd_kafka_queue_destroy(queue);
    return !deadline_passed(until) && !request_is_given_up(self);
}

rd_kafka_error_t *
request_error(rd_kafka_resp_err_t code, const char *what)
{
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? NULL
               : rd_kafka_error_new(code, "%s: %s", what, rd_kafka_err2str(code));
}

/* ---- on the waiting thread ---- */

static void
add_waiting(Client *client, request *self)
{
    object_mutex_lock(&client->requests.mutex);
    self->next_waiting = client->requests.first;
    client->requests.first = self;
    object_mutex_unlock(&client->requests.mutex);
}

static void
remove_waiting(Client *client, request *self)
{
    object_mutex_lock(&client->requests.mutex);
    request **link = &client->requests.first;
    while (*link != self) {
        link = &(*link)->next_waiting;
    }
    *link = self->next_waiting;
    object_mutex_unlock(&client->requests.mutex);
}

void
requests_wake(Client *client)
{
    object_mutex_lock(&client->requests.mutex);
    for (request *each = client->requests.first; each != NULL; each = each->next_waiting) {
        PyThread_release_lock(each->changed);
    }
    object_mutex_unlock(&client->requests.mutex);
}

/* Starts the worker: 0, or -1 with an exception and the request freed. */
static int
start(Client *client, request *self)
{
    self->rk = client->rk;
    self->changed = PyThread_allocate_lock();
    if (self->changed == NULL) {
        request_end(self);
        PyErr_NoMemory();
        return -1;
    }
    PyThread_acquire_lock(self->changed, NOWAIT_LOCK); /* new, so this cannot fail */
    self->core = core_retain(client->core);
    atomic_store(&self->parties, 2);
    if (PyThread_start_new_thread(run, self) == PYTHREAD_INVALID_THREAD_ID) {
        PyErr_SetString(PyExc_RuntimeError, "cannot start a thread for the request");
        request_end(self);
        request_end(self);
        return -1;
    }
    return 0;
}

int
request_raise_interrupted(Client *client, const char *what)
{
    if (!client_end_thread_at_exit(client)) {
        raise_kafka_error(client->state, RD_KAFKA_RESP_ERR__INTR, "%s was interrupted by %s",
                          what, client_is_open(client) ? "wakeup()" : "close()");
    }
    return -1;
}

/* Waits until the worker is done: 0, or -1 with an exception. */
static int
wait_until_run(Client *client, request *self, const char *what,
               int (*meanwhile)(Client *client))
{
    while (!atomic_load(&self->has_run)) {
        int next = meanwhile == NULL ? 1 : meanwhile(client);
        if (next < 0) {
            return -1;
        }
        if (next == 1) {
            Py_BEGIN_ALLOW_THREADS
            PyThread_acquire_lock_timed(self->changed, WAIT_SLICE_MS * 1000, 1);
            Py_END_ALLOW_THREADS
        }
        if (client_check_signals(client) < 0) {
            return -1;
        }
        if (!atomic_load(&self->has_run) && client_interrupted(client)) {
            return request_raise_interrupted(client, what);
        }
    }
    return 0;
}

int
request_wait_again(Client *client, request *self, const char *what,
                   int (*meanwhile)(Client *client))
{
    add_waiting(client, self);
    int result = wait_until_run(client, self, what, meanwhile);
    remove_waiting(client, self);
    return result;
}

int
request_wait(Client *client, request *self, const char *what, int (*meanwhile)(Client *client))
{
    if (start(client, self) < 0) {
        return -1;
    }
    int result = request_wait_again(client, self, what, meanwhile);
    if (result < 0 && self->left != NULL) {
        *self->left = self;
    }
    else if (result < 0) {
        /* A request that has not begun must not begin after the call, when the application does not
         * expect it any more: it could purge messages, or ask a broker to do something. */
        (void)claim(self);
        PyObject *raised = PyErr_GetRaisedException();
        request_end(self);
        PyErr_SetRaisedException(raised);
    }
    return result;
}

int
request_run(Client *client, request *self, const char *what)
{
    if (request_wait(client, self, what, NULL) < 0) {
        return -1;
    }
    rd_kafka_error_t *error = self->error;
    self->error = NULL;
    if (client_raise_if_error(client, error) < 0) {
        PyObject *raised = PyErr_GetRaisedException();
        request_end(self);
        PyErr_SetRaisedException(raised);
        return -1;
    }
    return 0;
}

/*
 * Rebalances: what happens when the group assigns partitions to this member or revokes them.
 */
#include "consumer/consumer.h"

#include <string.h>

#include "client/callbacks.h"
#include "client/exceptions.h"
#include "client/guard.h"
#include "client/serve.h"
#include "values/topic_partition.h"

WITHOUT_GIL bool
consumer_is_cooperative(rd_kafka_t *rk)
{
    const char *protocol = rd_kafka_rebalance_protocol(rk);
    return protocol != NULL && strcmp(protocol, "COOPERATIVE") == 0;
}

/* Does what librdkafka would do if there was no callback. */
WITHOUT_GIL static rd_kafka_error_t *
follow_rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t code,
                 const rd_kafka_topic_partition_list_t *partitions)
{
    bool assign = code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
    if (consumer_is_cooperative(rk)) {
        return assign ? rd_kafka_incremental_assign(rk, partitions)
                      : rd_kafka_incremental_unassign(rk, partitions);
    }
    rd_kafka_resp_err_t result = rd_kafka_assign(rk, assign ? partitions : NULL);
    return result == RD_KAFKA_RESP_ERR_NO_ERROR ? NULL
                                                : rd_kafka_error_new(result, NULL);
}

/* ---- the application's callback ---- */

static PyObject *
callback_lock_held(Consumer *self, rd_kafka_t *rk, rd_kafka_resp_err_t code)
{
    if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        return self->on_assign;
    }
    if (self->on_lost != NULL && rd_kafka_assignment_lost(rk)) {
        return self->on_lost;
    }
    return self->on_revoke;
}

/* New reference, or NULL. A reference is needed: a subscribe() may replace the callback. */
static PyObject *
callback_for(Consumer *self, rd_kafka_t *rk, rd_kafka_resp_err_t code)
{
    PyObject *callback;
    Py_BEGIN_CRITICAL_SECTION(self);
    callback = Py_XNewRef(callback_lock_held(self, rk, code));
    Py_END_CRITICAL_SECTION();
    return callback;
}

static void
call_rebalance_callback(Consumer *self, PyObject *callback,
                        const rd_kafka_topic_partition_list_t *partitions)
{
    PyObject *list = topic_partitions_from(self->client.state, partitions);
    if (list == NULL) {
        return;
    }
    PyObject *arguments[] = {(PyObject *)self, list};
    self->deferral.allowed = true;
    PyObject *result = PyObject_Vectorcall(callback, arguments, 2, NULL);
    self->deferral.allowed = false;
    Py_DECREF(list);
    Py_XDECREF(result);
}

/* ---- the step ---- */

void
consumer_note_revoked(Consumer *self, const rd_kafka_topic_partition_list_t *partitions,
                      bool revoked)
{
    for (int i = 0; i < partitions->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &partitions->elems[i];
        rd_kafka_topic_partition_list_del(self->revoked, entry->topic, entry->partition);
        if (revoked) {
            rd_kafka_topic_partition_list_add(self->revoked, entry->topic, entry->partition);
        }
    }
}

/*
 * Takes the step that the group waits for after the callback: assigns or unassigns, unless the
 * callback has done so, and informs all code that stores data about these partitions. Exceptions
 * are parked.
 */
static void
take_step(Consumer *self, rd_kafka_t *rk, rd_kafka_resp_err_t code,
          const rd_kafka_topic_partition_list_t *partitions)
{
    shelves_resume(&self->shelves, rk, partitions);
    if (!self->assigned) {
        rd_kafka_error_t *error;
        Py_BEGIN_ALLOW_THREADS
        error = follow_rebalance(rk, code, partitions);
        Py_END_ALLOW_THREADS
        if (rd_kafka_consumer_closed(rk)) {
            rd_kafka_error_destroy(error); /* the group no longer waits for this step */
            error = NULL;
        }
        if (raise_if_error(self->client.state, error) < 0) {
            client_park_exception(&self->client);
        }
    }
    self->answered_revocation =
        self->assigned && code != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
    if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        fence_note_assigned(&self->fence, rk, partitions);
    }
    else {
        /* Not before the callback, in which position() must not count these messages. */
        consumer_moved(self, partitions);
        fence_note_unassigned(&self->fence, rk, partitions);
        /* Not before on_revoke, which is the time to commit. Lost partitions are fenced already. */
        fence_note_revoked(&self->fence, partitions);
    }
}

void
consumer_rebalance_cb(rd_kafka_t *rk, rd_kafka_resp_err_t code,
                      rd_kafka_topic_partition_list_t *partitions, void *opaque)
{
    callback_scope scope;
    if (!callback_begin(&scope, opaque)) {
        rd_kafka_error_t *ignored = follow_rebalance(rk, code, partitions);
        rd_kafka_error_destroy(ignored);
        return;
    }
    Consumer *self = (Consumer *)scope.client;
    consumer_finish_deferred(self); /* librdkafka allows only one pending step */
    consumer_note_revoked(self, partitions, code != RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS);
    PyObject *callback = callback_for(self, rk, code);
    self->assigned = false;
    self->deferral.wanted = false;
    if (callback != NULL) {
        call_rebalance_callback(self, callback, partitions);
        Py_DECREF(callback);
    }
    if (PyErr_Occurred()) {
        client_park_exception(&self->client);
        self->deferral.wanted = false; /* if the callback raised, the step is taken now */
    }
    if (self->deferral.wanted) {
        self->deferral.code = code;
        self->deferral.partitions = rd_kafka_topic_partition_list_copy(partitions);
    }
    else {
        take_step(self, rk, code, partitions);
    }
    callback_end(&scope);
}

/* ---- the last rebalance ---- */

int
consumer_refuse_while_leaving(Consumer *self, const char *what)
{
    if (self->closing_queue == NULL) {
        return 0;
    }
    raise_kafka_error(self->client.state, RD_KAFKA_RESP_ERR__DESTROY,
                      "%s: close() is leaving the group", what);
    return -1;
}

/* ---- a deferred step ---- */

bool
consumer_is_deferring(const Consumer *self)
{
    return self->deferral.partitions != NULL;
}

void
consumer_finish_deferred(Consumer *self)
{
    rd_kafka_topic_partition_list_t *partitions = self->deferral.partitions;
    if (partitions != NULL) {
        self->deferral.partitions = NULL;
        take_step(self, self->client.rk, self->deferral.code, partitions);
        rd_kafka_topic_partition_list_destroy(partitions);
    }
}

PyDoc_STRVAR(defer_doc,
"_defer_rebalance($self, /)\n--\n\n"
"Defer the step after a rebalance callback until _finish_rebalance(). Call it in the callback.\n\n"
"It is for callbacks that are coroutines, which have only begun when the callback returns. The\n"
"group waits meanwhile. Returns a number that identifies this rebalance.");

static PyObject *
defer_rebalance(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    client_leave(&self->client);
    /* The deferral belongs to the serving thread: no other thread may even read it. */
    if (!serve_is_serving(&self->client) || !self->deferral.allowed) {
        PyErr_SetString(PyExc_RuntimeError,
                        "_defer_rebalance() is for rebalance callbacks while they run");
        return NULL;
    }
    self->deferral.wanted = true;
    self->deferral.number = self->deferral.number == INT32_MAX ? 1 : self->deferral.number + 1;
    return PyLong_FromLong(self->deferral.number);
}

PyDoc_STRVAR(finish_doc,
"_finish_rebalance($self, number, /)\n--\n\n"
"Take the step that _defer_rebalance() deferred, unless assign() or another rebalance did it.");

static int
finish_locked(Consumer *self, int32_t number)
{
    serving_lock lock;
    if (serve_lock(&self->client, &lock) < 0) {
        return -1;
    }
    int result = 0;
    if (number == self->deferral.number) {
        consumer_finish_deferred(self);
        result = client_raise_parked(&self->client);
    }
    serve_unlock(&self->client, &lock);
    return result;
}

static PyObject *
finish_rebalance(PyObject *object, PyObject *argument)
{
    Consumer *self = (Consumer *)object;
    int32_t number;
    if (arg_int32(argument, "number", 0, INT32_MAX, &number) < 0
        || client_enter(&self->client) < 0) {
        return NULL;
    }
    int result = finish_locked(self, number);
    client_leave(&self->client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyMethodDef consumer_rebalance_methods[] = {
    {"_defer_rebalance", defer_rebalance, METH_NOARGS, defer_doc},
    {"_finish_rebalance", finish_rebalance, METH_O, finish_doc},
    {NULL, NULL, 0, NULL},
};

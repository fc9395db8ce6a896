/*
 * pause_while(): the methods that its context manager calls.
 */
#include "consumer/consumer.h"

#include "client/guard.h"
#include "client/logs.h"
#include "client/serve.h"
#include "values/topic_partition.h"

/* ---- the steps ---- */

/* The assignment without the partitions that the application has paused; NULL with an exception. */
static partition_set *
partitions_to_hold(Consumer *self)
{
    rd_kafka_topic_partition_list_t *assignment = NULL;
    rd_kafka_resp_err_t code;
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_assignment(self->client.rk, &assignment);
    Py_END_ALLOW_THREADS
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(self->client.state, code, "Failed to get assignment: %s",
                          rd_kafka_err2str(code));
        return NULL;
    }
    partition_set *partitions = partition_set_of(assignment);
    rd_kafka_topic_partition_list_destroy(assignment);
    partition_set_remove(&partitions, self->fence.paused);
    return partitions;
}

static int
begin_locked(Consumer *self)
{
    if (serve_is_nested(&self->client)) {
        /* The block's thread would wait for the surrounding call, and the block for its thread. */
        PyErr_SetString(PyExc_RuntimeError,
                        "pause_while() cannot begin in a callback or signal handler inside a "
                        "call of this Consumer: use it when that call has returned");
        return -1;
    }
    if (self->fence.active) {
        PyErr_SetString(PyExc_RuntimeError,
                        "pause_while() is in use: its blocks cannot be nested");
        return -1;
    }
    partition_set *partitions = partitions_to_hold(self);
    if (partitions == NULL) {
        return -1;
    }
    consumer_rewind_read_ahead(self, partitions);
    object_mutex_lock(&self->fence.mutex);
    self->fence.active = true;
    partition_set_clear(&self->fence.lost);
    partition_set_clear(&self->fence.held);
    object_mutex_unlock(&self->fence.mutex);
    fence_note_assigned(&self->fence, self->client.rk, partitions);
    rd_kafka_topic_partition_list_destroy(partitions);
    return 0;
}

static int
end_locked(Consumer *self)
{
    object_mutex_lock(&self->fence.mutex);
    partition_set *held = self->fence.held;
    self->fence.held = partition_set_new();
    self->fence.active = false;
    object_mutex_unlock(&self->fence.mutex);
    Py_BEGIN_ALLOW_THREADS
    (void)rd_kafka_resume_partitions(self->client.rk, held);
    Py_END_ALLOW_THREADS
    rd_kafka_topic_partition_list_destroy(held);
    consumer_take_back(self);
    return 0;
}

/* Serves pending events. Exceptions of callbacks are left to the next call that may raise them. */
static int
serve_locked(Consumer *self)
{
    Client *client = &self->client;
    size_t left = rd_kafka_queue_length(client->core->queue);
    do {
        /* Call it at least once, even if there is nothing to serve: it counts as a poll. */
        (void)consumer_serve_once(client, 0);
    } while (left-- > 0);
    serve_logs(client);
    return 0;
}

/* Runs one of the steps above under the serving lock. */
static PyObject *
run_step(PyObject *object, int (*step)(Consumer *))
{
    Consumer *self = (Consumer *)object;
    serving_lock lock;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    int result = serve_lock(&self->client, &lock);
    if (result == 0) {
        result = step(self);
        serve_unlock(&self->client, &lock);
    }
    client_leave(&self->client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(begin_doc, "_pause_begin($self, /)\n--\n\n"
                        "Pause the assignment, and partitions that are added to it later.");

static PyObject *
pause_begin(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return run_step(object, begin_locked);
}

PyDoc_STRVAR(serve_doc, "_pause_serve($self, /)\n--\n\n"
                        "Poll without waiting and without taking a message.");

static PyObject *
pause_serve(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return run_step(object, serve_locked);
}

PyDoc_STRVAR(end_doc, "_pause_end($self, /)\n--\n\n"
                      "Resume the partitions that _pause_begin() and later rebalances paused.");

static PyObject *
pause_end(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return run_step(object, end_locked);
}

PyDoc_STRVAR(lost_doc, "_pause_lost($self, /)\n--\n\n"
                       "Return the partitions that were revoked since _pause_begin().");

/* A copy of one of the fence's sets, which other threads change: TopicPartition list, or NULL. */
static PyObject *
partitions_in(Consumer *self, partition_set *const *of)
{
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    object_mutex_lock(&self->fence.mutex);
    rd_kafka_topic_partition_list_t *copy = rd_kafka_topic_partition_list_copy(*of);
    object_mutex_unlock(&self->fence.mutex);
    PyObject *result = topic_partitions_from(self->client.state, copy);
    rd_kafka_topic_partition_list_destroy(copy);
    client_leave(&self->client);
    return result;
}

static PyObject *
pause_lost(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    return partitions_in(self, &self->fence.lost);
}

PyDoc_STRVAR(paused_doc,
"paused($self, /)\n--\n\n"
"Return the assigned partitions that pause() has paused.\n\n"
"Partitions that pause_while() has paused are not included.\n\n"
"Returns:\n"
"    list of TopicPartition.");

static PyObject *
paused(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    Client *client = &self->client;
    rd_kafka_topic_partition_list_t *assignment = NULL;
    rd_kafka_resp_err_t code;
    if (client_enter(client) < 0) {
        return NULL;
    }
    PyObject *result = NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_assignment(client->rk, &assignment);
    Py_END_ALLOW_THREADS
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(client->state, code, "Failed to get assignment: %s",
                          rd_kafka_err2str(code));
    }
    else {
        /* Leaves out partitions that a callback has paused and that are not assigned yet. */
        partition_set *paused_ones = partition_set_of(assignment);
        object_mutex_lock(&self->fence.mutex);
        partition_set_keep(&paused_ones, self->fence.paused);
        object_mutex_unlock(&self->fence.mutex);
        result = topic_partitions_from(client->state, paused_ones);
        rd_kafka_topic_partition_list_destroy(paused_ones);
        rd_kafka_topic_partition_list_destroy(assignment);
    }
    client_leave(client);
    return result;
}

/* ---- pause_while() ---- */

PyDoc_STRVAR(pause_while_doc,
"pause_while($self, /)\n--\n\n"
"Return a context manager for long work on messages. The consumer stays in its group meanwhile.\n\n"
"Inside the block every assigned partition is paused, and a thread polls ten times a second, so\n"
"that the block may take longer than max.poll.interval.ms. Callbacks (on_assign,\n"
"on_revoke, error_cb ...) run on that thread; the next poll() raises their exceptions. After the\n"
"block, reading continues where it stopped, except for partitions that pause() had paused\n"
"before. Partitions that the group assigns inside the block are paused until its end, too.\n\n"
"The group may revoke partitions inside the block. They are in the ``lost`` attribute of the\n"
"object that the block gets, and they are fenced: commit() and store_offsets() raise for their\n"
"offsets, until a message of the partition is returned after the block. Without the fence, such\n"
"a commit could set back the offsets that the partition's new owner has committed.\n\n"
"::\n\n"
"    messages = consumer.consume(100, 1.0)\n"
"    with consumer.pause_while() as pause:\n"
"        process(messages)\n"
"    if not pause.lost:\n"
"        consumer.commit(asynchronous=False)\n\n"
"Returns:\n"
"    context manager: The block gets an object with one attribute, lost: list of\n"
"    TopicPartition.\n\n"
"Raises:\n"
"    RuntimeError: the block is entered inside another such block (blocks cannot be nested), or\n"
"        inside a callback of this consumer.\n\n"
"librdkafka: rd_kafka_pause_partitions(), rd_kafka_resume_partitions(),\n"
"max.poll.interval.ms (KIP-62).");

static PyObject *
pause_while(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    client_leave(&self->client);
    PyObject *type = import_attribute("confluent_kafka._values.pausing", "PauseWhile");
    PyObject *result = type == NULL ? NULL : PyObject_CallOneArg(type, object);
    Py_XDECREF(type);
    return result;
}

PyMethodDef consumer_pause_methods[] = {
    {"pause_while", pause_while, METH_NOARGS, pause_while_doc},
    {"_pause_begin", pause_begin, METH_NOARGS, begin_doc},
    {"_pause_serve", pause_serve, METH_NOARGS, serve_doc},
    {"_pause_end", pause_end, METH_NOARGS, end_doc},
    {"_pause_lost", pause_lost, METH_NOARGS, lost_doc},
    {"paused", paused, METH_NOARGS, paused_doc},
    {NULL, NULL, 0, NULL},
};

/*
 * lag(): how far behind each assigned partition is, without a request.
 */
#include "consumer/consumer.h"

#include "client/guard.h"
#include "client/serve.h"
#include "values/topic_partition.h"

/*
 * The offset at which reading continues: the position, or before the first message the offset of
 * the assignment; OFFSET_INVALID if only the group's coordinator has it.
 */
static int64_t
next_offset(const rd_kafka_topic_partition_t *position,
            const rd_kafka_topic_partition_list_t *assigned, int64_t low, int64_t high)
{
    if (position->offset >= 0) {
        return position->offset;
    }
    const rd_kafka_topic_partition_t *start = rd_kafka_topic_partition_list_find(
        assigned, position->topic, position->partition);
    int64_t offset = start == NULL ? RD_KAFKA_OFFSET_INVALID : start->offset;
    switch (offset) {
    case RD_KAFKA_OFFSET_BEGINNING:
        return low;
    case RD_KAFKA_OFFSET_END:
        return high;
    default:
        return offset;
    }
}

/* The lag of one partition, or None; new reference. */
static PyObject *
lag_of(Consumer *self, const rd_kafka_topic_partition_t *position,
       const rd_kafka_topic_partition_list_t *assigned)
{
    int64_t low, high;
    rd_kafka_resp_err_t code = rd_kafka_get_watermark_offsets(
        self->client.rk, position->topic, position->partition, &low, &high);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR || high < 0) {
        Py_RETURN_NONE; /* nothing has been fetched yet */
    }
    int64_t next = next_offset(position, assigned, low, high);
    if (next < 0) {
        Py_RETURN_NONE;
    }
    return PyLong_FromLongLong(high > next ? high - next : 0);
}

static int
add_lag(Consumer *self, PyObject *result, const rd_kafka_topic_partition_t *position,
        const rd_kafka_topic_partition_list_t *assigned)
{
    PyObject *key = topic_partition_from(self->client.state, position);
    PyObject *value = key == NULL ? NULL : lag_of(self, position, assigned);
    int failed = value == NULL ? -1 : PyDict_SetItem(result, key, value);
    Py_XDECREF(key);
    Py_XDECREF(value);
    return failed;
}

static PyObject *
lag_locked(Consumer *self, const rd_kafka_topic_partition_list_t *assigned)
{
    rd_kafka_topic_partition_list_t *positions = rd_kafka_topic_partition_list_copy(assigned);
    PyObject *result = PyDict_New();
    if (result != NULL && consumer_positions(self, positions) < 0) {
        Py_CLEAR(result);
    }
    for (int i = 0; result != NULL && i < positions->cnt; i++) {
        if (add_lag(self, result, &positions->elems[i], assigned) < 0) {
            Py_CLEAR(result);
        }
    }
    rd_kafka_topic_partition_list_destroy(positions);
    return result;
}

PyDoc_STRVAR(lag_doc,
"lag($self, /)\n--\n\n"
"Return how many messages each assigned partition is behind, without a request.\n\n"
"The lag is the high watermark of the last fetch minus position(), the next offset for the\n"
"application. It counts offsets, so compacted messages and transaction markers are included, and\n"
"with isolation.level=read_committed also messages of open transactions.\n\n"
"Returns:\n"
"    dict of TopicPartition to int or None: None if nothing has been fetched yet, or if the\n"
"    consumer started from a committed offset and has not returned a message yet. The offsets of\n"
"    the keys are the positions.\n\n"
"librdkafka: rd_kafka_assignment(), rd_kafka_position(), rd_kafka_get_watermark_offsets().");

static PyObject *
lag(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    Client *client = &self->client;
    serving_lock lock;
    if (client_enter(client) < 0) {
        return NULL;
    }
    PyObject *result = NULL;
    if (serve_lock(client, &lock) == 0) {
        rd_kafka_topic_partition_list_t *assigned = NULL;
        rd_kafka_resp_err_t code;
        Py_BEGIN_ALLOW_THREADS
        code = rd_kafka_assignment(client->rk, &assigned);
        Py_END_ALLOW_THREADS
        if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
            raise_kafka_error(client->state, code, "Failed to get assignment: %s",
                              rd_kafka_err2str(code));
        }
        else {
            result = lag_locked(self, assigned);
            rd_kafka_topic_partition_list_destroy(assigned);
        }
        serve_unlock(client, &lock);
    }
    client_leave(client);
    return result;
}

PyMethodDef consumer_lag_methods[] = {
    {"lag", lag, METH_NOARGS, lag_doc},
    {NULL, NULL, 0, NULL},
};

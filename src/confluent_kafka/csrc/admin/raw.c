/*
 * Raw requests as bytes. confluent_kafka.admin makes those that librdkafka has no function for.
 */
#include "admin/admin.h"

#include <stdlib.h>

#include "client/raw_request.h"

#ifdef RD_KAFKA_HAS_RAWREQUEST

typedef struct {
    int32_t api_key, version, target;
    const char *coordinator; /* borrowed from the argument, like the body */
    const char *body;
    size_t size;
} raw_item;

static int
read_fields(PyObject *argument, raw_item *item)
{
    PyObject *body = PyTuple_GET_ITEM(argument, 2);
    PyObject *coordinator = PyTuple_GET_ITEM(argument, 4);
    if (arg_int32(PyTuple_GET_ITEM(argument, 0), "api_key", 0, INT16_MAX, &item->api_key) < 0
        || arg_int32(PyTuple_GET_ITEM(argument, 1), "version", 0, INT16_MAX, &item->version) < 0
        || arg_int32(PyTuple_GET_ITEM(argument, 3), "target", RD_KAFKA_RAWREQUEST_ANY,
                     RD_KAFKA_RAWREQUEST_TXN_COORDINATOR, &item->target)
               < 0) {
        return -1;
    }
    if (!PyBytes_Check(body)) {
        PyErr_Format(PyExc_TypeError, "body must be bytes, not %.100s", Py_TYPE(body)->tp_name);
        return -1;
    }
    item->body = PyBytes_AS_STRING(body);
    item->size = (size_t)PyBytes_GET_SIZE(body);
    item->coordinator = arg_utf8(coordinator, "coordinator", NULL);
    return item->coordinator == NULL ? -1 : 0;
}

/* (API key, version, body with the header's tags, target, coordinator's key). */
static int
read_raw(admin_call *call)
{
    if (!PyTuple_Check(call->argument) || PyTuple_GET_SIZE(call->argument) != 5) {
        PyErr_SetString(PyExc_TypeError, "the argument must be a tuple (api_key, version, body, "
                                         "target, coordinator)");
        return -1;
    }
    raw_item *item = calloc(1, sizeof(*item));
    if (item == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (read_fields(call->argument, item) < 0) {
        free(item);
        return -1;
    }
    return admin_read_one(call, item, free);
}

static void
send_raw(const admin_call *call, rd_kafka_queue_t *queue)
{
    const raw_item *item = call->items[0];
    rd_kafka_RawRequest(call->rk, (int16_t)item->api_key, (int16_t)item->version, item->body,
                        item->size, (rd_kafka_RawRequest_target_t)item->target,
                        item->coordinator, call->options, queue);
}

/* All bytes after the correlation id. */
static PyObject *
answered(module_state *Py_UNUSED(state), rd_kafka_event_t *event)
{
    size_t size = 0;
    const char *data = rd_kafka_event_RawRequest_answer(event, &size);
    return PyBytes_FromStringAndSize(data, (Py_ssize_t)size);
}

const admin_request admin_raw_requests[] = {
    {"raw", RD_KAFKA_ADMIN_OP_ANY, RD_KAFKA_EVENT_RAWREQUEST_RESULT, read_raw, send_raw,
     answered},
    {0},
};

#else

static int
refuse(admin_call *call)
{
    return raw_requests_check(call->state);
}

/* The request without an event: nothing is sent. */
const admin_request admin_raw_requests[] = {
    {"raw", RD_KAFKA_ADMIN_OP_ANY, RD_KAFKA_EVENT_NONE, refuse, NULL, NULL},
    {0},
};

#endif

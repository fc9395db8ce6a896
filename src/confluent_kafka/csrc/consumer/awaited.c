/*
 * Methods for event loops: messages that tasks await.
 */
#include "consumer/consumer.h"

#include <math.h>

#include "client/guard.h"
#include "client/loop.h"
#include "client/serve.h"

/* The general path reports wrong arguments. */
static bool
is_timeout(PyObject *object)
{
    return PyLong_Check(object)
           || (PyFloat_Check(object) && !isnan(PyFloat_AS_DOUBLE(object)));
}

PyDoc_STRVAR(poll_now_doc,
"_poll_now($self, timeout, store, /)\n--\n\n"
"Return the next message without waiting, like poll(0): the fast path of an awaited poll().\n\n"
"Args:\n"
"    timeout (float): the timeout of the awaited call.\n"
"    store (bool or int): whether to store the offset. False leaves that to _store(). A number\n"
"        above 1 is the take in which the message is in flight, see _hand_out().\n\n"
"Returns:\n"
"    Message or None: None also in another thread or loop, after the end of the loop's turn, and\n"
"    if the timeout is not valid.");

SIGNATURE(poll_now_signature, "_poll_now()", 2, 2, P_timeout, P_store);

static PyObject *
poll_now(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[2], *result = NULL;
    deadline now = deadline_after(0);
    handing store;
    if (client_args(&self->client, &poll_now_signature, args, nargs, NULL, values) < 0
        || consumer_handing_from_arg(values[1], "store", &store) < 0) {
        return NULL;
    }
    int found = loop_check_turn(&self->client);
    if (found == 1) {
        found = is_timeout(values[0]) ? consumer_poll_message(self, &now, store, &result) : 0;
    }
    return found < 0 ? NULL : found == 0 ? Py_NewRef(Py_None) : result;
}

PyDoc_STRVAR(consume_now_doc,
"_consume_now($self, num_messages, store, /)\n--\n\n"
"Return a number of messages if that needs no waiting: the fast path of an awaited\n"
"consume().\n\n"
"Args:\n"
"    num_messages (int): the number of messages.\n"
"    store (bool or int): as for _poll_now().\n\n"
"Returns:\n"
"    list of Message: Empty if there are fewer messages, which wait for the next call. Also empty\n"
"    if more than 10,000 are wanted, in another thread or loop, and after the end of the loop's\n"
"    turn.");

SIGNATURE(consume_now_signature, "_consume_now()", 2, 2, P_num_messages, P_store);

static PyObject *
consume_now(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[2];
    int32_t wanted;
    handing store;
    if (client_args(&self->client, &consume_now_signature, args, nargs, NULL, values) < 0
        || consumer_count_from_arg(values[0], &wanted) < 0
        || consumer_handing_from_arg(values[1], "store", &store) < 0) {
        return NULL;
    }
    int may = wanted > LONGEST_STEP ? 0 : loop_check_turn(&self->client);
    return may < 0 ? NULL
         : may == 0 ? PyList_New(0)
                    : consumer_consume_now(self, wanted, true, store);
}

PyDoc_STRVAR(gather_doc,
"_gather($self, num_messages, /)\n--\n\n"
"Fetch without waiting until this number of messages is buffered for consume().\n\n"
"Serves callbacks. Buffered messages have not been handed out: a rebalance, seek() or pause()\n"
"may remove them. Returns the number of buffered messages.");

static PyObject *
gather(PyObject *object, PyObject *argument)
{
    Consumer *self = (Consumer *)object;
    Client *client = &self->client;
    int32_t wanted;
    deadline now = deadline_after(0);
    serve_frame frame;
    if (consumer_count_from_arg(argument, &wanted) < 0 || client_enter(client) < 0) {
        return NULL;
    }
    size_t count = 0;
    int result = serve_begin(client, &frame, &now);
    if (result == 1) {
        result = serve_is_nested(client) ? 0 : consumer_gather(self, (size_t)wanted);
        count = self->read_ahead.count;
        serve_end(client, &frame);
    }
    client_leave(client);
    return result < 0 ? NULL : PyLong_FromSize_t(count);
}

PyDoc_STRVAR(take_doc,
"_take($self, num_messages, store, /)\n--\n\n"
"Return messages like consume(num_messages, 0).\n\n"
"Args:\n"
"    num_messages (int): the maximum number of messages.\n"
"    store (bool or int): as for _poll_now().");

SIGNATURE(take_signature, "_take()", 2, 2, P_num_messages, P_store);

static PyObject *
take(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[2];
    int32_t wanted;
    handing store;
    if (client_args(&self->client, &take_signature, args, nargs, NULL, values) < 0
        || consumer_count_from_arg(values[0], &wanted) < 0
        || consumer_handing_from_arg(values[1], "store", &store) < 0) {
        return NULL;
    }
    return consumer_consume_now(self, wanted, false, store);
}

PyMethodDef consumer_awaited_methods[] = {
    {"_poll_now", WITHOUT_KEYWORDS(poll_now), poll_now_doc},
    {"_consume_now", WITHOUT_KEYWORDS(consume_now), consume_now_doc},
    {"_gather", gather, METH_O, gather_doc},
    {"_take", WITHOUT_KEYWORDS(take), take_doc},
    {NULL, NULL, 0, NULL},
};

/*
 * Methods for event loops: messages whose deliveries are awaited.
 */
#include "producer/producer.h"

#include "client/exceptions.h"
#include "client/guard.h"
#include "client/loop.h"
#include "client/serve.h"

/*
 * Between serve_begin() and serve_end(): the number of reports and callbacks served, or -1. If a
 * callback raises an Exception, the other reports and callbacks are still served. If it raises
 * something else, such as KeyboardInterrupt, the next call serves the rest.
 */
static Py_ssize_t
settle_ready(Producer *self, deadline *turn)
{
    Client *client = &self->client;
    bool was_in_loop = self->in_loop;
    bool held = client_hold_parked(client);
    Py_ssize_t served_before = serve_count(client);
    self->in_loop = true;
    Py_ssize_t count = producer_settle_put_off(self);
    if (count < 0) {
        client_park_exception(client);
        count = 0;
    }
    while (!client_has_parked(client) && producer_serve_event(self, &count)
           && !deadline_passed(turn)) {
    }
    self->in_loop = was_in_loop;
    count += serve_count(client) - served_before;
    return client_raise_held(client, held, 0) < 0 ? -1 : count;
}

PyDoc_STRVAR(settle_doc,
"_settle($self, seconds, /)\n--\n\n"
"Settle the futures of _send() whose messages were delivered or have failed, in order, and serve\n"
"other callbacks. Only for the thread of their event loop. Does not wait.\n\n"
"A future that is already done (cancelled) is skipped. A failed message settles its future with\n"
"its own KafkaException, whose `kafka_message` is the Message.\n\n"
"Args:\n"
"    seconds (float): the time after which the rest is left to the next call.\n\n"
"Returns:\n"
"    int: The number of delivery reports and callbacks that were served.\n\n"
"Raises:\n"
"    Exception: a future or a callback raised it; all others have been served.");

static PyObject *
settle(PyObject *object, PyObject *seconds)
{
    Producer *self = (Producer *)object;
    deadline at_once = deadline_after(0), turn;
    if (deadline_from_arg(seconds, "seconds", &turn) < 0 || client_enter(&self->client) < 0) {
        return NULL;
    }
    serve_frame frame;
    Py_ssize_t count = serve_begin(&self->client, &frame, &at_once);
    if (count == 1) {
        count = settle_ready(self, &turn);
        serve_end(&self->client, &frame);
    }
    else if (count == 0) {
        count = producer_settle_put_off(self); /* another thread serves the other events */
    }
    client_leave(&self->client);
    return count < 0 ? NULL : PyLong_FromSsize_t(count);
}

PyDoc_STRVAR(send_now_doc,
"_send_now($self, topic, value, key, partition, timestamp, headers, /)\n--\n\n"
"Enqueue a message as _send() does, with a new future: the fast path of an awaited produce().\n\n"
"Returns:\n"
"    The future; or None if nothing was enqueued: in another thread or loop, after the end of the\n"
"    loop's turn, and while the queue is full.\n\n"
"Raises:\n"
"    KafkaException: the message was refused.");

#define SEND_NOW_ARGUMENTS 6

static PyObject *
send_now(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    Producer *self = (Producer *)object;
    if (nargs != SEND_NOW_ARGUMENTS) {
        PyErr_Format(PyExc_TypeError, "_send_now() takes %d arguments, not %zd",
                     SEND_NOW_ARGUMENTS, nargs);
        return NULL;
    }
    int result = loop_check_turn(&self->client);
    if (result <= 0) {
        return result < 0 ? NULL : Py_NewRef(Py_None);
    }
    PyObject *future = loop_create_future(&self->client);
    if (future == NULL) {
        return NULL;
    }
    result = producer_send_to(self, recipient_future(future), args);
    if (result == 1) {
        return future;
    }
    Py_DECREF(future);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyMethodDef producer_awaited_methods[] = {
    {"_send", WITHOUT_KEYWORDS(producer_send), producer_send_doc},
    {"_send_batch", WITHOUT_KEYWORDS(producer_send_batch), producer_send_batch_doc},
    {"_import_rows", WITHOUT_KEYWORDS(producer_import_rows), producer_import_rows_doc},
    {"_send_rows", WITHOUT_KEYWORDS(producer_send_rows), producer_send_rows_doc},
    {"_send_now", WITHOUT_KEYWORDS(send_now), send_now_doc},
    {"_settle", settle, METH_O, settle_doc},
    {"_settle_as", WITHOUT_KEYWORDS(producer_settle_as), producer_settle_as_doc},
    {NULL, NULL, 0, NULL},
};

/*
 * What an event loop calls: messages whose deliveries are awaited.
 */
#include "producer/producer.h"

#include "client/exceptions.h"
#include "client/guard.h"
#include "client/serve.h"

/*
 * Between serve_begin() and serve_end(): how many reports and callbacks, or -1. An exception of one
 * does not keep the others, unless it is no Exception: then the rest is for the next call.
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
"other callbacks; for the thread of their event loop. Does not wait.\n\n"
"A future that is done (cancelled) is left alone. The exception of a message that failed is a\n"
"KafkaException of its own, whose `kafka_message` is the Message.\n\n"
"Args:\n"
"    seconds (float): after which what is left is for the next call, see _queue_length().\n\n"
"Returns:\n"
"    int: Delivery reports and callbacks served.\n\n"
"Raises:\n"
"    Exception: raised by a future or callback, when all have been served.");

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
        count = producer_settle_put_off(self); /* another thread serves: the rest is for it */
    }
    client_leave(&self->client);
    return count < 0 ? NULL : PyLong_FromSsize_t(count);
}

#define WITHOUT_KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL

PyMethodDef producer_awaited_methods[] = {
    {"_send", WITHOUT_KEYWORDS(producer_send), producer_send_doc},
    {"_send_batch", WITHOUT_KEYWORDS(producer_send_batch), producer_send_batch_doc},
    {"_import_rows", WITHOUT_KEYWORDS(producer_import_rows), producer_import_rows_doc},
    {"_send_rows", WITHOUT_KEYWORDS(producer_send_rows), producer_send_rows_doc},
    {"_settle", settle, METH_O, settle_doc},
    {"_settle_as", WITHOUT_KEYWORDS(producer_settle_as), producer_settle_as_doc},
    {NULL, NULL, 0, NULL},
};

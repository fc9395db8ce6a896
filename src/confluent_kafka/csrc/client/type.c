/*
 * The base type of all clients, with the methods that have no file of their own.
 */
#include "client/client.h"

#include <stddef.h>
#include <structmember.h>

#include "client/callbacks.h"
#include "client/close.h"
#include "client/cluster.h"
#include "client/connect.h"
#include "client/core.h"
#include "client/diagnosis.h"
#include "client/guard.h"
#include "client/io_event.h"
#include "client/life.h"
#include "client/loop.h"
#include "client/raw_request.h"
#include "client/oauth.h"
#include "client/request.h"
#include "client/serve.h"
#include "client/signals.h"

/* ---- credentials, wakeup, context manager ---- */

PyDoc_STRVAR(set_sasl_credentials_doc,
"set_sasl_credentials($self, /, username, password)\n--\n\n"
"Replace the SASL credentials for new connections.\n\n"
"Existing connections stay open. PLAIN and SCRAM mechanisms use the new credentials when\n"
"they reconnect.\n\n"
"Args:\n"
"    username (str): the new user name.\n"
"    password (str): its password.\n\n"
"librdkafka: rd_kafka_sasl_set_credentials().");

SIGNATURE(set_sasl_credentials_signature, "set_sasl_credentials()", 2, 2, P_username,
          P_password);

static PyObject *
set_sasl_credentials(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[2];
    if (client_args_or(self, self->words->credentials_closed, &set_sasl_credentials_signature,
                       args, nargs, kwnames, values)
        < 0) {
        return NULL;
    }
    const char *username = arg_utf8(values[0], "username", NULL);
    const char *password = username == NULL ? NULL : arg_utf8(values[1], "password", NULL);
    if (password == NULL || client_enter_or(self, self->words->credentials_closed) < 0) {
        return NULL;
    }
    rd_kafka_error_t *error;
    Py_BEGIN_ALLOW_THREADS
    error = rd_kafka_sasl_set_credentials(self->rk, username, password);
    Py_END_ALLOW_THREADS
    int failed = raise_if_error(self->state, error);
    client_leave(self);
    return failed < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(check_open_doc,
"_check_open($self, /)\n--\n\n"
"Raise the RuntimeError of a client that is closed, or not open yet.");

static PyObject *
check_open(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Client *self = (Client *)object;
    if (client_enter(self) < 0) {
        return NULL;
    }
    client_leave(self);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(wakeup_doc,
"wakeup($self, /)\n--\n\n"
"Make a call that waits in another thread return now.\n\n"
"poll(), consume() and flush() return as if their timeout had passed, iteration ends,\n"
"and requests such as list_topics() raise KafkaException(_INTR). If no call is waiting,\n"
"the next call that would wait returns at once. Safe from any thread and from signal\n"
"handlers.\n\n"
"librdkafka: rd_kafka_queue_yield().");

static PyObject *
wakeup(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Client *self = (Client *)object;
    if (client_enter(self) < 0) {
        return NULL;
    }
    serve_wake(self);
    core_wake(self->core);
    requests_wake(self);
    client_leave(self);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(enter_doc, "__enter__($self, /)\n--\n\n"
                        "Return the client, even if it is closed. The block's end closes it.");

static PyObject *
enter(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return Py_NewRef(object);
}

PyDoc_STRVAR(exit_doc, "__exit__($self, exc_type, exc_value, traceback, /)\n--\n\n"
                       "Call close(). After an exception in the block it waits at most 5 s.");

static PyObject *
exit_(PyObject *object, PyObject *exception)
{
    PyObject *type, *value, *traceback;
    if (!PyArg_UnpackTuple(exception, "__exit__()", 3, 3, &type, &value, &traceback)) {
        return NULL;
    }
    if (type != Py_None) {
        client_hurry((Client *)object);
    }
    PyObject *closed = PyObject_CallMethod(object, "close", NULL);
    if (closed == NULL) {
        return NULL;
    }
    Py_DECREF(closed);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(be_called_doc,
"_be_called($self, name, /)\n--\n\n"
"Set the name of the application's class that wraps this client, for errors.\n\n"
"Call it only before other threads know the client: they may read the name.");

static PyObject *
be_called(PyObject *object, PyObject *name)
{
    Client *self = (Client *)object;
    if (arg_utf8(name, "name", NULL) == NULL || client_enter(self) < 0) {
        return NULL;
    }
    Py_XSETREF(self->called, Py_NewRef(name));
    client_leave(self);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(close_soon_doc, "_close_soon($self, /)\n--\n\n"
                             "Let close() wait at most 5 s, and log what it gives up.");

static PyObject *
close_soon(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Client *self = (Client *)object;
    if (client_enter(self) < 0) {
        return NULL;
    }
    client_hurry(self);
    client_leave(self);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(reduce_doc, "__reduce__($self, /)\n--\n\n"
                         "Refuse: a client is a set of connections and threads.");

static PyObject *
reduce(PyObject *object, PyObject *Py_UNUSED(unused))
{
    PyErr_Format(PyExc_TypeError,
                 "cannot pickle %s: send its configuration dict and create the client in the "
                 "other process",
                 Py_TYPE(object)->tp_name);
    return NULL;
}

/* ---- last_error ---- */

PyDoc_STRVAR(last_error_doc,
"The latest KafkaError for error_cb, recorded even without an error_cb; None before the first.\n\n"
"It stays set after the client has recovered, and after close(). Errors are recorded by the calls\n"
"that serve callbacks: poll(), consume(), flush(), connect().");

static PyObject *
last_error(PyObject *object, void *Py_UNUSED(closure))
{
    Client *self = (Client *)object;
    return diagnosis_last_error(&self->diagnosis);
}

/* ---- _closed ---- */

PyDoc_STRVAR(closed_doc,
"Whether the client is closed. A close() that was refused, or interrupted by a signal, leaves\n"
"it open.");

static PyObject *
closed(PyObject *object, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(client_is_closed((Client *)object));
}

/* ---- _is_turn ---- */

PyDoc_STRVAR(is_turn_doc,
"Whether this thread runs the loop of _join_loop() and its turn is not over.");

static PyObject *
is_turn(PyObject *object, void *Py_UNUSED(closure))
{
    int result = loop_is_turn((Client *)object);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

/* ---- _oauth_timeout ---- */

PyDoc_STRVAR(oauth_timeout_doc,
"How many seconds __init__() waits for the first token of oauth_cb.");

static PyGetSetDef client_getters[] = {
    {"_closed", closed, NULL, closed_doc, NULL},
    {"_is_turn", is_turn, NULL, is_turn_doc, NULL},
    {"_oauth_timeout", oauth_timeout, NULL, oauth_timeout_doc, NULL},
    {"last_error", last_error, NULL, last_error_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- stats() ---- */

PyDoc_STRVAR(stats_doc,
"stats($self, /)\n--\n\n"
"Return the latest statistics of the client.\n\n"
"librdkafka makes statistics every statistics.interval.ms, which is off by default. The calls\n"
"that serve callbacks also pass them to stats_cb, if there is one. If no such call was made for\n"
"a while, stats_cb gets only the latest statistics.\n\n"
"Returns:\n"
"    confluent_kafka.statistics.Statistics or None: None before the first statistics.\n\n"
"Source: STATISTICS.md of librdkafka.");

static PyObject *
stats(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Client *self = (Client *)object;
    if (client_enter(self) < 0) {
        return NULL;
    }
    PyObject *json = callbacks_latest_statistics(self);
    client_leave(self);
    if (json == NULL || json == Py_None) {
        return json;
    }
    PyObject *result = NULL;
    PyObject *parse = import_attribute("confluent_kafka._values.statistics", "from_json");
    if (parse != NULL) {
        result = PyObject_CallOneArg(parse, json);
        Py_DECREF(parse);
    }
    Py_DECREF(json);
    return result;
}

/* ---- the type ---- */

static PyMethodDef client_methods[] = {
    {"set_sasl_credentials", WITH_KEYWORDS(set_sasl_credentials),
     set_sasl_credentials_doc},
    {"stats", stats, METH_NOARGS, stats_doc},
    {"_check_open", check_open, METH_NOARGS, check_open_doc},
    {"wakeup", wakeup, METH_NOARGS, wakeup_doc},
    {"__enter__", enter, METH_NOARGS, enter_doc},
    {"__exit__", exit_, METH_VARARGS, exit_doc},
    {"_close_soon", close_soon, METH_NOARGS, close_soon_doc},
    {"_be_called", be_called, METH_O, be_called_doc},
    {"__reduce__", reduce, METH_NOARGS, reduce_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef client_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Client, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(client_doc, "The base class of Producer, Consumer and the admin client.");

static int
traverse(PyObject *object, visitproc visit, void *arg)
{
    return client_traverse((Client *)object, visit, arg);
}

static int
clear(PyObject *object)
{
    return client_clear((Client *)object);
}

static void
dealloc(PyObject *object)
{
    if (client_dealloc_begin(object)) {
        client_dealloc_end(object);
    }
}

static PyType_Slot client_slots[] = {
    {Py_tp_doc, (void *)client_doc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_dealloc, dealloc},
    {Py_tp_methods, client_methods},
    {Py_tp_members, client_members},
    {Py_tp_getset, client_getters},
    {0, NULL},
};

static PyType_Spec client_spec = {
    .name = "confluent_kafka.cimpl._Client",
    .basicsize = sizeof(Client),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC
             | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = client_slots,
};

int
client_type_add(PyObject *module, module_state *state)
{
    state->Client = module_add_type(module, &client_spec, NULL);
    if (state->Client == NULL || module_add_methods(state->Client, connect_methods) < 0
        || module_add_methods(state->Client, cluster_methods) < 0
        || module_add_methods(state->Client, raw_request_methods) < 0
        || module_add_methods(state->Client, io_event_methods) < 0
        || module_add_methods(state->Client, loop_methods) < 0
        || module_add_methods(state->Client, signal_methods) < 0) {
        return -1;
    }
    return 0;
}

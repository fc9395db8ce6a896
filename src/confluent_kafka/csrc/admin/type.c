/*
 * The type _AdminClient: creating and closing it, its callbacks, and the frame of every request.
 */
#include "admin/admin.h"

#include <stdlib.h>
#include <string.h>

#include "client/close.h"
#include "client/config.h"
#include "client/exceptions.h"
#include "client/guard.h"
#include "client/life.h"
#include "client/serve.h"

static const python_key admin_keys[] = {
    {NULL, 0, CONFIG_CALLABLE},
};

static void
call_clear(admin_call *call)
{
    for (size_t i = 0; call->destroy_item != NULL && i < call->count; i++) {
        call->destroy_item(call->items[i]);
    }
    PyMem_Free(call->items);
    if (call->options != NULL) {
        rd_kafka_AdminOptions_destroy(call->options);
    }
    Py_CLEAR(call->argument);
}

/* ---- the frame ---- */

/* The client's AdminAnswers, created with the first request; borrowed. */
static PyObject *
answers_of(AdminClient *self)
{
    PyObject *answers;
    Py_BEGIN_CRITICAL_SECTION(self);
    if (self->answers == NULL) {
        PyObject *started = admin_answers_start(&self->client);
        if (self->answers == NULL) {
            self->answers = started;
        }
        else if (started != NULL) {
            admin_answers_stop(started, true); /* another thread has created one first */
        }
    }
    answers = self->answers;
    Py_END_CRITICAL_SECTION();
    return answers;
}

/* Called inside the client's guard: 0, or -1 with an exception, and nothing was sent. If
 * `on_answer` is NULL, it only checks the arguments. */
static int
send_request(AdminClient *self, admin_call *call, PyObject *options, PyObject *on_answer)
{
    call->rk = self->client.rk;
    call->options = admin_options_from(call->rk, call->request, options);
    if (call->options == NULL || call->request->read(call) < 0) {
        return -1;
    }
    if (on_answer == NULL) {
        return 0;
    }
    PyObject *answers = answers_of(self);
    return answers == NULL ? -1 : admin_answers_send(answers, call, on_answer);
}

PyDoc_STRVAR(request_doc,
"_request($self, request, argument, options, on_answer, /)\n--\n\n"
"Send a request. A callback gets its answer.\n\n"
"Args:\n"
"    request (str): the kind of request, for example 'create_topics'.\n"
"    argument (object): the argument of this kind of request.\n"
"    options (dict): request_timeout, operation_timeout (float, seconds), validate_only (bool),\n"
"        broker (int) ...; None means not given.\n"
"    on_answer (callable(result, exception, cluster_id) or None): called once, on a thread of\n"
"        the client. Either result or exception is None, and cluster_id is None if it is unknown.\n"
"        If it raises MemoryError, it is called again with that error.\n"
"        With None, the arguments are checked and nothing is sent.\n\n"
"Raises:\n"
"    TypeError, ValueError: nothing has been sent, and on_answer will not be called.\n\n"
"librdkafka: the Admin API.");

static PyObject *
request(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    AdminClient *self = (AdminClient *)object;
    PyObject *on_answer;
    if (nargs != 4) {
        PyErr_Format(PyExc_TypeError, "_request() takes 4 arguments (%zd given)", nargs);
        return NULL;
    }
    const admin_request *kind = admin_request_by_name(args[0]);
    if (kind == NULL || arg_callable(args[3], "on_answer", &on_answer) < 0) {
        return NULL;
    }
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    admin_call call = {.state = self->client.state,
                       .request = kind,
                       .argument = Py_NewRef(args[1])};
    int result = send_request(self, &call, args[2], on_answer);
    call_clear(&call);
    client_leave(&self->client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(answer_in_loop_doc,
"_answer_in_loop($self, /)\n--\n\n"
"Use no thread for answers. An answer writes to the descriptor of io_event_enable(), and\n"
"_serve_answers() calls its callback. Call it before the first request.\n\n"
"If the client is deleted without close(), pending callbacks are not called: the garbage\n"
"collector may be deleting them, too.");

static PyObject *
answer_in_loop(PyObject *object, PyObject *Py_UNUSED(unused))
{
    AdminClient *self = (AdminClient *)object;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    Py_BEGIN_CRITICAL_SECTION(self);
    if (self->answers == NULL) {
        self->answers = admin_answers_start_polled(&self->client);
    }
    else {
        PyErr_SetString(PyExc_RuntimeError, "call _answer_in_loop() before the first request");
    }
    Py_END_CRITICAL_SECTION();
    client_leave(&self->client);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(serve_answers_doc,
"_serve_answers($self, /)\n--\n\n"
"Call the callbacks of the answers that have arrived, without waiting; see _answer_in_loop().");

static PyObject *
serve_answers(PyObject *object, PyObject *Py_UNUSED(unused))
{
    AdminClient *self = (AdminClient *)object;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    if (self->answers != NULL) {
        admin_answers_serve(self->answers);
    }
    client_leave(&self->client);
    Py_RETURN_NONE;
}

/* ---- creation and deletion ---- */

/* Ends the waiting for answers, before the handle ends. */
static void
admin_release(Client *client)
{
    AdminClient *self = (AdminClient *)client;
    PyObject *answers = self->answers;
    self->answers = NULL;
    if (answers != NULL) {
        admin_answers_stop(answers, client_is_closed(client));
    }
}

static int
serve_once(Client *client, int timeout_ms)
{
    serve_release_gil(client);
    rd_kafka_poll(client->rk, timeout_ms);
    serve_take_gil(client);
    return 0;
}

static const client_kind admin_kind = {
    .type = RD_KAFKA_PRODUCER,
    .create = client_create_producer,
    .release = admin_release,
    .serve = serve_once,
};

static PyObject *
admin_new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    static const client_words words = {
        .name = "AdminClient",
        .noun = "admin client",
        .closed = "AdminClient has been closed",
        .credentials_closed = HANDLE_CLOSED,
    };
    return client_new(type, &words);
}

static int
open_admin(PyObject *object, PyObject *args, PyObject *kwargs)
{
    Client *client = (Client *)object;
    rd_kafka_conf_t *conf = config_read(client, args, kwargs, admin_keys);
    if (conf == NULL) {
        return -1;
    }
    return client_open(client, &admin_kind, conf);
}

static int
admin_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    Client *client = (Client *)object;
    if (client_init_begin(client) < 0) {
        return -1;
    }
    return client_init_end(client, open_admin(object, args, kwargs));
}

static int
admin_traverse(PyObject *object, visitproc visit, void *arg)
{
    AdminClient *self = (AdminClient *)object;
    Py_VISIT(self->answers);
    return client_traverse(&self->client, visit, arg);
}

static int
admin_clear(PyObject *object)
{
    return client_clear((Client *)object);
}

static void
admin_dealloc(PyObject *object)
{
    if (!client_dealloc_begin(object)) {
        return;
    }
    Py_CLEAR(((AdminClient *)object)->answers); /* in a forked child its thread is the parent's */
    client_dealloc_end(object);
}

/* ---- poll, close ---- */

/* Between serve_begin() and serve_end(): the number of callbacks served, or -1. */
static Py_ssize_t
serve_callbacks(Client *client, deadline *until)
{
    Py_ssize_t served_before = serve_count(client);
    int timeout_ms = 0;
    for (;;) {
        (void)serve_once(client, timeout_ms);
        if (serve_raise_parked(client) < 0) {
            return -1;
        }
        Py_ssize_t served = serve_count(client) - served_before;
        if (served > 0 || deadline_passed(until)) {
            return served;
        }
        int go_on = serve_check(client);
        if (go_on <= 0) {
            return go_on;
        }
        timeout_ms = deadline_remaining_ms(until, WAIT_SLICE_MS);
    }
}

PyDoc_STRVAR(poll_doc,
"poll($self, /, timeout=-1)\n--\n\n"
"Serve error_cb, stats_cb, throttle_cb and the logger.\n\n"
"Answers do not need poll(): futures get their results without it.\n\n"
"Args:\n"
"    timeout (float): seconds to wait for something to serve; -1 waits without limit, 0 does\n"
"        not wait.\n\n"
"Returns:\n"
"    int: The number of callbacks that were served.\n\n"
"Raises:\n"
"    Exception: a callback raised it.\n\n"
"librdkafka: rd_kafka_poll().");

SIGNATURE(poll_signature, "poll()", 0, 1, P_timeout);

static PyObject *
poll(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Client *client = (Client *)object;
    PyObject *values[1];
    deadline until;
    if (client_args(client, &poll_signature, args, nargs, kwnames, values) < 0
        || deadline_from_arg(values[0], "timeout", &until) < 0 || client_enter(client) < 0) {
        return NULL;
    }
    serve_frame frame;
    Py_ssize_t served = serve_begin(client, &frame, &until);
    if (served == 1) {
        served = serve_callbacks(client, &until);
        serve_end(client, &frame);
    }
    client_leave(client);
    return served < 0 ? NULL : PyLong_FromSsize_t(served);
}

PyDoc_STRVAR(close_doc,
"close($self, /)\n--\n\n"
"End the client. Futures without an answer fail with KafkaException(_DESTROY). The cluster may\n"
"or may not have carried out their requests.\n\n"
"close() waits for other threads to leave their calls. Closing a closed client does nothing.\n\n"
"Raises:\n"
"    RuntimeError: the call is made in one of the client's callbacks.\n"
"    Exception: a callback raised it; the client is closed all the same.\n\n"
"librdkafka: rd_kafka_destroy().");

static PyObject *
close_(PyObject *object, PyObject *Py_UNUSED(unused))
{
    deadline never = DEADLINE_NEVER;
    if (client_close((Client *)object, NULL, &never) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* ---- the type ---- */

static Py_ssize_t
admin_length(PyObject *object)
{
    AdminClient *self = (AdminClient *)object;
    if (client_has_no_handle(&self->client)) {
        return 0;
    }
    if (client_enter(&self->client) < 0) {
        return -1;
    }
    Py_ssize_t pending;
    Py_BEGIN_CRITICAL_SECTION(self); /* another thread may be sending the first request */
    pending = self->answers == NULL ? 0 : admin_answers_pending(self->answers);
    Py_END_CRITICAL_SECTION();
    client_leave(&self->client);
    return pending;
}

static int
admin_bool(PyObject *Py_UNUSED(object))
{
    return 1; /* `if client:` asks whether there is a client, not whether it is busy */
}

static PyMethodDef admin_methods[] = {
    {"_request", (PyCFunction)(void (*)(void))request, METH_FASTCALL, request_doc},
    {"_answer_in_loop", answer_in_loop, METH_NOARGS, answer_in_loop_doc},
    {"_serve_answers", serve_answers, METH_NOARGS, serve_answers_doc},
    {"list_groups", WITH_KEYWORDS(admin_list_groups), admin_list_groups_doc},
    {"poll", WITH_KEYWORDS(poll), poll_doc},
    {"close", close_, METH_NOARGS, close_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(admin_doc,
"_AdminClient(config={}, /, **kwargs)\n--\n\n"
"The part of confluent_kafka.admin.AdminClient that is written in C.");

static PyType_Slot admin_slots[] = {
    {Py_tp_doc, (void *)admin_doc},
    {Py_tp_new, admin_new},
    {Py_tp_init, admin_init},
    {Py_tp_traverse, admin_traverse},
    {Py_tp_clear, admin_clear},
    {Py_tp_finalize, client_finalize},
    {Py_tp_dealloc, admin_dealloc},
    {Py_tp_methods, admin_methods},
    {Py_sq_length, admin_length},
    {Py_nb_bool, admin_bool},
    {0, NULL},
};

static PyType_Spec admin_spec = {
    .name = "confluent_kafka.cimpl._AdminClient",
    .basicsize = sizeof(AdminClient),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = admin_slots,
};

int
admin_client_type_add(PyObject *module, module_state *state)
{
    state->AdminClient = module_add_type(module, &admin_spec, state->Client);
    return state->AdminClient == NULL ? -1 : 0;
}

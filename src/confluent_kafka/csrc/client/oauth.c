#include "client/oauth.h"

#include "client/callbacks.h"
#include "client/core.h"
#include "client/guard.h"
#include "client/log_ring.h"
#include "client/registry.h"
#include "client/signals.h"
#include "client/worker.h"

typedef struct {
    PyObject_HEAD
    worker worker; /* waits on librdkafka's SASL queue */
    /* A weak reference to the client, because its oauth_cb may refer to the client itself. */
    PyObject *client;
    PyObject *config; /* the value of sasl.oauthbearer.config, str */
    /*
     * For oauth_wait(): the thread releases it once, after it has answered the first request, or if
     * nobody should wait for that. `failure` is set before; the thread does not use it afterwards.
     */
    PyThread_type_lock answered;
    bool first_answered; /* used by the thread only */
    PyObject *failure;   /* the exception of the first call of oauth_cb, or NULL */
} TokenRefresher;

/* Runs inside rd_kafka_queue_poll_callback() in run(); the token is made after that returns. */
static void
on_token_wanted(rd_kafka_t *Py_UNUSED(rk), const char *Py_UNUSED(config), void *opaque)
{
    client_core *core = opaque;
    atomic_store(&core->token_wanted, true);
}

void
oauth_configure(Client *self, rd_kafka_conf_t *conf)
{
    if (self->tokens.oauth_cb == NULL) {
        return;
    }
    rd_kafka_conf_enable_sasl_queue(conf, 1);
    rd_kafka_conf_set_oauthbearer_token_refresh_cb(conf, on_token_wanted);
}

/* ---- from the result of oauth_cb to rd_kafka_oauthbearer_set_token() ---- */

typedef struct {
    const char *token;
    int64_t expiry_ms;
    const char *principal;
    const char **extensions;  /* name, value, name, value ... */
    size_t extension_count;   /* the number of texts */
    PyObject *extension_dict; /* owns the texts */
} token_parts;

static int
read_extensions(PyObject *extensions, token_parts *parts)
{
    if (!PyDict_Check(extensions)) {
        PyErr_Format(PyExc_TypeError, "extensions that oauth_cb returns must be dict, not %.100s",
                     Py_TYPE(extensions)->tp_name);
        return -1;
    }
    /* A copy: the caller may change its dict while librdkafka reads the texts without the GIL. */
    parts->extension_dict = PyDict_Copy(extensions);
    if (parts->extension_dict == NULL) {
        return -1;
    }
    size_t count = (size_t)PyDict_GET_SIZE(parts->extension_dict);
    parts->extensions = PyMem_Calloc(count * 2 + 1, sizeof(char *));
    if (parts->extensions == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *name, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(parts->extension_dict, &position, &name, &value)) {
        const char *name_text = arg_utf8(name, "extension name of oauth_cb", NULL);
        const char *value_text =
            name_text == NULL ? NULL : arg_utf8(value, "extension value of oauth_cb", NULL);
        if (value_text == NULL) {
            return -1;
        }
        parts->extensions[parts->extension_count++] = name_text;
        parts->extensions[parts->extension_count++] = value_text;
    }
    return 0;
}

static int
read_token(PyObject *result, token_parts *parts)
{
    if (!PyTuple_Check(result) || PyTuple_GET_SIZE(result) < 2
        || PyTuple_GET_SIZE(result) > 4) {
        PyErr_Format(PyExc_TypeError,
                     "oauth_cb must return a tuple (token, expiry in seconds since the "
                     "epoch[, principal[, extensions]]), not %.100s",
                     Py_TYPE(result)->tp_name);
        return -1;
    }
    double expiry;
    parts->token = arg_utf8(PyTuple_GET_ITEM(result, 0), "token of oauth_cb", NULL);
    if (parts->token == NULL
        || arg_double(PyTuple_GET_ITEM(result, 1), "expiry of oauth_cb", &expiry) < 0) {
        return -1;
    }
    if (expiry < 0 || expiry > 1e13) {
        PyErr_SetString(PyExc_ValueError,
                        "expiry of oauth_cb must be seconds since the epoch");
        return -1;
    }
    parts->expiry_ms = (int64_t)(expiry * 1000);
    parts->principal = "";
    if (PyTuple_GET_SIZE(result) > 2) {
        parts->principal =
            arg_utf8(PyTuple_GET_ITEM(result, 2), "principal of oauth_cb", NULL);
        if (parts->principal == NULL) {
            return -1;
        }
    }
    if (PyTuple_GET_SIZE(result) > 3) {
        return read_extensions(PyTuple_GET_ITEM(result, 3), parts);
    }
    return 0;
}

static int
set_token(TokenRefresher *self, const token_parts *parts)
{
    char reason[512];
    rd_kafka_resp_err_t code;
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_oauthbearer_set_token(self->worker.core->rk, parts->token, parts->expiry_ms,
                                          parts->principal, parts->extensions,
                                          parts->extension_count, reason, sizeof(reason));
    Py_END_ALLOW_THREADS
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(module_state_of_type(Py_TYPE(self)), code,
                          "the token of oauth_cb was refused: %s", reason);
        return -1;
    }
    return 0;
}

/* Lets oauth_wait() continue. Takes ownership of `failure`, which may be NULL. */
static void
end_first_wait(TokenRefresher *self, PyObject *failure)
{
    if (self->first_answered) {
        Py_XDECREF(failure);
        return;
    }
    self->first_answered = true;
    self->failure = failure;
    PyThread_release_lock(self->answered);
}

/*
 * The result of oauth_cb; new reference. In an asyncio client, oauth_cb returns a function if the
 * token comes from a coroutine: the coroutine runs in the event loop, which __init__() must not
 * block.
 */
static PyObject *
call_oauth_cb(TokenRefresher *self, PyObject *oauth_cb)
{
    PyObject *result = PyObject_CallOneArg(oauth_cb, self->config);
    if (result != NULL && PyCallable_Check(result)) {
        end_first_wait(self, NULL);
        Py_SETREF(result, PyObject_CallNoArgs(result));
    }
    return result;
}

static int
refresh(TokenRefresher *self, PyObject *oauth_cb)
{
    PyObject *result = call_oauth_cb(self, oauth_cb);
    if (result == NULL) {
        return -1;
    }
    token_parts parts = {0};
    int status = read_token(result, &parts);
    if (status == 0) {
        status = set_token(self, &parts);
    }
    PyMem_Free(parts.extensions);
    Py_XDECREF(parts.extension_dict);
    Py_DECREF(result);
    return status;
}

/* The client, or NULL if it is being deleted; new reference. */
static Client *
client_of(TokenRefresher *self)
{
    PyObject *client;
    return PyWeakref_GetRef(self->client, &client) == 1 ? (Client *)client : NULL;
}

/* "oauth_cb failed: TimeoutError: ..." as bytes, UTF-8; a new reference, or NULL: no memory. */
static PyObject *
describe(PyObject *exception)
{
    const char *name = Py_TYPE(exception)->tp_name;
    PyObject *text = PyUnicode_FromFormat("oauth_cb failed: %s: %.300S", name, exception);
    if (text == NULL) { /* its __str__() raised */
        PyErr_Clear();
        text = PyUnicode_FromFormat("oauth_cb failed: %s", name);
    }
    PyObject *bytes =
        text == NULL ? NULL : PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace");
    PyErr_Clear();
    Py_XDECREF(text);
    return bytes;
}

/*
 * Reports the failure to librdkafka, which turns it into an error of the client and asks again
 * after ten seconds. No call of the client raises the exception: the client keeps using its old
 * token.
 */
static void
refresh_failed(TokenRefresher *self)
{
    client_core *core = self->worker.core;
    PyObject *exception = PyErr_GetRaisedException();
    PyObject *text = describe(exception);
    const char *reason = text == NULL ? "oauth_cb failed" : PyBytes_AS_STRING(text);
    atomic_store(&core->token_failing, true);
    rd_kafka_oauthbearer_set_token_failure(core->rk, reason);
    log_ring_note_failure(core->logs, reason); /* for requests that fail in the meantime */
    Client *client = client_of(self);
    if (client != NULL) {
        callbacks_note_token_failure(client, core, reason);
        Py_DECREF(client);
    }
    Py_XDECREF(text);
    end_first_wait(self, exception);
}

/* Answers a request for a token. The client may be deleted while its callback runs. */
static void
answer_request(TokenRefresher *self)
{
    Client *client = client_of(self);
    if (client == NULL) {
        return;
    }
    PyObject *oauth_cb = Py_NewRef(client->tokens.oauth_cb);
    Py_DECREF(client);
    if (refresh(self, oauth_cb) < 0) {
        refresh_failed(self);
    }
    else {
        atomic_store(&self->worker.core->token_failing, false);
        end_first_wait(self, NULL);
    }
    Py_DECREF(oauth_cb);
}

static void
serve(PyObject *object)
{
    TokenRefresher *self = (TokenRefresher *)object;
    if (atomic_exchange(&self->worker.core->token_wanted, false)) {
        answer_request(self);
    }
    Py_BEGIN_ALLOW_THREADS
    rd_kafka_queue_poll_callback(self->worker.queue, 1000);
    Py_END_ALLOW_THREADS
}

PyDoc_STRVAR(run_doc, "run($self, /)\n--\n\n"
                      "Serve token requests until the client is closed (on a thread).");

static PyObject *
run(PyObject *object, PyObject *Py_UNUSED(unused))
{
    worker_run(&((TokenRefresher *)object)->worker, object, serve, NULL);
    Py_RETURN_NONE;
}

/* ---- the type ---- */

static void
refresher_dealloc(PyObject *object)
{
    TokenRefresher *self = (TokenRefresher *)object;
    PyTypeObject *type = Py_TYPE(object);
    worker_clear(&self->worker);
    Py_CLEAR(self->client);
    Py_CLEAR(self->config);
    Py_CLEAR(self->failure);
    if (self->answered != NULL) {
        PyThread_free_lock(self->answered);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef refresher_methods[] = {
    {"run", run, METH_NOARGS, run_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot refresher_slots[] = {
    {Py_tp_doc, (void *)"Runs a client's oauth_cb on a thread of its own."},
    {Py_tp_dealloc, refresher_dealloc},
    {Py_tp_methods, refresher_methods},
    {0, NULL},
};

static PyType_Spec refresher_spec = {
    .name = "confluent_kafka.cimpl._TokenRefresher",
    .basicsize = sizeof(TokenRefresher),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = refresher_slots,
};

int
token_refresher_type_add(PyObject *module, module_state *state)
{
    state->TokenRefresher =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &refresher_spec, NULL);
    return state->TokenRefresher == NULL ? -1 : 0;
}

/* ---- for the client ---- */

/* The value of sasl.oauthbearer.config, which is the argument of oauth_cb. */
static PyObject *
oauthbearer_config(rd_kafka_t *rk)
{
    static const char property[] = "sasl.oauthbearer.config";
    const rd_kafka_conf_t *conf = rd_kafka_conf(rk);
    size_t size = 0;
    if (rd_kafka_conf_get(conf, property, NULL, &size) != RD_KAFKA_CONF_OK) {
        return PyUnicode_FromString(""); /* not set */
    }
    char *value = PyMem_Malloc(size);
    if (value == NULL) {
        return PyErr_NoMemory();
    }
    rd_kafka_conf_get(conf, property, value, &size);
    PyObject *result = PyUnicode_FromString(value);
    PyMem_Free(value);
    return result;
}

/* 0, or -1 with a MemoryError. */
static int
make_lock(TokenRefresher *self)
{
    self->answered = PyThread_allocate_lock();
    if (self->answered == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyThread_acquire_lock(self->answered, NOWAIT_LOCK); /* new, so this cannot fail */
    return 0;
}

static TokenRefresher *
new_refresher(Client *self, rd_kafka_queue_t *queue)
{
    PyTypeObject *type = self->state->TokenRefresher;
    TokenRefresher *refresher = (TokenRefresher *)type->tp_alloc(type, 0);
    if (refresher == NULL) {
        rd_kafka_queue_destroy(queue);
        return NULL;
    }
    int made = worker_init(&refresher->worker, self->core, queue);
    refresher->client = Py_NewRef(registry_reference(self));
    if (made < 0 || make_lock(refresher) < 0
        || (refresher->config = oauthbearer_config(self->rk)) == NULL) {
        Py_CLEAR(refresher);
    }
    return refresher;
}

/* Takes the refresher, so that nobody else stops it; new reference, or NULL. */
static TokenRefresher *
take_refresher(Client *self)
{
    TokenRefresher *refresher;
    /* At the exit of the interpreter, another thread may be inside close() and stop it as well. */
    Py_BEGIN_CRITICAL_SECTION(self);
    refresher = (TokenRefresher *)self->tokens.refresher;
    self->tokens.refresher = NULL;
    Py_END_CRITICAL_SECTION();
    return refresher;
}

/* Stops the thread; the end of the client then does not wait for it. */
static void
abandon(Client *self)
{
    TokenRefresher *refresher = take_refresher(self);
    if (refresher != NULL) {
        worker_tell_to_stop(&refresher->worker);
        Py_DECREF(refresher);
    }
}

int
oauth_start(Client *self)
{
    rd_kafka_queue_t *queue =
        self->tokens.oauth_cb == NULL ? NULL : rd_kafka_queue_get_sasl(self->rk);
    if (queue == NULL) {
        return 0; /* the mechanism is not OAUTHBEARER: librdkafka will not ask for a token */
    }
    self->tokens.refresher = (PyObject *)new_refresher(self, queue);
    if (self->tokens.refresher == NULL) {
        return -1;
    }
    if (start_daemon_thread(self->tokens.refresher, "run", "confluent_kafka oauth_cb") < 0) {
        abandon(self); /* a signal handler may have raised after the thread had started */
        return -1;
    }
    return 0;
}

void
oauth_stop(Client *self)
{
    TokenRefresher *refresher = take_refresher(self);
    if (refresher != NULL) {
        worker_stop(&refresher->worker);
        Py_DECREF(refresher);
    }
}

/* ---- the first token ---- */

PyObject *
oauth_timeout(PyObject *Py_UNUSED(client), void *Py_UNUSED(closure))
{
    return PyFloat_FromDouble(10);
}

/* 0, or -1 with an exception. */
static int
read_timeout(Client *self, deadline *until)
{
    PyObject *timeout = attribute_of((PyObject *)self, "_oauth_timeout");
    int result = timeout == NULL ? -1 : deadline_from_arg(timeout, "_oauth_timeout", until);
    Py_XDECREF(timeout);
    return result;
}

/* As lock_within(), but -1 in a forked child, where the thread that would answer does not exist. */
static int
wait_for_answer(Client *self, TokenRefresher *refresher, deadline *until)
{
    for (;;) {
        deadline slice =
            deadline_after(deadline_remaining_ms(until, WAIT_SLICE_MS) / 1000.0);
        int answered = lock_within(self, refresher->answered, &slice);
        if (answered != 0) {
            return answered;
        }
        if (!core_owned_by_this_process(self->core)) {
            /* A fork marks clients in the registry only; this client may not be there yet. */
            guard_mark_forked(self);
            return client_enter(self); /* refuses a forked client */
        }
        if (deadline_passed(until)) {
            return 0;
        }
    }
}

/* Raises that there is no token. Takes ownership of the cause, `failure`. */
static void
raise_failure(Client *self, PyObject *failure)
{
    PyObject *text = describe(failure);
    raise_kafka_error(self->state, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
                      "OAuth token not set: %s",
                      text == NULL ? "oauth_cb failed" : PyBytes_AS_STRING(text));
    Py_XDECREF(text);
    PyObject *raised = PyErr_GetRaisedException();
    PyException_SetCause(raised, failure);
    PyErr_SetRaisedException(raised);
}

static int
wait_for_token(Client *self, TokenRefresher *refresher)
{
    deadline until;
    if (read_timeout(self, &until) < 0) {
        return -1;
    }
    int answered = wait_for_answer(self, refresher, &until);
    if (answered <= 0) {
        abandon(self);
        if (answered == 0) {
            raise_kafka_error(self->state, RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED,
                              "OAuth token not set within %d seconds timeout: oauth_cb has not "
                              "returned",
                              (int)until.seconds);
        }
        return -1;
    }
    PyObject *failure = refresher->failure;
    refresher->failure = NULL;
    if (failure != NULL) {
        raise_failure(self, failure);
        return -1;
    }
    return 0;
}

int
oauth_wait(Client *self)
{
    /* An own reference, because the exit of the interpreter may stop the thread meanwhile. */
    TokenRefresher *refresher;
    Py_BEGIN_CRITICAL_SECTION(self);
    refresher = (TokenRefresher *)Py_XNewRef(self->tokens.refresher);
    Py_END_CRITICAL_SECTION();
    if (refresher == NULL) {
        return 0;
    }
    int result = wait_for_token(self, refresher);
    Py_DECREF(refresher);
    return result;
}

int
oauth_traverse(Client *self, visitproc visit, void *arg)
{
    Py_VISIT(self->tokens.oauth_cb);
    return 0;
}

void
oauth_clear(Client *self)
{
    Py_CLEAR(self->tokens.oauth_cb);
}

#include "client/oauth.h"

#include "client/core.h"
#include "client/exceptions.h"
#include "client/log_ring.h"
#include "client/registry.h"
#include "client/worker.h"

typedef struct {
    PyObject_HEAD
    worker worker; /* on librdkafka's SASL queue */
    /* Weak, to the client, whose oauth_cb may refer to the client itself. */
    PyObject *client;
    PyObject *config; /* sasl.oauthbearer.config, str */
} TokenRefresher;

/* Runs inside rd_kafka_queue_poll_callback() in run(): the token is made after it returns. */
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

/* ---- from what oauth_cb returns to rd_kafka_oauthbearer_set_token() ---- */

typedef struct {
    const char *token;
    int64_t expiry_ms;
    const char *principal;
    const char **extensions;  /* name, value, name, value ... */
    size_t extension_count;   /* of texts */
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
    /* A copy: the caller's can change while librdkafka reads the texts without the GIL. */
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

static int
refresh(TokenRefresher *self, PyObject *oauth_cb)
{
    PyObject *result = PyObject_CallOneArg(oauth_cb, self->config);
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

/* The client, or NULL when it is being dropped; new reference. */
static Client *
client_of(TokenRefresher *self)
{
    PyObject *client;
    return PyWeakref_GetRef(self->client, &client) == 1 ? (Client *)client : NULL;
}

/* Leaves the exception that is set to the thread that polls the client. */
static void
park_exception(TokenRefresher *self, PyObject *oauth_cb)
{
    PyObject *exception = PyErr_GetRaisedException();
    Client *client = client_of(self);
    PyErr_SetRaisedException(exception);
    if (client == NULL) {
        PyErr_WriteUnraisable(oauth_cb);
        return;
    }
    client_park_exception(client);
    Py_DECREF(client);
}

/* Tells librdkafka, which retries in ten seconds, and the thread that polls the client. */
static void
refresh_failed(TokenRefresher *self, PyObject *oauth_cb)
{
    PyObject *exception = PyErr_GetRaisedException();
    PyObject *text = PyUnicode_FromFormat("oauth_cb failed: %s", Py_TYPE(exception)->tp_name);
    const char *reason = text == NULL ? NULL : PyUnicode_AsUTF8(text);
    if (reason == NULL) {
        PyErr_Clear();
        reason = "oauth_cb failed";
    }
    rd_kafka_oauthbearer_set_token_failure(self->worker.core->rk, reason);
    /* That is told when the client is polled: requests that fail meanwhile say it, too. */
    log_ring_note_failure(self->worker.core->logs, reason);
    Py_XDECREF(text);
    PyErr_SetRaisedException(exception);
    park_exception(self, oauth_cb);
}

/* Answers a request for a token. The client may be dropped while its callback runs. */
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
        refresh_failed(self, oauth_cb);
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

/* The value of sasl.oauthbearer.config, which oauth_cb gets. */
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

static TokenRefresher *
new_refresher(Client *self, rd_kafka_queue_t *queue)
{
    PyTypeObject *type = self->state->TokenRefresher;
    TokenRefresher *refresher = (TokenRefresher *)type->tp_alloc(type, 0);
    if (refresher == NULL) {
        rd_kafka_queue_destroy(queue);
        return NULL;
    }
    int started = worker_init(&refresher->worker, self->core, queue);
    refresher->client = Py_NewRef(registry_reference(self));
    refresher->config = started < 0 ? NULL : oauthbearer_config(self->rk);
    if (refresher->config == NULL) {
        Py_CLEAR(refresher);
    }
    return refresher;
}

int
oauth_start(Client *self)
{
    rd_kafka_queue_t *queue =
        self->tokens.oauth_cb == NULL ? NULL : rd_kafka_queue_get_sasl(self->rk);
    if (queue == NULL) {
        return 0; /* the mechanism is not OAUTHBEARER: nobody will ask for a token */
    }
    self->tokens.refresher = (PyObject *)new_refresher(self, queue);
    if (self->tokens.refresher == NULL) {
        return -1;
    }
    if (start_daemon_thread(self->tokens.refresher, "run", "confluent_kafka oauth_cb") < 0) {
        Py_CLEAR(self->tokens.refresher); /* or oauth_stop() would wait for a thread that is not */
        return -1;
    }
    return 0;
}

void
oauth_stop(Client *self)
{
    TokenRefresher *refresher;
    /* At the exit of the interpreter another thread may be inside close(), and stop it too. */
    Py_BEGIN_CRITICAL_SECTION(self);
    refresher = (TokenRefresher *)self->tokens.refresher;
    self->tokens.refresher = NULL;
    Py_END_CRITICAL_SECTION();
    if (refresher == NULL) {
        return;
    }
    worker_stop(&refresher->worker);
    Py_DECREF(refresher);
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

#include "client/life.h"

#include "base/build_info.h"
#include "client/callbacks.h"
#include "client/core.h"
#include "client/diagnosis.h"
#include "client/exceptions.h"
#include "client/guard.h"
#include "client/handle.h"
#include "client/logs.h"
#include "client/loop.h"
#include "client/oauth.h"
#include "client/parked.h"
#include "client/registry.h"
#include "client/resolver.h"
#include "client/serve.h"
#include "client/settings.h"

PyObject *
client_new(PyTypeObject *type, const client_words *words)
{
    Client *self = (Client *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->state = module_state_of_type(type);
    self->words = words;
    self->core = core_new();
    if (self->core == NULL) {
        PyErr_NoMemory();
    }
    if (guard_init(self) < 0 || serve_init(self) < 0 || self->core == NULL) {
        Py_DECREF(self);
        return NULL;
    }
    self->core->client = self;
    return (PyObject *)self;
}

WITHOUT_GIL rd_kafka_t *
client_create_producer(Client *Py_UNUSED(self), rd_kafka_conf_t *conf, char *reason,
                       size_t size)
{
    return rd_kafka_new(RD_KAFKA_PRODUCER, conf, reason, size);
}

/* Raises librdkafka's reason, with advice, and destroys `conf`; returns -1. */
static int
refuse(Client *self, rd_kafka_conf_t *conf, rd_kafka_resp_err_t code, char *reason, size_t size)
{
    int explained = settings_explain(conf, reason, size);
    rd_kafka_conf_destroy(conf);
    if (explained < 0) {
        return -1;
    }
    if (self->kind->raise_refusal != NULL) {
        self->kind->raise_refusal(reason);
    }
    else {
        raise_kafka_error(self->state, code, "Failed to create %s: %s", self->words->noun, reason);
    }
    return -1;
}

int
client_open(Client *self, const client_kind *kind, rd_kafka_conf_t *conf)
{
    char reason[512];
    self->kind = kind;
    callbacks_register(self, conf);
    logs_configure(conf);
    resolver_configure(conf);
    oauth_configure(self, conf);
    rd_kafka_t *rk;
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    Py_BEGIN_ALLOW_THREADS
    rk = kind->create(self, conf, reason, sizeof(reason));
    if (rk == NULL) {
        code = rd_kafka_last_error();
    }
    Py_END_ALLOW_THREADS
    if (rk == NULL) {
        return refuse(self, conf, code, reason, sizeof(reason));
    }
    self->core->rk = self->rk = rk;
    /* Only close() leaves the group. Destroying the handle must not: it would run callbacks. */
    self->core->destroy_flags = RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE;
    self->core->queue = kind->type == RD_KAFKA_CONSUMER ? rd_kafka_queue_get_consumer(rk)
                                                        : rd_kafka_queue_get_main(rk);
    if (registry_prepare(self) < 0 || oauth_start(self) < 0) {
        return -1;
    }
    registry_add(self);
    if (oauth_wait(self) < 0) {
        return -1;
    }
    /* Before the client is open: if a logger raises, __init__ fails, and the caller has no client
     * that it could close. */
    if (warn_of_missing_patches(self->state) < 0 || serve_logs_or_raise(self) < 0) {
        return -1;
    }
    guard_open(self);
    return 0;
}

/* ---- the garbage collector ---- */

int
client_traverse(Client *self, visitproc visit, void *arg)
{
    static int (*const parts[])(Client *, visitproc, void *) = {
        guard_traverse, callbacks_traverse, logs_traverse, oauth_traverse, registry_traverse,
        loop_traverse,
    };
    Py_VISIT(Py_TYPE(self));
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        int visited = parts[i](self, visit, arg);
        if (visited != 0) {
            return visited;
        }
    }
    int visited = diagnosis_traverse(&self->diagnosis, visit, arg);
    if (visited == 0) {
        visited = parked_traverse(&self->parked, visit, arg);
    }
    return visited != 0 ? visited : topic_names_traverse(&self->names, visit, arg);
}

int
client_clear(Client *self)
{
    callbacks_clear(self);
    logs_clear(self);
    oauth_clear(self);
    loop_clear(self);
    diagnosis_clear(&self->diagnosis);
    parked_clear(&self->parked);
    topic_names_clear(&self->names);
    return 0;
}

/* Warns that nobody closed the client, in the words of the asyncio client that it belongs to. */
static int
warn_unclosed(Client *self)
{
    PyObject *object = (PyObject *)self;
    PyObject *text = loop_unclosed(self);
    if (text != NULL) {
        return PyErr_ResourceWarning(object, 1, "%U", text);
    }
    return PyErr_ResourceWarning(object, 1, "%s was not closed: call close() or use 'with'",
                                 client_type_name(self));
}

/*
 * Warns if a client is deleted without close(), as files and sockets do. A close() that a signal
 * handler interrupted does not count.
 */
void
client_finalize(PyObject *object)
{
    Client *self = (Client *)object;
    if (!(client_is_open(self) || client_is_closing(self))
        || !core_owned_by_this_process(self->core)) {
        return;
    }
    PyObject *raised = PyErr_GetRaisedException();
    if (warn_unclosed(self) < 0) {
        PyErr_WriteUnraisable(object);
    }
    client_report_parked(self);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

bool
client_dealloc_begin(PyObject *object)
{
    Client *self = (Client *)object;
    if (PyObject_CallFinalizerFromDealloc(object) < 0) {
        return false;
    }
    PyObject_GC_UnTrack(object);
    registry_remove(self); /* first: later steps can run Python code, which must not find it */
    if (self->weak_references != NULL) {
        PyObject_ClearWeakRefs(object);
    }
    oauth_stop(self);
    if (self->core != NULL) {
        client_release_handle(self, HANDLE_END_SECONDS);
    }
    return true;
}

void
client_dealloc_end(PyObject *object)
{
    Client *self = (Client *)object;
    PyTypeObject *type = Py_TYPE(object);
    client_clear(self);
    Py_CLEAR(self->called); /* not earlier: the warning about an unclosed client uses it */
    registry_clear(self);
    guard_free(self);
    serve_free(self);
    type->tp_free(object);
    Py_DECREF(type);
}

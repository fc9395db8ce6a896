/*
 * The methods that every client has.
 */
#include "client/request.h"
#include "client/client.h"
#include "client/io_event.h"
#include "values/metadata.h"

#include <stddef.h>
#include <structmember.h>

/* ---- list_topics ---- */

static void
free_metadata(void *answer)
{
    rd_kafka_metadata_destroy(answer);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_metadata(request *self, int timeout_ms)
{
    rd_kafka_topic_t *topic = NULL;
    if (self->name != NULL) {
        topic = rd_kafka_topic_new(self->rk, self->name, NULL);
        if (topic == NULL) {
            return request_error(rd_kafka_last_error(), "Failed to get metadata");
        }
    }
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_resp_err_t code =
        rd_kafka_metadata(self->rk, topic == NULL, topic, &metadata, timeout_ms);
    self->answer = (void *)metadata;
    self->free_answer = free_metadata;
    if (topic != NULL) {
        rd_kafka_topic_destroy(topic);
    }
    return request_error(code, "Failed to get metadata");
}

PyDoc_STRVAR(list_topics_doc,
"list_topics($self, /, topic=None, timeout=-1)\n--\n\n"
"Request metadata of the cluster's brokers, topics and partitions.\n\n"
"Parameters\n"
"----------\n"
"topic : str, optional\n"
"    Only this topic (the broker may create it); all topics when None.\n"
"timeout : float\n"
"    Seconds to wait for an answer; -1 waits without limit.\n\n"
"Returns\n"
"-------\n"
"confluent_kafka.admin.ClusterMetadata\n\n"
"Raises\n"
"------\n"
"KafkaException\n"
"    _TIMED_OUT or _TRANSPORT when no broker answered; _INTR after wakeup().\n\n"
"Notes\n"
"-----\n"
"librdkafka: rd_kafka_metadata().");

SIGNATURE(list_topics_signature, "list_topics()", 0, 2, P_topic, P_timeout);

static PyObject *
request_metadata(Client *self, const char *topic, int timeout_ms)
{
    request *made = request_new(attempt_metadata, timeout_ms, topic);
    if (made == NULL || request_run(self, made, "list_topics()") < 0) {
        return NULL;
    }
    PyObject *result = cluster_metadata_from(self->state, self->rk, made->answer);
    request_end(made);
    return result;
}

static PyObject *
list_topics(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[2];
    const char *topic = NULL;
    int timeout_ms;
    if (args_parse(self->state, &list_topics_signature, args, nargs, kwnames, values) < 0
        || timeout_ms_from_arg(values[1], "timeout", &timeout_ms) < 0) {
        return NULL;
    }
    if (values[0] != NULL && values[0] != Py_None) {
        topic = arg_utf8(values[0], "topic", NULL);
        if (topic == NULL) {
            return NULL;
        }
    }
    if (client_enter(self) < 0) {
        return NULL;
    }
    PyObject *result = request_metadata(self, topic, timeout_ms);
    client_leave(self);
    return result;
}

/* ---- cluster_id ---- */

static void
free_cluster_id(void *answer)
{
    rd_kafka_mem_free(NULL, answer);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_cluster_id(request *self, int timeout_ms)
{
    self->answer = rd_kafka_clusterid(self->rk, timeout_ms);
    self->free_answer = free_cluster_id;
    return self->answer != NULL ? NULL
                                : request_error(RD_KAFKA_RESP_ERR__TIMED_OUT, "cluster_id()");
}

PyDoc_STRVAR(cluster_id_doc,
"cluster_id($self, /, timeout=-1)\n--\n\n"
"The cluster's id, as its brokers report it.\n\n"
"Parameters\n"
"----------\n"
"timeout : float\n"
"    Seconds to wait for a broker; -1 waits without limit.\n\n"
"Returns\n"
"-------\n"
"str or None\n"
"    None when no broker answered in time.\n\n"
"Notes\n"
"-----\n"
"librdkafka: rd_kafka_clusterid().");

SIGNATURE(cluster_id_signature, "cluster_id()", 0, 1, P_timeout);

static PyObject *
request_cluster_id(Client *self, int timeout_ms)
{
    request *made = request_new(attempt_cluster_id, timeout_ms, NULL);
    if (made == NULL || request_wait(self, made, "cluster_id()", NULL) < 0) {
        return NULL;
    }
    PyObject *result = made->answer == NULL ? Py_NewRef(Py_None)
                                            : PyUnicode_FromString(made->answer);
    request_end(made);
    return result;
}

static PyObject *
cluster_id(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[1];
    int timeout_ms;
    if (args_parse(self->state, &cluster_id_signature, args, nargs, kwnames, values) < 0
        || timeout_ms_from_arg(values[0], "timeout", &timeout_ms) < 0 || client_enter(self) < 0) {
        return NULL;
    }
    PyObject *result = request_cluster_id(self, timeout_ms);
    client_leave(self);
    return result;
}

/* ---- credentials, wakeup, context manager ---- */

PyDoc_STRVAR(set_sasl_credentials_doc,
"set_sasl_credentials($self, /, username, password)\n--\n\n"
"Replace the SASL credentials for connections made from now on.\n\n"
"Connections that exist stay open; PLAIN and SCRAM mechanisms use the new ones when\n"
"they reconnect.\n\n"
"Parameters\n"
"----------\n"
"username, password : str\n\n"
"Notes\n"
"-----\n"
"librdkafka: rd_kafka_sasl_set_credentials().");

SIGNATURE(set_sasl_credentials_signature, "set_sasl_credentials()", 2, 2, P_username,
          P_password);

static PyObject *
set_sasl_credentials(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[2];
    if (args_parse(self->state, &set_sasl_credentials_signature, args, nargs, kwnames, values)
        < 0) {
        return NULL;
    }
    const char *username = arg_utf8(values[0], "username", NULL);
    const char *password = username == NULL ? NULL : arg_utf8(values[1], "password", NULL);
    if (password == NULL || client_enter(self) < 0) {
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

PyDoc_STRVAR(wakeup_doc,
"wakeup($self, /)\n--\n\n"
"Make the call that waits in another thread return now.\n\n"
"poll(), consume() and flush() return as if their timeout had passed, iteration ends,\n"
"and requests such as list_topics() raise KafkaException(_INTR). When no call is waiting\n"
"the next one that would wait returns at once. Safe from any thread and from signal\n"
"handlers.\n\n"
"librdkafka: rd_kafka_queue_yield().");

static PyObject *
wakeup(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Client *self = (Client *)object;
    if (client_enter(self) < 0) {
        return NULL;
    }
    atomic_store(&self->woken, 1);
    core_wake(self->core);
    requests_wake(self);
    client_leave(self);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(enter_doc, "__enter__($self, /)\n--\n\n"
                        "The client itself; leaving the block closes it.");

static PyObject *
enter(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Client *self = (Client *)object;
    if (client_enter(self) < 0) {
        return NULL;
    }
    client_leave(self);
    return Py_NewRef(object);
}

PyDoc_STRVAR(exit_doc, "__exit__($self, exc_type, exc_value, traceback, /)\n--\n\n"
                       "Call close().");

static PyObject *
exit_(PyObject *object, PyObject *exception)
{
    PyObject *type, *value, *traceback;
    if (!PyArg_UnpackTuple(exception, "__exit__()", 3, 3, &type, &value, &traceback)) {
        return NULL;
    }
    PyObject *closed = PyObject_CallMethod(object, "close", NULL);
    if (closed == NULL) {
        return NULL;
    }
    Py_DECREF(closed);
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

static PyMethodDef client_methods[] = {
    {"list_topics", WITH_KEYWORDS(list_topics), list_topics_doc},
    {"cluster_id", WITH_KEYWORDS(cluster_id), cluster_id_doc},
    {"set_sasl_credentials", WITH_KEYWORDS(set_sasl_credentials),
     set_sasl_credentials_doc},
    {"wakeup", wakeup, METH_NOARGS, wakeup_doc},
    {"__enter__", enter, METH_NOARGS, enter_doc},
    {"__exit__", exit_, METH_VARARGS, exit_doc},
    {"__reduce__", reduce, METH_NOARGS, reduce_doc},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef client_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Client, weak_references), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(client_doc, "What Producer, Consumer and the admin client have in common.");

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
    {Py_tp_getset, latest_getters},
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
        || module_add_methods(state->Client, latest_methods) < 0
        || module_add_methods(state->Client, io_event_methods) < 0) {
        return -1;
    }
    return 0;
}

#include "client/latest.h"

#include "client/client.h"

void
latest_set(latest *self, PyObject **field, PyObject *value)
{
    object_mutex_lock(&self->mutex);
    PyObject *old = *field;
    *field = Py_NewRef(value);
    object_mutex_unlock(&self->mutex);
    Py_XDECREF(old);
}

PyObject *
latest_get(latest *self, PyObject **field)
{
    object_mutex_lock(&self->mutex);
    PyObject *value = Py_NewRef(*field == NULL ? Py_None : *field);
    object_mutex_unlock(&self->mutex);
    return value;
}

int
latest_traverse(latest *self, visitproc visit, void *arg)
{
    Py_VISIT(self->error);
    Py_VISIT(self->statistics);
    return 0;
}

void
latest_clear(latest *self)
{
    Py_CLEAR(self->error);
    Py_CLEAR(self->statistics);
}

/* ---- last_error ---- */

PyDoc_STRVAR(last_error_doc,
"The latest KafkaError that error_cb was told, or would have been told if there were one;\n"
"None before the first.\n\n"
"It stays after the trouble is over: an error says what has happened, not what is. Errors\n"
"are noted by the calls that serve callbacks: poll(), consume(), flush(), connect(). A\n"
"closed client still has it.");

static PyObject *
last_error(PyObject *object, void *Py_UNUSED(closure))
{
    Client *self = (Client *)object;
    return latest_get(&self->latest, &self->latest.error);
}

PyGetSetDef latest_getters[] = {
    {"last_error", last_error, NULL, last_error_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- stats() ---- */

PyDoc_STRVAR(stats_doc,
"stats($self, /)\n--\n\n"
"The latest statistics of the client.\n\n"
"librdkafka makes them every statistics.interval.ms, which is off by default. They arrive\n"
"with the calls that serve callbacks; stats_cb, if there is one, is called as well.\n\n"
"Returns\n"
"-------\n"
"confluent_kafka.statistics.Statistics or None\n"
"    None before the first.\n\n"
"Notes\n"
"-----\n"
"Source: STATISTICS.md of librdkafka.");

static PyObject *
stats(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Client *self = (Client *)object;
    if (client_enter(self) < 0) {
        return NULL;
    }
    PyObject *json = latest_get(&self->latest, &self->latest.statistics);
    client_leave(self);
    if (json == Py_None) {
        return json;
    }
    PyObject *result = NULL;
    PyObject *parse = import_attribute("confluent_kafka.statistics", "from_json");
    if (parse != NULL) {
        result = PyObject_CallOneArg(parse, json);
        Py_DECREF(parse);
    }
    Py_DECREF(json);
    return result;
}

PyMethodDef latest_methods[] = {
    {"stats", stats, METH_NOARGS, stats_doc},
    {NULL, NULL, 0, NULL},
};

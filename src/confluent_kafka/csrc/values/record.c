#include "values/record.h"

#include <stddef.h>
#include <structmember.h>

#include "base/named_tuple.h"
#include "base/text.h"
#include "values/headers.h"
#include "values/record_tuple.h"

/*
 * The fields are in the order of the dataclass. Any object may be set: deserializers do that, and
 * tests make their own records.
 */
typedef struct {
    PyObject_HEAD
    PyObject *topic, *partition, *offset, *timestamp, *timestamp_type;
    PyObject *key, *value, *checksum, *key_size, *value_size, *headers;
} Record;

#define FIRST_FIELD(self) (&(self)->topic)
#define FIELD_COUNT ((sizeof(Record) - offsetof(Record, topic)) / sizeof(PyObject *))

/* ---- the type ---- */

static int
traverse(PyObject *object, visitproc visit, void *arg)
{
    PyObject **fields = FIRST_FIELD((Record *)object);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        Py_VISIT(fields[i]);
    }
    Py_VISIT(Py_TYPE(object));
    return 0;
}

static int
clear(PyObject *object)
{
    PyObject **fields = FIRST_FIELD((Record *)object);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        Py_CLEAR(fields[i]);
    }
    return 0;
}

static void
dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object); /* does nothing if the object is not tracked */
    Py_TRASHCAN_BEGIN(object, dealloc)
    (void)clear(object);
    type->tp_free(object);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

/*
 * The garbage collector tracks a record only once it can be part of a cycle: a record from
 * librdkafka refers to str, bytes and int only, and tracking costs as much as creating it.
 */
static int
set_attribute(PyObject *object, PyObject *name, PyObject *value)
{
    if (!PyObject_GC_IsTracked(object)) {
        PyObject_GC_Track(object);
    }
    return PyObject_GenericSetAttr(object, name, value);
}

#define FIELD(name, member) {name, T_OBJECT_EX, offsetof(Record, member), 0, NULL}

static PyMemberDef members[] = {
    FIELD("topic", topic),
    FIELD("partition", partition),
    FIELD("offset", offset),
    FIELD("timestamp", timestamp),
    FIELD("timestamp_type", timestamp_type),
    FIELD("key", key),
    FIELD("value", value),
    FIELD("checksum", checksum),
    FIELD("serialized_key_size", key_size),
    FIELD("serialized_value_size", value_size),
    FIELD("headers", headers),
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(doc,
"A message of compat.aiokafka; its dataclass there has the documentation.");

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)doc},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_dealloc, dealloc},
    {Py_tp_setattro, set_attribute},
    {Py_tp_members, members},
    {0, NULL},
};

static PyType_Spec spec = {
    .name = "confluent_kafka.cimpl._Record",
    .basicsize = sizeof(Record),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int
record_type_add(PyObject *module, module_state *state)
{
    state->Record = module_add_type(module, &spec, NULL);
    return state->Record == NULL ? -1 : 0;
}

PyTypeObject *
record_type_from_arg(module_state *state, PyObject *object, const char *name)
{
    PyTypeObject *type = (PyTypeObject *)object;
    if (is_tuple_type(object)) {
        return type;
    }
    if (!PyType_Check(object) || !PyType_IsSubtype(type, state->Record)
        || type->tp_basicsize != (Py_ssize_t)sizeof(Record) || type->tp_dictoffset != 0
        || type->tp_weaklistoffset != 0) { /* PyObject_GC_New() would not initialise more */
        PyErr_Format(PyExc_TypeError,
                     "%s must be a named tuple, or a subclass of _Record without fields of its "
                     "own, not %R", name, object);
        return NULL;
    }
    return type;
}

/* ---- from librdkafka ---- */

static PyObject *
size_of(const void *data, size_t size)
{
    return data == NULL ? PyLong_FromLong(-1) : PyLong_FromSize_t(size);
}

static PyObject *
headers_of(module_state *state, const rd_kafka_message_t *message)
{
    rd_kafka_headers_t *headers;
    if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return PyTuple_New(0);
    }
    PyObject *list = headers_from(state, headers);
    PyObject *result = list == NULL ? NULL : PyList_AsTuple(list);
    Py_XDECREF(list);
    return result;
}

/* 0, or -1 with an exception. Fields that are not filled in are NULL. */
static int
fill(module_state *state, Record *self, topic_names *names,
     const rd_kafka_message_t *message)
{
    rd_kafka_timestamp_type_t kind;
    int64_t timestamp = rd_kafka_message_timestamp(message, &kind);
    bool append_time = kind == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME;
    (void)((self->topic = topic_names_get(names, message->rkt)) != NULL
           && (self->partition = PyLong_FromLong(message->partition)) != NULL
           && (self->offset = PyLong_FromLongLong(message->offset)) != NULL
           && (self->timestamp = PyLong_FromLongLong(timestamp)) != NULL
           && (self->timestamp_type = PyLong_FromLong(append_time)) != NULL
           && (self->key = bytes_or_none(message->key, message->key_len)) != NULL
           && (self->value = bytes_or_none(message->payload, message->len)) != NULL
           && (self->checksum = Py_NewRef(Py_None)) != NULL
           && (self->key_size = size_of(message->key, message->key_len)) != NULL
           && (self->value_size = size_of(message->payload, message->len)) != NULL
           && (self->headers = headers_of(state, message)) != NULL);
    return self->headers == NULL ? -1 : 0;
}

PyObject *
record_from_consumed(module_state *state, topic_names *names, PyTypeObject *type,
                     const rd_kafka_message_t *message)
{
    if (PyType_IsSubtype(type, &PyTuple_Type)) {
        return record_tuple_from_consumed(state, names, type, message);
    }
    Record *self = PyObject_GC_New(Record, type);
    if (self == NULL) {
        return NULL;
    }
    PyObject **fields = FIRST_FIELD(self);
    for (size_t i = 0; i < FIELD_COUNT; i++) {
        fields[i] = NULL;
    }
    if (fill(state, self, names, message) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

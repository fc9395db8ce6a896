#include "values/message_object.h"

#include "base/args.h"
#include "values/last_headers.h"
#include "values/reduce.h"

/* ---- construction ---- */

SIGNATURE(message_signature, "Message()", 0, 11, P_topic, P_partition, P_offset, P_key,
          P_value, P_headers, P_error, P_timestamp, P_latency, P_leader_epoch,
          P_delivery_count);

static PyObject *
new(PyTypeObject *type, PyObject *Py_UNUSED(args), PyObject *Py_UNUSED(kwargs))
{
    module_state *state = module_state_of_type(type);
    Message *self;
    if (type == state->Message) {
        self = message_allocate(state);
    }
    else {
        self = (Message *)type->tp_alloc(type, 0); /* the object of a subclass may be larger */
    }
    if (self != NULL) {
        self->state = state;
        message_fields_reset(self);
        message_track(self);
    }
    return (PyObject *)self;
}

static bool
given(PyObject *value)
{
    return value != NULL && value != Py_None;
}

/* Stores a (type, milliseconds) tuple in the two fields. */
static int
timestamp_from_arg(PyObject *timestamp, Message *fields)
{
    if (!given(timestamp)) {
        return 0;
    }
    if (!PyTuple_Check(timestamp) || PyTuple_GET_SIZE(timestamp) != 2) {
        PyObject *text = short_repr(timestamp);
        if (text != NULL) {
            PyErr_Format(PyExc_TypeError,
                         "timestamp must be a tuple (type, milliseconds), not %U", text);
            Py_DECREF(text);
        }
        return -1;
    }
    if (arg_int32(PyTuple_GET_ITEM(timestamp, 0), "timestamp[0]",
                  RD_KAFKA_TIMESTAMP_NOT_AVAILABLE, RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME,
                  &fields->timestamp_type) < 0) {
        return -1;
    }
    return arg_int64(PyTuple_GET_ITEM(timestamp, 1), "timestamp[1]", INT64_MIN, INT64_MAX,
                     &fields->timestamp_ms);
}

static int
optional_int32(PyObject *object, const char *name, int32_t *result)
{
    return given(object) ? arg_int32(object, name, INT32_MIN, INT32_MAX, result) : 0;
}

/* Reads all numbers into `fields`, a struct of message fields without an object. */
static int
numbers_from_args(PyObject *partition, PyObject *offset, PyObject *timestamp,
                  PyObject *latency, PyObject *leader_epoch, PyObject *delivery_count,
                  Message *fields)
{
    if (optional_int32(partition, "partition", &fields->partition) < 0
        || (given(offset)
            && arg_int64(offset, "offset", INT64_MIN, INT64_MAX, &fields->offset) < 0)
        || timestamp_from_arg(timestamp, fields) < 0
        || (given(latency) && arg_double(latency, "latency", &fields->latency) < 0)
        || optional_int32(leader_epoch, "leader_epoch", &fields->leader_epoch) < 0) {
        return -1;
    }
    return given(delivery_count) ? arg_int32(delivery_count, "delivery_count", INT16_MIN,
                                             INT16_MAX, &fields->delivery_count)
                                 : 0;
}

/*
 * Stores an object in a field; NULL and None store `none`. In a message that is still a delivery
 * report, an explicit None must differ from "not converted yet".
 */
static void
store_lock_held(Message *self, PyObject **field, PyObject *value, PyObject *none)
{
    PyObject *stored = Py_XNewRef(given(value) ? value : none);
    if (stored != NULL && PyObject_IS_GC(stored)) {
        message_track(self);
    }
    Py_XSETREF(*field, stored);
}

static int
init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    enum {
        TOPIC, PARTITION, OFFSET, KEY, VALUE, HEADERS, ERROR, TIMESTAMP, LATENCY,
        LEADER_EPOCH, DELIVERY_COUNT, COUNT
    };
    Message *self = (Message *)object;
    Message fields;
    PyObject *values[COUNT];
    module_state *state = module_state_of_type(Py_TYPE(self));
    message_fields_reset(&fields);
    if (args_parse_tuple(state, &message_signature, args, kwargs, values) < 0
        || numbers_from_args(values[PARTITION], values[OFFSET], values[TIMESTAMP],
                             values[LATENCY], values[LEADER_EPOCH],
                             values[DELIVERY_COUNT], &fields) < 0) {
        return -1;
    }
    Py_BEGIN_CRITICAL_SECTION(object);
    self->partition = fields.partition;
    self->offset = fields.offset;
    self->timestamp_type = fields.timestamp_type;
    self->timestamp_ms = fields.timestamp_ms;
    self->latency = fields.latency;
    self->leader_epoch = fields.leader_epoch;
    self->delivery_count = fields.delivery_count;
    message_drop_unread_headers(self);
    store_lock_held(self, &self->topic, values[TOPIC], NULL);
    store_lock_held(self, &self->key, values[KEY], Py_None);
    store_lock_held(self, &self->value, values[VALUE], Py_None);
    store_lock_held(self, &self->headers, values[HEADERS], Py_None);
    store_lock_held(self, &self->error, values[ERROR], Py_None);
    Py_END_CRITICAL_SECTION();
    return 0;
}

/* ---- deletion and garbage collection ---- */

static int
traverse(PyObject *object, visitproc visit, void *arg)
{
    Message *self = (Message *)object;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->topic);
    Py_VISIT(self->key);
    Py_VISIT(self->value);
    Py_VISIT(self->headers);
    Py_VISIT(self->error);
    return 0;
}

static int
clear(PyObject *object)
{
    Message *self = (Message *)object;
    Py_CLEAR(self->topic);
    Py_CLEAR(self->key);
    Py_CLEAR(self->value);
    Py_CLEAR(self->headers);
    Py_CLEAR(self->error);
    return 0;
}

static void
free_with_fields(PyObject *object)
{
    last_headers_forget((Message *)object);
    clear(object);
    message_drop_unread_headers((Message *)object);
    message_free((Message *)object);
}

static void
dealloc(PyObject *object)
{
    /* Most messages are not tracked, and hold no object that could refer to a message. */
    if (!PyObject_GC_IsTracked(object)) {
        free_with_fields(object);
        return;
    }
    PyObject_GC_UnTrack(object);
    Py_TRASHCAN_BEGIN(object, dealloc)
    free_with_fields(object);
    Py_TRASHCAN_END
}

/* ---- reading ---- */

static PyObject *
topic(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Message *self = (Message *)object;
    PyObject *result;
    Py_BEGIN_CRITICAL_SECTION(object);
    result = Py_NewRef(self->topic == NULL ? Py_None : self->topic);
    Py_END_CRITICAL_SECTION();
    return result;
}

static PyObject *
partition(PyObject *object, PyObject *Py_UNUSED(unused))
{
    int32_t number = ((Message *)object)->partition;
    return number < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(number);
}

static PyObject *
offset(PyObject *object, PyObject *Py_UNUSED(unused))
{
    int64_t number = ((Message *)object)->offset;
    return number < 0 ? Py_NewRef(Py_None) : PyLong_FromLongLong(number);
}

static PyObject *
key(PyObject *object, PyObject *Py_UNUSED(unused))
{
    PyObject *result;
    Py_BEGIN_CRITICAL_SECTION(object);
    result = message_read_key_lock_held((Message *)object);
    Py_END_CRITICAL_SECTION();
    return result;
}

static PyObject *
value(PyObject *object, PyObject *Py_UNUSED(unused))
{
    PyObject *result;
    Py_BEGIN_CRITICAL_SECTION(object);
    result = message_read_value_lock_held((Message *)object);
    Py_END_CRITICAL_SECTION();
    return result;
}

static PyObject *
headers(PyObject *object, PyObject *Py_UNUSED(unused))
{
    PyObject *result;
    Py_BEGIN_CRITICAL_SECTION(object);
    result = message_read_headers_lock_held((Message *)object);
    Py_END_CRITICAL_SECTION();
    return result;
}

static PyObject *
error(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return message_error(object);
}

/* Py_BuildValue() would interpret its format each time. */
static PyObject *
new_timestamp(const Message *self)
{
    PyObject *type = PyLong_FromLong(self->timestamp_type);
    PyObject *milliseconds = PyLong_FromLongLong(self->timestamp_ms);
    PyObject *pair = type == NULL || milliseconds == NULL ? NULL : PyTuple_New(2);
    if (pair == NULL) {
        Py_XDECREF(type);
        Py_XDECREF(milliseconds);
        return NULL;
    }
    PyTuple_SET_ITEM(pair, 0, type);
    PyTuple_SET_ITEM(pair, 1, milliseconds);
    return pair;
}

/* If there are many messages per millisecond, the pair of the previous message usually fits. */
static PyObject *
timestamp(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const Message *self = (Message *)object;
#ifndef Py_GIL_DISABLED
    last_timestamp *last = &self->state->last_timestamp;
    if (last->pair != NULL && last->milliseconds == self->timestamp_ms
        && last->type == self->timestamp_type) {
        return Py_NewRef(last->pair);
    }
    PyObject *pair = new_timestamp(self);
    if (pair != NULL) {
        last->milliseconds = self->timestamp_ms;
        last->type = self->timestamp_type;
        Py_XSETREF(last->pair, Py_NewRef(pair));
    }
    return pair;
#else
    return new_timestamp(self);
#endif
}

static PyObject *
latency(PyObject *object, PyObject *Py_UNUSED(unused))
{
    double seconds;
    Py_BEGIN_CRITICAL_SECTION(object);
    seconds = message_read_latency_lock_held((Message *)object);
    Py_END_CRITICAL_SECTION();
    return seconds < 0 ? Py_NewRef(Py_None) : PyFloat_FromDouble(seconds);
}

static PyObject *
leader_epoch(PyObject *object, PyObject *Py_UNUSED(unused))
{
    int32_t number = ((Message *)object)->leader_epoch;
    return number < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(number);
}

static PyObject *
delivery_count(PyObject *object, PyObject *Py_UNUSED(unused))
{
    int32_t number = ((Message *)object)->delivery_count;
    return number <= 0 ? Py_NewRef(Py_None) : PyLong_FromLong(number);
}

/* ---- writing ---- */

static PyObject *
set_topic(PyObject *object, PyObject *topic)
{
    Message *self = (Message *)object;
    Py_BEGIN_CRITICAL_SECTION(object);
    store_lock_held(self, &self->topic, topic, NULL);
    Py_END_CRITICAL_SECTION();
    Py_RETURN_NONE;
}

static PyObject *
set_key(PyObject *object, PyObject *key)
{
    Message *self = (Message *)object;
    Py_BEGIN_CRITICAL_SECTION(object);
    store_lock_held(self, &self->key, key, Py_None);
    Py_END_CRITICAL_SECTION();
    Py_RETURN_NONE;
}

static PyObject *
set_value(PyObject *object, PyObject *value)
{
    Message *self = (Message *)object;
    Py_BEGIN_CRITICAL_SECTION(object);
    store_lock_held(self, &self->value, value, Py_None);
    Py_END_CRITICAL_SECTION();
    Py_RETURN_NONE;
}

static PyObject *
set_headers(PyObject *object, PyObject *headers)
{
    Message *self = (Message *)object;
    Py_BEGIN_CRITICAL_SECTION(object);
    message_drop_unread_headers(self);
    store_lock_held(self, &self->headers, headers, Py_None);
    Py_END_CRITICAL_SECTION();
    Py_RETURN_NONE;
}

static PyObject *
set_error(PyObject *object, PyObject *error)
{
    Message *self = (Message *)object;
    Py_BEGIN_CRITICAL_SECTION(object);
    store_lock_held(self, &self->error, error, Py_None);
    Py_END_CRITICAL_SECTION();
    Py_RETURN_NONE;
}

void
message_set_objects(PyObject *message, PyObject *key, PyObject *value, PyObject *error)
{
    Message *self = (Message *)message;
    Py_BEGIN_CRITICAL_SECTION(message);
    store_lock_held(self, &self->key, key, Py_None);
    store_lock_held(self, &self->value, value, Py_None);
    store_lock_held(self, &self->error, error, Py_None);
    Py_END_CRITICAL_SECTION();
}

/* ---- protocols ---- */

static Py_ssize_t
length(PyObject *object)
{
    PyObject *payload = value(object, NULL);
    if (payload == NULL) {
        return -1;
    }
    Py_ssize_t size = payload == Py_None ? 0 : PyObject_Size(payload);
    Py_DECREF(payload);
    return size;
}

/* Contains no key, value or header: logs may show where a message is, but not its content. */
static PyObject *
repr(PyObject *object)
{
    PyObject *names[] = {topic(object, NULL), partition(object, NULL),
                         offset(object, NULL), error(object, NULL)};
    PyObject *text = NULL;
    if (names[0] != NULL && names[1] != NULL && names[2] != NULL && names[3] != NULL) {
        text = PyUnicode_FromFormat("Message{topic=%S,partition=%S,offset=%S,error=%S}",
                                    names[0], names[1], names[2], names[3]);
    }
    for (int i = 0; i < 4; i++) {
        Py_XDECREF(names[i]);
    }
    return text;
}

/* 1, 0 or -1 with an exception; `read` is one of the functions above. */
static int
same(PyObject *object, PyObject *other, PyCFunction read)
{
    PyObject *mine = read(object, NULL);
    PyObject *theirs = mine == NULL ? NULL : read(other, NULL);
    int result = theirs == NULL ? -1 : PyObject_RichCompareBool(mine, theirs, Py_EQ);
    Py_XDECREF(mine);
    Py_XDECREF(theirs);
    return result;
}

/* Compares the records, not how they arrived: latency and delivery count are ignored. */
static PyObject *
richcompare(PyObject *object, PyObject *other, int operation)
{
    static const PyCFunction compared[] = {partition, offset,    leader_epoch, topic, key,
                                           value,     timestamp, headers,      error};
    module_state *state = module_state_of_type(Py_TYPE(object));
    if ((operation != Py_EQ && operation != Py_NE)
        || !PyObject_TypeCheck(other, state->Message)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    int equal = 1;
    for (size_t i = 0; equal == 1 && i < sizeof(compared) / sizeof(compared[0]); i++) {
        equal = same(object, other, compared[i]);
    }
    return equal < 0 ? NULL : PyBool_FromLong(equal == (operation == Py_EQ));
}

/* A number for a pickle, with None for "none"; both references are stolen. */
static PyObject *
or_number(PyObject *field, PyObject *number)
{
    if (field != Py_None) {
        Py_XDECREF(number);
        return field;
    }
    Py_DECREF(field);
    return number;
}

static PyObject *
reduce(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return reduce_to_arguments(
        object,
        Py_BuildValue("(NNNNNNNNNNN)", topic(object, NULL),
                      or_number(partition(object, NULL), PyLong_FromLong(-1)),
                      or_number(offset(object, NULL), PyLong_FromLong(RD_KAFKA_OFFSET_INVALID)),
                      key(object, NULL), value(object, NULL), headers(object, NULL),
                      error(object, NULL), timestamp(object, NULL),
                      or_number(latency(object, NULL), PyFloat_FromDouble(-1)),
                      or_number(leader_epoch(object, NULL), PyLong_FromLong(-1)),
                      or_number(delivery_count(object, NULL), PyLong_FromLong(-1))));
}

/* ---- documentation and tables ---- */

PyDoc_STRVAR(message_doc,
"Message(topic=None, partition=None, offset=None, key=None, value=None, headers=None, "
"error=None, timestamp=None, latency=None, leader_epoch=None, delivery_count=None)\n"
"--\n\n"
"A consumed record, a delivery report, or an error instead of a record: look at error()\n"
"first.\n\n"
"Consumer.poll() and delivery callbacks create messages; the constructor is for tests and tools.\n"
"Two messages are equal if they are the same record with the same content. ``len(message)`` is\n"
"the length of the value. So a message without a value is false, and a message whose value is a\n"
"number has no truth value: write ``message is None`` instead of ``not message``.\n\n"
"For mocks, topic, key, value, headers and error may be any objects, which the methods of these\n"
"names return. Messages that are committed need the types below.\n\n"
"Args:\n"
"    topic (str): the topic's name.\n"
"    partition (int): the partition's number; negative for none.\n"
"    offset (int): the record's offset; negative for none.\n"
"    key (object): bytes, or an object from a deserializer.\n"
"    value (object): bytes, or an object from a deserializer.\n"
"    headers (list): (name, value) pairs; a dict is also accepted.\n"
"    error (KafkaError): what went wrong.\n"
"    timestamp (tuple): (type, milliseconds since the epoch); the type is one of the constants\n"
"        TIMESTAMP_CREATE_TIME and so on.\n"
"    latency (float): seconds from produce() to the acknowledgement.\n"
"    leader_epoch (int): the leader's epoch at the offset; negative for none.\n"
"    delivery_count (int): how often a share group delivered the record, up to 32,767; 0 for\n"
"        none.\n\n"
"Raises:\n"
"    TypeError, ValueError, OverflowError: an argument has a wrong type or value.\n\n"
"librdkafka: rd_kafka_message_t.");

PyDoc_STRVAR(topic_doc,
"topic($self, /)\n--\n\n"
"Return the topic's name, a str, or None.\n\n"
"librdkafka: rd_kafka_topic_name().");
PyDoc_STRVAR(partition_doc,
"partition($self, /)\n--\n\n"
"Return the partition's number, an int, or None.\n\n"
"librdkafka: rd_kafka_message_t.partition.");
PyDoc_STRVAR(offset_doc,
"offset($self, /)\n--\n\n"
"Return the record's offset, an int, or None. A delivery report has none if the message was\n"
"not written, or if a retry of an idempotent producer wrote it.\n\n"
"librdkafka: rd_kafka_message_t.offset.");
PyDoc_STRVAR(key_doc,
"key($self, /)\n--\n\n"
"Return the key: bytes, None, or an object that a deserializer or set_key() has set.\n\n"
"librdkafka: rd_kafka_message_t.key.");
PyDoc_STRVAR(value_doc,
"value($self, /)\n--\n\n"
"Return the value: bytes, None, or an object that a deserializer or set_value() has set. For an\n"
"error from a consumer, the value is librdkafka's text of the error.\n\n"
"librdkafka: rd_kafka_message_t.payload.");
PyDoc_STRVAR(headers_doc,
"headers($self, /)\n--\n\n"
"Return the headers, a list of (str, bytes or None) in order, including duplicates; None if there\n"
"are none. Delivery reports have headers, too. They are parsed when they are first read. If a\n"
"name is not UTF-8, its wrong bytes are replaced by U+FFFD.\n\n"
"librdkafka: rd_kafka_message_headers() (KIP-82).");
PyDoc_STRVAR(error_doc,
"error($self, /)\n--\n\n"
"Return the KafkaError of an event or a failed delivery, or None if there is no error.\n\n"
"librdkafka: rd_kafka_message_errstr(), rd_kafka_message_produce_errstr() (KIP-467).");
PyDoc_STRVAR(timestamp_doc,
"timestamp($self, /)\n--\n\n"
"Return the pair (type, milliseconds since the epoch, UTC). The type is TIMESTAMP_CREATE_TIME,\n"
"TIMESTAMP_LOG_APPEND_TIME or TIMESTAMP_NOT_AVAILABLE; with the last one, the number\n"
"means nothing.\n\n"
"librdkafka: rd_kafka_message_timestamp() (KIP-32).");
PyDoc_STRVAR(latency_doc,
"latency($self, /)\n--\n\n"
"Return the seconds from produce() until the delivery report was served, a float. None for\n"
"consumed messages.\n\n"
"librdkafka: rd_kafka_message_latency().");
PyDoc_STRVAR(leader_epoch_doc,
"leader_epoch($self, /)\n--\n\n"
"Return the epoch of the partition's leader when the record was fetched, an int, or None.\n\n"
"librdkafka: rd_kafka_message_leader_epoch() (KIP-320).");
PyDoc_STRVAR(delivery_count_doc,
"delivery_count($self, /)\n--\n\n"
"Return how often a share group has delivered this record, an int from 1. None from other\n"
"consumers, which do not count deliveries.\n\n"
"librdkafka: rd_kafka_message_delivery_count() (KIP-932).");
PyDoc_STRVAR(class_getitem_doc,
"For type annotations: Message[K, V] is a message whose deserialized_key() is a K and whose\n"
"deserialized_value() is a V.");

PyDoc_STRVAR(deserialized_key_doc,
"deserialized_key($self, /)\n--\n\n"
"Return the same object as key(). Use it for a key that a deserializer has made.\n\n"
"librdkafka: rd_kafka_message_t.key.");
PyDoc_STRVAR(deserialized_value_doc,
"deserialized_value($self, /)\n--\n\n"
"Return the same object as value(). Use it for a value that a deserializer has made.\n\n"
"librdkafka: rd_kafka_message_t.payload.");
PyDoc_STRVAR(set_topic_doc,
"set_topic($self, topic, /)\n--\n\n"
"Replace the topic's name by a str or None; for mocks by any object.");
PyDoc_STRVAR(set_key_doc,
"set_key($self, key, /)\n--\n\n"
"Replace the key by any object, as a deserializer does.");
PyDoc_STRVAR(set_value_doc,
"set_value($self, value, /)\n--\n\n"
"Replace the value by any object, as a deserializer does.");
PyDoc_STRVAR(set_headers_doc,
"set_headers($self, headers, /)\n--\n\n"
"Replace the headers by a list of (name, value) pairs, a dict or None; for mocks by any object.");
PyDoc_STRVAR(set_error_doc,
"set_error($self, error, /)\n--\n\n"
"Replace the error by a KafkaError or None; for mocks by any object.");

static PyMethodDef methods[] = {
    {"topic", topic, METH_NOARGS, topic_doc},
    {"partition", partition, METH_NOARGS, partition_doc},
    {"offset", offset, METH_NOARGS, offset_doc},
    {"key", key, METH_NOARGS, key_doc},
    {"value", value, METH_NOARGS, value_doc},
    {"headers", headers, METH_NOARGS, headers_doc},
    {"error", error, METH_NOARGS, error_doc},
    {"timestamp", timestamp, METH_NOARGS, timestamp_doc},
    {"latency", latency, METH_NOARGS, latency_doc},
    {"leader_epoch", leader_epoch, METH_NOARGS, leader_epoch_doc},
    {"delivery_count", delivery_count, METH_NOARGS, delivery_count_doc},
    {"deserialized_key", key, METH_NOARGS, deserialized_key_doc},
    {"deserialized_value", value, METH_NOARGS, deserialized_value_doc},
    {"set_topic", set_topic, METH_O, set_topic_doc},
    {"set_key", set_key, METH_O, set_key_doc},
    {"set_value", set_value, METH_O, set_value_doc},
    {"set_headers", set_headers, METH_O, set_headers_doc},
    {"set_error", set_error, METH_O, set_error_doc},
    {"__reduce__", reduce, METH_NOARGS, NULL},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, class_getitem_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, (void *)message_doc},
    {Py_tp_new, new},
    {Py_tp_init, init},
    {Py_tp_traverse, traverse},
    {Py_tp_clear, clear},
    {Py_tp_dealloc, dealloc},
    {Py_tp_repr, repr},
    {Py_tp_hash, PyObject_HashNotImplemented},
    {Py_tp_richcompare, richcompare},
    {Py_mp_length, length},
    {Py_tp_methods, methods},
    {0, NULL},
};

static PyType_Spec message_spec = {
    .name = "confluent_kafka.cimpl.Message",
    .basicsize = sizeof(Message),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};

int
message_type_add(PyObject *module, module_state *state)
{
    state->Message = module_add_type(module, &message_spec, NULL);
    return state->Message == NULL ? -1 : 0;
}

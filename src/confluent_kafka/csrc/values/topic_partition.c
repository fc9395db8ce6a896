#include "values/topic_partition.h"

#include <stdatomic.h>
#include <string.h>

#include "base/args.h"
#include "base/list.h"
#include "base/text.h"
#include "values/error.h"
#include "values/reduce.h"

typedef struct {
    PyObject_HEAD
    PyObject *topic;    /* str */
    PyObject *metadata; /* str or None */
    PyObject *error;    /* KafkaError or None */
    /* Atomic, because these two may be set while another thread reads them. */
    _Atomic int64_t offset;
    _Atomic int32_t partition;
    int32_t leader_epoch; /* -1: none */
} TopicPartition;

/* ---- from and to librdkafka ---- */

static PyObject *
metadata_from(const rd_kafka_topic_partition_t *rktpar)
{
    if (rktpar->metadata == NULL) {
        Py_RETURN_NONE;
    }
    /* Ends at a NUL, because confluent-kafka-python commits the text with a NUL after it. */
    size_t size = strnlen(rktpar->metadata, rktpar->metadata_size);
    return PyUnicode_DecodeUTF8(rktpar->metadata, (Py_ssize_t)size, "replace");
}

PyObject *
topic_partition_from(module_state *state, const rd_kafka_topic_partition_t *rktpar)
{
    PyTypeObject *type = state->TopicPartition;
    PyObject *topic = text_from(rktpar->topic);
    PyObject *metadata = metadata_from(rktpar);
    PyObject *error = kafka_error_or_none(state, rktpar->err, NULL);
    TopicPartition *self = NULL;
    if (topic != NULL && metadata != NULL && error != NULL) {
        self = (TopicPartition *)type->tp_alloc(type, 0);
    }
    if (self == NULL) {
        Py_XDECREF(topic);
        Py_XDECREF(metadata);
        Py_XDECREF(error);
        return NULL;
    }
    self->topic = topic;
    self->metadata = metadata;
    self->error = error;
    self->partition = rktpar->partition;
    self->offset = rktpar->offset;
    self->leader_epoch = rd_kafka_topic_partition_get_leader_epoch(rktpar);
    return (PyObject *)self;
}

typedef struct {
    module_state *state;
    const rd_kafka_topic_partition_t *entries;
} entry_array;

static PyObject *
partition_of(const void *from, size_t i)
{
    const entry_array *array = from;
    return topic_partition_from(array->state, &array->entries[i]);
}

PyObject *
topic_partitions_from(module_state *state, const rd_kafka_topic_partition_list_t *list)
{
    entry_array from = {state, list == NULL ? NULL : list->elems};
    return list_of(list == NULL ? 0 : (size_t)list->cnt, partition_of, &from);
}

/* librdkafka frees the metadata of its lists, so it must come from librdkafka's allocator. */
static int
set_metadata(rd_kafka_topic_partition_t *rktpar, PyObject *metadata)
{
    if (metadata == Py_None) {
        return 0;
    }
    Py_ssize_t size;
    const char *text = arg_utf8(metadata, "metadata", &size);
    if (text == NULL) {
        return -1;
    }
    rktpar->metadata = rd_kafka_mem_malloc(NULL, (size_t)size + 1);
    if (rktpar->metadata == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(rktpar->metadata, text, (size_t)size + 1);
    /* For librdkafka, metadata of length 0 means no metadata, so that "" would come back as None.
     * Therefore its NUL is committed as well. */
    rktpar->metadata_size = size == 0 ? 1 : (size_t)size;
    return 0;
}

/* The longest name that librdkafka accepts; it crashes if a longer name is assigned. */
#define MAX_TOPIC 512

static int
add_to_list(const TopicPartition *self, rd_kafka_topic_partition_list_t *list)
{
    Py_ssize_t size;
    const char *topic = arg_utf8(self->topic, "topic", &size);
    if (topic == NULL) {
        return -1;
    }
    if (size > MAX_TOPIC) {
        PyErr_Format(PyExc_ValueError, "topic must have at most %d bytes, not %zd", MAX_TOPIC,
                     size);
        return -1;
    }
    rd_kafka_topic_partition_t *rktpar =
        rd_kafka_topic_partition_list_add(list, topic, self->partition);
    rktpar->offset = self->offset;
    rd_kafka_topic_partition_set_leader_epoch(rktpar, self->leader_epoch);
    return set_metadata(rktpar, self->metadata);
}

/* Raises the text that programs match, with a note. `item` is the index in a list, or -1. */
static void
raise_not_topic_partition(PyObject *object, const char *name, Py_ssize_t item)
{
    const char *type = Py_TYPE(object)->tp_name;
    PyErr_SetString(PyExc_TypeError, "expected cimpl.TopicPartition");
    if (item < 0) {
        add_note("%s must be a TopicPartition, not %.100s", name, type);
    }
    else {
        add_note("%s[%zd] must be a TopicPartition, not %.100s", name, item, type);
    }
}

int
topic_partition_add_to(module_state *state, PyObject *object, const char *name,
                       rd_kafka_topic_partition_list_t *list)
{
    if (!PyObject_TypeCheck(object, state->TopicPartition)) {
        raise_not_topic_partition(object, name, -1);
        return -1;
    }
    return add_to_list((TopicPartition *)object, list);
}

rd_kafka_topic_partition_list_t *
topic_partitions_to_c(module_state *state, PyObject *sequence, const char *name)
{
    if (arg_list_or(sequence, name, "TopicPartition", "requires list of TopicPartition") < 0) {
        return NULL;
    }
    /* A tuple, because another thread could shorten the list. */
    PyObject *items = PySequence_Tuple(sequence);
    if (items == NULL) {
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)count);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GET_ITEM(items, i);
        int failed = -1;
        if (PyObject_TypeCheck(item, state->TopicPartition)) {
            failed = add_to_list((TopicPartition *)item, list);
        }
        else {
            raise_not_topic_partition(item, name, i);
        }
        if (failed) {
            rd_kafka_topic_partition_list_destroy(list);
            list = NULL;
            break;
        }
    }
    Py_DECREF(items);
    return list;
}

static PyObject *
topic_name_of(const void *list, size_t i)
{
    return PyUnicode_FromString(((const rd_kafka_topic_partition_list_t *)list)->elems[i].topic);
}

PyObject *
topic_names_from(const rd_kafka_topic_partition_list_t *list)
{
    return list_of((size_t)list->cnt, topic_name_of, list);
}

rd_kafka_topic_partition_list_t *
topics_to_c(PyObject *topics)
{
    if (arg_list_or(topics, "topics", "str", "expected list of topic unicode strings") < 0) {
        return NULL;
    }
    PyObject *fast = PySequence_Tuple(topics);
    if (fast == NULL) {
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(fast);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)count);
    for (Py_ssize_t i = 0; i < count; i++) {
        char name[40];
        PyOS_snprintf(name, sizeof(name), "topics[%zd]", i);
        const char *topic = arg_utf8(PyTuple_GET_ITEM(fast, i), name, NULL);
        if (topic == NULL) {
            rd_kafka_topic_partition_list_destroy(list);
            list = NULL;
            break;
        }
        rd_kafka_topic_partition_list_add(list, topic, RD_KAFKA_PARTITION_UA);
    }
    Py_DECREF(fast);
    return list;
}

/* ---- the type ---- */

SIGNATURE(topic_partition_signature, "TopicPartition()", 1, 6, P_topic, P_partition,
          P_offset, P_metadata, P_leader_epoch, P_error);

static PyObject *
topic_partition_new(PyTypeObject *type, PyObject *Py_UNUSED(args),
                    PyObject *Py_UNUSED(kwargs))
{
    PyObject *topic = PyUnicode_FromString("");
    if (topic == NULL) {
        return NULL;
    }
    TopicPartition *self = (TopicPartition *)type->tp_alloc(type, 0);
    if (self == NULL) {
        Py_DECREF(topic);
        return NULL;
    }
    self->topic = topic;
    self->metadata = Py_NewRef(Py_None);
    self->error = Py_NewRef(Py_None);
    self->partition = RD_KAFKA_PARTITION_UA;
    self->offset = RD_KAFKA_OFFSET_INVALID;
    self->leader_epoch = -1;
    return (PyObject *)self;
}

static int
leader_epoch_from_arg(PyObject *object, int32_t *leader_epoch)
{
    if (object == NULL || object == Py_None) {
        return 0;
    }
    if (arg_int32(object, "leader_epoch", INT32_MIN, INT32_MAX, leader_epoch) < 0) {
        return -1;
    }
    if (*leader_epoch < 0) {
        *leader_epoch = -1;
    }
    return 0;
}

static int
topic_partition_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    enum { TOPIC, PARTITION, OFFSET, METADATA, LEADER_EPOCH, ERROR, COUNT };
    TopicPartition *self = (TopicPartition *)object;
    PyObject *values[COUNT];
    int32_t partition = RD_KAFKA_PARTITION_UA, leader_epoch = -1;
    int64_t offset = RD_KAFKA_OFFSET_INVALID;
    module_state *state = module_state_of_type(Py_TYPE(self));
    if (args_parse_tuple(state, &topic_partition_signature, args, kwargs, values) < 0) {
        return -1;
    }
    PyObject *metadata = values[METADATA] == NULL ? Py_None : values[METADATA];
    PyObject *error = values[ERROR] == NULL ? Py_None : values[ERROR];
    if (arg_utf8(values[TOPIC], "topic", NULL) == NULL
        || (values[PARTITION] != NULL
            && arg_int32(values[PARTITION], "partition", INT32_MIN, INT32_MAX, &partition)
                   < 0)
        || (values[OFFSET] != NULL
            && arg_int64(values[OFFSET], "offset", INT64_MIN, INT64_MAX, &offset) < 0)
        || (metadata != Py_None && arg_utf8(metadata, "metadata", NULL) == NULL)
        || leader_epoch_from_arg(values[LEADER_EPOCH], &leader_epoch) < 0
        || arg_kafka_error(state, error, "error") < 0) {
        return -1;
    }
    self->partition = partition;
    self->offset = offset;
    self->leader_epoch = leader_epoch;
    Py_SETREF(self->topic, Py_NewRef(values[TOPIC]));
    Py_SETREF(self->metadata, Py_NewRef(metadata));
    Py_SETREF(self->error, Py_NewRef(error));
    return 0;
}

static int
topic_partition_traverse(PyObject *object, visitproc visit, void *arg)
{
    TopicPartition *self = (TopicPartition *)object;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->topic);
    Py_VISIT(self->metadata);
    Py_VISIT(self->error);
    return 0;
}

static int
topic_partition_clear(PyObject *object)
{
    TopicPartition *self = (TopicPartition *)object;
    /* A subclass of KafkaError can hold any object. The strings stay, because hash and order need
     * them as long as the object can be seen. */
    Py_CLEAR(self->error);
    return 0;
}

static void
topic_partition_dealloc(PyObject *object)
{
    TopicPartition *self = (TopicPartition *)object;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(self->topic);
    Py_XDECREF(self->metadata);
    Py_XDECREF(self->error);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
leader_epoch_object(const TopicPartition *self)
{
    if (self->leader_epoch < 0) {
        Py_RETURN_NONE;
    }
    return PyLong_FromLong(self->leader_epoch);
}

static PyObject *
topic_partition_repr(PyObject *object)
{
    TopicPartition *self = (TopicPartition *)object;
    PyObject *leader_epoch = leader_epoch_object(self);
    if (leader_epoch == NULL) {
        return NULL;
    }
    PyObject *text = PyUnicode_FromFormat(
        "TopicPartition{topic=%U,partition=%d,offset=%lld,leader_epoch=%S,error=%S}",
        self->topic, (int)self->partition, (long long)self->offset, leader_epoch,
        self->error == NULL ? Py_None : self->error);
    Py_DECREF(leader_epoch);
    return text;
}

/* Offset, metadata, epoch and error describe the partition; they do not identify it. */
static Py_hash_t
topic_partition_hash(PyObject *object)
{
    TopicPartition *self = (TopicPartition *)object;
    Py_hash_t hash = PyObject_Hash(self->topic);
    if (hash == -1) {
        return -1;
    }
    hash ^= (Py_hash_t)self->partition;
    return hash == -1 ? -2 : hash;
}

static PyObject *
topic_partition_richcompare(PyObject *object, PyObject *other, int operation)
{
    module_state *state = module_state_of_type(Py_TYPE(object));
    if (!PyObject_TypeCheck(other, state->TopicPartition)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    TopicPartition *self = (TopicPartition *)object, *that = (TopicPartition *)other;
    int order = PyUnicode_Compare(self->topic, that->topic);
    if (order == -1 && PyErr_Occurred()) {
        return NULL;
    }
    if (order == 0) {
        int32_t mine = self->partition, theirs = that->partition;
        order = (mine > theirs) - (mine < theirs);
    }
    Py_RETURN_RICHCOMPARE(order, 0, operation);
}

static PyObject *
topic_partition_reduce(PyObject *object, PyObject *Py_UNUSED(unused))
{
    TopicPartition *self = (TopicPartition *)object;
    return reduce_to_arguments(
        object, Py_BuildValue("(OiLONO)", self->topic, (int)self->partition,
                              (long long)self->offset, self->metadata,
                              leader_epoch_object(self),
                              self->error == NULL ? Py_None : self->error));
}

/* ---- attributes ---- */

static PyObject *
get_topic(PyObject *object, void *Py_UNUSED(closure))
{
    return Py_NewRef(((TopicPartition *)object)->topic);
}

static PyObject *
get_partition(PyObject *object, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(((TopicPartition *)object)->partition);
}

static PyObject *
get_offset(PyObject *object, void *Py_UNUSED(closure))
{
    return PyLong_FromLongLong(((TopicPartition *)object)->offset);
}

static PyObject *
get_metadata(PyObject *object, void *Py_UNUSED(closure))
{
    return Py_NewRef(((TopicPartition *)object)->metadata);
}

static PyObject *
get_leader_epoch(PyObject *object, void *Py_UNUSED(closure))
{
    return leader_epoch_object((TopicPartition *)object);
}

static PyObject *
get_error(PyObject *object, void *Py_UNUSED(closure))
{
    TopicPartition *self = (TopicPartition *)object;
    return Py_NewRef(self->error == NULL ? Py_None : self->error);
}

static bool
may_not_delete(PyObject *value, const char *name)
{
    if (value != NULL) {
        return false;
    }
    PyErr_Format(PyExc_TypeError, "%s cannot be deleted", name);
    return true;
}

static int
set_partition(PyObject *object, PyObject *value, void *Py_UNUSED(closure))
{
    int32_t partition;
    if (may_not_delete(value, "partition")
        || arg_int32(value, "partition", INT32_MIN, INT32_MAX, &partition) < 0) {
        return -1;
    }
    ((TopicPartition *)object)->partition = partition;
    return 0;
}

static int
set_offset(PyObject *object, PyObject *value, void *Py_UNUSED(closure))
{
    int64_t offset;
    if (may_not_delete(value, "offset")
        || arg_int64(value, "offset", INT64_MIN, INT64_MAX, &offset) < 0) {
        return -1;
    }
    ((TopicPartition *)object)->offset = offset;
    return 0;
}

PyDoc_STRVAR(topic_partition_doc,
"TopicPartition(topic, partition=-1, offset=-1001, metadata=None, leader_epoch=None, "
"error=None)\n"
"--\n\n"
"One partition of a topic, with an offset and other results of a call.\n\n"
"Equality, order and hash use topic and partition only: the offset describes the partition, but\n"
"does not identify it. Topic, metadata, leader epoch and error are read-only.\n\n"
"Args:\n"
"    topic (str): the topic's name.\n"
"    partition (int): the partition's number; -1 for none (PARTITION_UA).\n"
"    offset (int): an absolute offset, or OFFSET_BEGINNING, OFFSET_END, OFFSET_STORED,\n"
"        OFFSET_INVALID. For offsets_for_times(), a time in ms since the epoch.\n"
"    metadata (str): text that is committed together with the offset.\n"
"    leader_epoch (int): the epoch of the partition's leader at the offset; None or a negative\n"
"        number if it is unknown (KIP-320).\n"
"    error (KafkaError): the error of this partition in a result.\n\n"
"Raises:\n"
"    TypeError, ValueError, OverflowError: an argument has a wrong type or value.\n\n"
"librdkafka: rd_kafka_topic_partition_t.");

static PyMethodDef topic_partition_methods[] = {
    {"__reduce__", topic_partition_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef topic_partition_getset[] = {
    {"topic", get_topic, NULL, "The topic's name.", NULL},
    {"partition", get_partition, set_partition, "The partition's number.", NULL},
    {"offset", get_offset, set_offset, "The offset, or a constant such as OFFSET_END.",
     NULL},
    {"metadata", get_metadata, NULL, "Text committed with the offset, or None.", NULL},
    {"leader_epoch", get_leader_epoch, NULL, "The leader's epoch, or None.", NULL},
    {"error", get_error, NULL, "This partition's KafkaError in a result, or None.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot topic_partition_slots[] = {
    {Py_tp_doc, (void *)topic_partition_doc},
    {Py_tp_new, topic_partition_new},
    {Py_tp_init, topic_partition_init},
    {Py_tp_traverse, topic_partition_traverse},
    {Py_tp_clear, topic_partition_clear},
    {Py_tp_dealloc, topic_partition_dealloc},
    {Py_tp_repr, topic_partition_repr},
    {Py_tp_hash, topic_partition_hash},
    {Py_tp_richcompare, topic_partition_richcompare},
    {Py_tp_methods, topic_partition_methods},
    {Py_tp_getset, topic_partition_getset},
    {0, NULL},
};

static PyType_Spec topic_partition_spec = {
    .name = "confluent_kafka.cimpl.TopicPartition",
    .basicsize = sizeof(TopicPartition),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = topic_partition_slots,
};

int
topic_partition_type_add(PyObject *module, module_state *state)
{
    state->TopicPartition = module_add_type(module, &topic_partition_spec, NULL);
    return state->TopicPartition == NULL ? -1 : 0;
}

/*
 * NewTopic and NewPartitions: the arguments of create_topics() and create_partitions().
 *
 * Their values are checked when a request is made, because they can be changed until then.
 */
#include "admin/admin.h"

#include "values/reduce.h"

#include <stddef.h>
#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *topic; /* str */
    PyObject *count; /* num_partitions of a NewTopic, new_total_count of a NewPartitions */
    PyObject *replication_factor; /* NULL in a NewPartitions */
    PyObject *replica_assignment;
    PyObject *config; /* NULL in a NewPartitions */
} NewTopic;

static PyObject *
or_else(PyObject *value, PyObject *otherwise)
{
    return Py_NewRef(value == NULL ? otherwise : value);
}

/* ---- construction ---- */

SIGNATURE(new_topic_signature, "NewTopic()", 1, 5, P_topic, P_num_partitions,
          P_replication_factor, P_replica_assignment, P_config);
SIGNATURE(new_partitions_signature, "NewPartitions()", 2, 3, P_topic, P_new_total_count,
          P_replica_assignment);

/* Checks that an argument, if given, is an int of 32 bits. */
static int
check_int(PyObject *value, const char *name)
{
    int32_t ignored;
    return value == NULL ? 0 : arg_int32(value, name, INT32_MIN, INT32_MAX, &ignored);
}

static int
new_topic_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    NewTopic *self = (NewTopic *)object;
    module_state *state = module_state_of_type(Py_TYPE(object));
    PyObject *values[5];
    if (args_parse_tuple(state, &new_topic_signature, args, kwargs, values) < 0
        || arg_utf8(values[0], "topic", NULL) == NULL
        || check_int(values[1], "num_partitions") < 0
        || check_int(values[2], "replication_factor") < 0) {
        return -1;
    }
    PyObject *broker_default = PyLong_FromLong(-1);
    if (broker_default == NULL) {
        return -1;
    }
    Py_XSETREF(self->topic, Py_NewRef(values[0]));
    Py_XSETREF(self->count, or_else(values[1], broker_default));
    Py_XSETREF(self->replication_factor, or_else(values[2], broker_default));
    Py_XSETREF(self->replica_assignment, or_else(values[3], Py_None));
    Py_XSETREF(self->config, or_else(values[4], Py_None));
    Py_DECREF(broker_default);
    return 0;
}

static int
new_partitions_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    NewTopic *self = (NewTopic *)object;
    module_state *state = module_state_of_type(Py_TYPE(object));
    PyObject *values[3];
    if (args_parse_tuple(state, &new_partitions_signature, args, kwargs, values) < 0
        || arg_utf8(values[0], "topic", NULL) == NULL
        || check_int(values[1], "new_total_count") < 0) {
        return -1;
    }
    Py_XSETREF(self->topic, Py_NewRef(values[0]));
    Py_XSETREF(self->count, Py_NewRef(values[1]));
    Py_XSETREF(self->replica_assignment, or_else(values[2], Py_None));
    return 0;
}

static int
new_topic_traverse(PyObject *object, visitproc visit, void *arg)
{
    NewTopic *self = (NewTopic *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->topic);
    Py_VISIT(self->count);
    Py_VISIT(self->replication_factor);
    Py_VISIT(self->replica_assignment);
    Py_VISIT(self->config);
    return 0;
}

static int
new_topic_clear(PyObject *object)
{
    NewTopic *self = (NewTopic *)object;
    Py_CLEAR(self->topic);
    Py_CLEAR(self->count);
    Py_CLEAR(self->replication_factor);
    Py_CLEAR(self->replica_assignment);
    Py_CLEAR(self->config);
    return 0;
}

static void
new_topic_dealloc(PyObject *object)
{
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    Py_TRASHCAN_BEGIN(object, new_topic_dealloc)
    new_topic_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

/* ---- comparing, showing, pickling ---- */

/* All fields as a tuple, for comparing and pickling; new reference. */
static PyObject *
new_topic_fields(PyObject *object)
{
    module_state *state = module_state_of_type(Py_TYPE(object));
    NewTopic *self = (NewTopic *)object;
    if (self->topic == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "it is not initialised: call super().__init__()");
        return NULL;
    }
    const signature *arguments = PyObject_TypeCheck(object, state->NewPartitions)
                                     ? &new_partitions_signature
                                     : &new_topic_signature;
    Py_ssize_t count = arguments->count;
    PyObject *fields = PyTuple_New(count);
    for (Py_ssize_t i = 0; fields != NULL && i < count; i++) {
        PyObject *name = state->parameters[arguments->parameters[i]];
        PyObject *field = PyObject_GetAttr(object, name);
        if (field == NULL) {
            Py_CLEAR(fields);
        }
        else {
            PyTuple_SET_ITEM(fields, i, field);
        }
    }
    return fields;
}

static PyObject *
new_topic_richcompare(PyObject *object, PyObject *other, int operation)
{
    module_state *state = module_state_of_type(Py_TYPE(object));
    PyTypeObject *kind = PyObject_TypeCheck(object, state->NewTopic) ? state->NewTopic
                                                                     : state->NewPartitions;
    bool ordering = operation != Py_EQ && operation != Py_NE;
    if (!PyObject_TypeCheck(other, kind)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyObject *fields = new_topic_fields(object);
    PyObject *others = fields == NULL ? NULL : new_topic_fields(other);
    PyObject *result = NULL;
    if (others != NULL && ordering) {
        /* Topic and count can be ordered; the other fields may not have an order. */
        PyObject *left = PyTuple_GetSlice(fields, 0, 2);
        PyObject *right = PyTuple_GetSlice(others, 0, 2);
        if (left != NULL && right != NULL) {
            result = PyObject_RichCompare(left, right, operation);
        }
        Py_XDECREF(left);
        Py_XDECREF(right);
    }
    else if (others != NULL) {
        result = PyObject_RichCompare(fields, others, operation);
    }
    Py_XDECREF(fields);
    Py_XDECREF(others);
    return result;
}

/* The hash of the topic, because the other fields can change. */
static Py_hash_t
new_topic_hash(PyObject *object)
{
    NewTopic *self = (NewTopic *)object;
    return PyObject_Hash(self->topic == NULL ? Py_None : self->topic);
}

static PyObject *
new_topic_repr(PyObject *object)
{
    PyObject *fields = new_topic_fields(object);
    if (fields == NULL) {
        return NULL;
    }
    PyObject *text;
    if (PyTuple_GET_SIZE(fields) == 3) {
        text = PyUnicode_FromFormat(
            "NewPartitions(topic=%R, new_total_count=%R, replica_assignment=%R)",
            PyTuple_GET_ITEM(fields, 0), PyTuple_GET_ITEM(fields, 1),
            PyTuple_GET_ITEM(fields, 2));
    }
    else {
        text = PyUnicode_FromFormat("NewTopic(topic=%R, num_partitions=%R, "
                                    "replication_factor=%R, replica_assignment=%R, config=%R)",
                                    PyTuple_GET_ITEM(fields, 0), PyTuple_GET_ITEM(fields, 1),
                                    PyTuple_GET_ITEM(fields, 2), PyTuple_GET_ITEM(fields, 3),
                                    PyTuple_GET_ITEM(fields, 4));
    }
    Py_DECREF(fields);
    return text;
}

static PyObject *
new_topic_reduce(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return reduce_to_arguments(object, new_topic_fields(object));
}

static PyMethodDef new_topic_methods[] = {
    {"__reduce__", new_topic_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* ---- the types ---- */

static PyMemberDef new_topic_members[] = {
    {"topic", T_OBJECT_EX, offsetof(NewTopic, topic), READONLY, "The topic's name."},
    {"num_partitions", T_OBJECT_EX, offsetof(NewTopic, count), 0,
     "The number of partitions; -1 for the broker's default."},
    {"replication_factor", T_OBJECT_EX, offsetof(NewTopic, replication_factor), 0,
     "The number of replicas of each partition; -1 for the broker's default."},
    {"replica_assignment", T_OBJECT_EX, offsetof(NewTopic, replica_assignment), 0,
     "For each partition the ids of the brokers that get a replica, or None."},
    {"config", T_OBJECT_EX, offsetof(NewTopic, config), 0,
     "The topic's configuration, a dict, or None."},
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(new_topic_doc,
"NewTopic(topic, num_partitions=-1, replication_factor=-1, replica_assignment=None, config=None)\n"
"--\n\n"
"A topic for create_topics(), which checks its values.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    num_partitions (int): the number of partitions; -1 for the broker's default.\n"
"    replication_factor (int): the number of replicas of each partition; -1 for the broker's\n"
"        default.\n"
"    replica_assignment (list of list of int, optional): for each partition, the ids of the\n"
"        brokers that get a replica, the preferred leader first. Use it instead of\n"
"        replication_factor.\n"
"    config (dict, optional): the topic's configuration; values are texts or numbers, for example\n"
"        {'retention.ms': '3600000'}.\n\n"
"Raises:\n"
"    TypeError, OverflowError: topic is not a str, or a number is not an int of 32 bits.\n\n"
"librdkafka: rd_kafka_NewTopic_new().");

static PyType_Slot new_topic_slots[] = {
    {Py_tp_doc, (void *)new_topic_doc},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, new_topic_init},
    {Py_tp_dealloc, new_topic_dealloc},
    {Py_tp_traverse, new_topic_traverse},
    {Py_tp_clear, new_topic_clear},
    {Py_tp_richcompare, new_topic_richcompare},
    {Py_tp_hash, new_topic_hash},
    {Py_tp_repr, new_topic_repr},
    {Py_tp_methods, new_topic_methods},
    {Py_tp_members, new_topic_members},
    {0, NULL},
};

static PyType_Spec new_topic_spec = {
    .name = "confluent_kafka.cimpl.NewTopic",
    .basicsize = sizeof(NewTopic),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = new_topic_slots,
};

static PyMemberDef new_partitions_members[] = {
    {"topic", T_OBJECT_EX, offsetof(NewTopic, topic), READONLY, "The topic's name."},
    {"new_total_count", T_OBJECT_EX, offsetof(NewTopic, count), 0,
     "The new number of partitions of the topic."},
    {"replica_assignment", T_OBJECT_EX, offsetof(NewTopic, replica_assignment), 0,
     "For each new partition the ids of the brokers that get a replica, or None."},
    {NULL, 0, 0, 0, NULL},
};

PyDoc_STRVAR(new_partitions_doc,
"NewPartitions(topic, new_total_count, replica_assignment=None)\n"
"--\n\n"
"A new number of partitions for create_partitions(), which checks its values.\n\n"
"Args:\n"
"    topic (str): the name of the topic.\n"
"    new_total_count (int): the new number of partitions, greater than the current number.\n"
"    replica_assignment (list of list of int, optional): for each new partition, the ids of the\n"
"        brokers that get a replica, the preferred leader first.\n\n"
"Raises:\n"
"    TypeError, OverflowError: topic is not a str, or new_total_count is not an int of 32 bits.\n\n"
"librdkafka: rd_kafka_NewPartitions_new().");

static PyType_Slot new_partitions_slots[] = {
    {Py_tp_doc, (void *)new_partitions_doc},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, new_partitions_init},
    {Py_tp_dealloc, new_topic_dealloc},
    {Py_tp_traverse, new_topic_traverse},
    {Py_tp_clear, new_topic_clear},
    {Py_tp_richcompare, new_topic_richcompare},
    {Py_tp_hash, new_topic_hash},
    {Py_tp_repr, new_topic_repr},
    {Py_tp_methods, new_topic_methods},
    {Py_tp_members, new_partitions_members},
    {0, NULL},
};

static PyType_Spec new_partitions_spec = {
    .name = "confluent_kafka.cimpl.NewPartitions",
    .basicsize = sizeof(NewTopic),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = new_partitions_slots,
};

int
new_topic_types_add(PyObject *module, module_state *state)
{
    state->NewTopic = module_add_type(module, &new_topic_spec, NULL);
    state->NewPartitions = module_add_type(module, &new_partitions_spec, NULL);
    return state->NewTopic == NULL || state->NewPartitions == NULL ? -1 : 0;
}

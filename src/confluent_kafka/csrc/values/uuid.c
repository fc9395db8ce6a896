#include "values/uuid.h"

#include "base/args.h"
#include "values/reduce.h"

typedef struct {
    PyObject_HEAD
    int64_t most_significant_bits, least_significant_bits;
} Uuid;

PyObject *
uuid_from(module_state *state, const rd_kafka_Uuid_t *uuid)
{
    Uuid *self = (Uuid *)state->Uuid->tp_alloc(state->Uuid, 0);
    if (self != NULL) {
        self->most_significant_bits = rd_kafka_Uuid_most_significant_bits(uuid);
        self->least_significant_bits = rd_kafka_Uuid_least_significant_bits(uuid);
    }
    return (PyObject *)self;
}

SIGNATURE(uuid_signature, "Uuid()", 2, 2, P_most_significant_bits,
          P_least_significant_bits);

static int
uuid_init(PyObject *object, PyObject *args, PyObject *kwargs)
{
    Uuid *self = (Uuid *)object;
    PyObject *values[2];
    int64_t most, least;
    module_state *state = module_state_of_type(Py_TYPE(self));
    if (args_parse_tuple(state, &uuid_signature, args, kwargs, values) < 0
        || arg_int64(values[0], "most_significant_bits", INT64_MIN, INT64_MAX, &most) < 0
        || arg_int64(values[1], "least_significant_bits", INT64_MIN, INT64_MAX, &least)
               < 0) {
        return -1;
    }
    self->most_significant_bits = most;
    self->least_significant_bits = least;
    return 0;
}

static void
uuid_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
uuid_str(PyObject *object)
{
    Uuid *self = (Uuid *)object;
    rd_kafka_Uuid_t *uuid =
        rd_kafka_Uuid_new(self->most_significant_bits, self->least_significant_bits);
    const char *base64 = uuid == NULL ? NULL : rd_kafka_Uuid_base64str(uuid);
    PyObject *text = base64 == NULL ? PyErr_NoMemory() : PyUnicode_FromString(base64);
    if (uuid != NULL) {
        rd_kafka_Uuid_destroy(uuid);
    }
    return text;
}

static Py_hash_t
uuid_hash(PyObject *object)
{
    Uuid *self = (Uuid *)object;
    /* Identifiers are random, so that a multiplication mixes the halves well enough. */
    uint64_t mixed = (uint64_t)self->most_significant_bits * 1000003u
                     ^ (uint64_t)self->least_significant_bits;
    Py_hash_t hash = (Py_hash_t)(mixed ^ mixed >> 32);
    return hash == -1 ? -2 : hash;
}

static PyObject *
uuid_richcompare(PyObject *object, PyObject *other, int operation)
{
    Uuid *self = (Uuid *)object;
    module_state *state = module_state_of_type(Py_TYPE(self));
    if ((operation != Py_EQ && operation != Py_NE)
        || !PyObject_TypeCheck(other, state->Uuid)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    const Uuid *that = (const Uuid *)other;
    bool equal = self->most_significant_bits == that->most_significant_bits
                 && self->least_significant_bits == that->least_significant_bits;
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

static PyObject *
uuid_get_most_significant_bits(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Uuid *self = (Uuid *)object;
    return PyLong_FromLongLong(self->most_significant_bits);
}

static PyObject *
uuid_get_least_significant_bits(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Uuid *self = (Uuid *)object;
    return PyLong_FromLongLong(self->least_significant_bits);
}

static PyObject *
uuid_reduce(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Uuid *self = (Uuid *)object;
    return reduce_to_arguments(
        object,
        Py_BuildValue("(LL)", (long long)self->most_significant_bits,
                      (long long)self->least_significant_bits));
}

PyDoc_STRVAR(uuid_doc,
"Uuid(most_significant_bits, least_significant_bits)\n"
"--\n\n"
"A 128-bit identifier, such as Kafka's topic ids; immutable. ``str(uuid)`` is its base64 form\n"
"without padding. It has ``+`` and ``/`` where Kafka's tools print ``-`` and ``_``.\n\n"
"Args:\n"
"    most_significant_bits (int): the upper half, a signed 64-bit number.\n"
"    least_significant_bits (int): the lower half, a signed 64-bit number.\n\n"
"Raises:\n"
"    TypeError, OverflowError: an argument is not an int, or needs more than 64 bits.\n\n"
"librdkafka: rd_kafka_Uuid_new(), rd_kafka_Uuid_base64str().");

PyDoc_STRVAR(uuid_get_most_significant_bits_doc,
"get_most_significant_bits($self, /)\n--\n\n"
"Return the upper 64 bits as a signed int.\n\n"
"librdkafka: rd_kafka_Uuid_most_significant_bits().");

PyDoc_STRVAR(uuid_get_least_significant_bits_doc,
"get_least_significant_bits($self, /)\n--\n\n"
"Return the lower 64 bits as a signed int.\n\n"
"librdkafka: rd_kafka_Uuid_least_significant_bits().");

static PyMethodDef uuid_methods[] = {
    {"get_most_significant_bits", uuid_get_most_significant_bits, METH_NOARGS,
     uuid_get_most_significant_bits_doc},
    {"get_least_significant_bits", uuid_get_least_significant_bits,
     METH_NOARGS, uuid_get_least_significant_bits_doc},
    {"__reduce__", uuid_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot uuid_slots[] = {
    {Py_tp_doc, (void *)uuid_doc},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_init, uuid_init},
    {Py_tp_dealloc, uuid_dealloc},
    {Py_tp_str, uuid_str},
    {Py_tp_repr, uuid_str},
    {Py_tp_hash, uuid_hash},
    {Py_tp_richcompare, uuid_richcompare},
    {Py_tp_methods, uuid_methods},
    {0, NULL},
};

/* No garbage collection: it has two numbers, and its immutable type refers to no instance. */
static PyType_Spec uuid_spec = {
    .name = "confluent_kafka.cimpl.Uuid",
    .basicsize = sizeof(Uuid),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = uuid_slots,
};

int
uuid_type_add(PyObject *module, module_state *state)
{
    state->Uuid = module_add_type(module, &uuid_spec, NULL);
    return state->Uuid == NULL ? -1 : 0;
}

#include "values/partitioner.h"

#include <string.h>

#include "base/args.h"

SIGNATURE(murmur2_signature, "murmur2()", 2, 2, P_key, P_partition_count);
SIGNATURE(consistent_signature, "consistent()", 2, 2, P_key, P_partition_count);
SIGNATURE(fnv1a_signature, "fnv1a()", 2, 2, P_key, P_partition_count);

/* librdkafka's partitioners use only the key and the count, so they need no topic. */
static PyObject *
partition_of(PyObject *module, const signature *sig, PyObject *const *args,
             Py_ssize_t nargs, partitioner_function *partitioner)
{
    PyObject *values[2];
    int32_t count;
    if (args_parse(PyModule_GetState(module), sig, args, nargs, NULL, values) < 0
        || arg_int32(values[1], "partition_count", INT32_MIN, INT32_MAX, &count) < 0) {
        return NULL;
    }
    if (count <= 0) {
        PyErr_Format(PyExc_ValueError, "partition_count must be > 0, got %d", (int)count);
        return NULL;
    }
    /* A text has other bytes in each encoding, and without a key, any partition can be chosen. */
    if (values[0] == Py_None || PyUnicode_Check(values[0])) {
        PyErr_Format(PyExc_TypeError,
                     "a bytes-like object is required, not '%s': key must be the bytes that "
                     "are sent",
                     Py_TYPE(values[0])->tp_name);
        return NULL;
    }
    bytes_view key;
    if (bytes_view_get(values[0], "key", &key) < 0) {
        return NULL;
    }
    int32_t partition = partitioner(NULL, key.data, key.size, count, NULL, NULL);
    bytes_view_release(&key);
    return PyLong_FromLong(partition);
}

static PyObject *
murmur2(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return partition_of(module, &murmur2_signature, args, nargs,
                        rd_kafka_msg_partitioner_murmur2);
}

static PyObject *
consistent(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return partition_of(module, &consistent_signature, args, nargs,
                        rd_kafka_msg_partitioner_consistent);
}

static PyObject *
fnv1a(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    return partition_of(module, &fnv1a_signature, args, nargs,
                        rd_kafka_msg_partitioner_fnv1a);
}

#define ARGUMENTS_DOC                                                                    \
    "Args:\n"                                                                            \
    "    key (bytes-like): the message's key as it is sent; for a str, its UTF-8.\n"      \
    "    partition_count (int): how many partitions the topic has, at least 1.\n\n"      \
    "Returns:\n"                                                                         \
    "    int: From 0 to partition_count - 1.\n\n"                                        \
    "Raises:\n"                                                                          \
    "    TypeError, ValueError, OverflowError: an argument is not of these types or\n"   \
    "        ranges.\n\n"

PyDoc_STRVAR(murmur2_doc,
"murmur2(key, partition_count, /)\n"
"--\n\n"
"Return the partition of a key by 32-bit MurmurHash2: the default of Kafka's Java client, and\n"
"``partitioner=murmur2_random`` here.\n\n"
ARGUMENTS_DOC
"librdkafka: rd_kafka_msg_partitioner_murmur2().");

PyDoc_STRVAR(consistent_doc,
"consistent(key, partition_count, /)\n"
"--\n\n"
"Return the partition of a key by its CRC-32: librdkafka's default\n"
"(``partitioner=consistent_random``).\n\n"
ARGUMENTS_DOC
"librdkafka: rd_kafka_msg_partitioner_consistent().");

PyDoc_STRVAR(fnv1a_doc,
"fnv1a(key, partition_count, /)\n"
"--\n\n"
"Return the partition of a key by FNV-1a, as Sarama's hash partitioner chooses it\n"
"(``partitioner=fnv1a_random``).\n\n"
ARGUMENTS_DOC
"librdkafka: rd_kafka_msg_partitioner_fnv1a().");

partitioner_function *
partitioner_of(rd_kafka_t *rk)
{
    /* Compares only the beginning: a `_random` variant chooses the same partition for a key. */
    static const struct {
        const char *begin;
        partitioner_function *function;
    } partitioners[] = {
        {"consistent", rd_kafka_msg_partitioner_consistent},
        {"murmur2", rd_kafka_msg_partitioner_murmur2},
        {"fnv1a", rd_kafka_msg_partitioner_fnv1a},
    };
    char name[32];
    size_t size = sizeof(name);
    rd_kafka_topic_conf_t *conf = rd_kafka_default_topic_conf_dup(rk);
    rd_kafka_conf_res_t found = rd_kafka_topic_conf_get(conf, "partitioner", name, &size);
    rd_kafka_topic_conf_destroy(conf);
    if (found != RD_KAFKA_CONF_OK) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof(partitioners) / sizeof(partitioners[0]); i++) {
        if (strncmp(name, partitioners[i].begin, strlen(partitioners[i].begin)) == 0) {
            return partitioners[i].function;
        }
    }
    return NULL;
}

/* Casts by way of void (*)(void), because a fast call has another signature than PyCFunction. */
#define FASTCALL(function) (PyCFunction)(void (*)(void))function, METH_FASTCALL

static PyMethodDef partitioner_functions[] = {
    {"murmur2", FASTCALL(murmur2), murmur2_doc},
    {"consistent", FASTCALL(consistent), consistent_doc},
    {"fnv1a", FASTCALL(fnv1a), fnv1a_doc},
    {NULL, NULL, 0, NULL},
};

int
partitioner_functions_add(PyObject *module, module_state *Py_UNUSED(state))
{
    return PyModule_AddFunctions(module, partitioner_functions);
}

#include "values/record_tuple.h"

#include <string.h>

#include "base/named_tuple.h"
#include "base/text.h"
#include "values/headers.h"

enum {
    TOPIC, PARTITION, LEADER_EPOCH, OFFSET, TIMESTAMP, TIMESTAMP_TYPE, KEY, VALUE, HEADERS,
    CHECKSUM, KEY_SIZE, VALUE_SIZE, HEADER_SIZE, COUNT
};

static PyObject *
size_of(const void *data, size_t size)
{
    return data == NULL ? PyLong_FromLong(-1) : PyLong_FromSize_t(size);
}

/* The size of all names and values in bytes. */
static size_t
size_of_headers(const rd_kafka_headers_t *headers)
{
    size_t sum = 0, size;
    const char *name;
    const void *value;
    for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == 0; i++) {
        sum += strlen(name) + size;
    }
    return sum;
}

static void
fill_headers(module_state *state, PyObject **fields, const rd_kafka_message_t *message)
{
    rd_kafka_headers_t *headers;
    if (rd_kafka_message_headers(message, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        fields[HEADERS] = headers_from(state, headers);
        fields[HEADER_SIZE] = PyLong_FromSize_t(size_of_headers(headers));
    }
    else {
        fields[HEADERS] = PyList_New(0);
        fields[HEADER_SIZE] = PyLong_FromLong(-1);
    }
}

PyObject *
record_tuple_from_consumed(module_state *state, topic_names *names, PyTypeObject *type,
                           const rd_kafka_message_t *message)
{
    rd_kafka_timestamp_type_t kind;
    int64_t timestamp = rd_kafka_message_timestamp(message, &kind);
    PyObject *fields[COUNT] = {
        [TOPIC] = topic_names_get(names, message->rkt),
        [PARTITION] = PyLong_FromLong(message->partition),
        [LEADER_EPOCH] = PyLong_FromLong(rd_kafka_message_leader_epoch(message)),
        [OFFSET] = PyLong_FromLongLong(message->offset),
        [TIMESTAMP] = PyLong_FromLongLong(timestamp),
        [TIMESTAMP_TYPE] = PyLong_FromLong(kind == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME),
        [KEY] = bytes_or_none(message->key, message->key_len),
        [VALUE] = bytes_or_none(message->payload, message->len),
        [CHECKSUM] = Py_NewRef(Py_None),
        [KEY_SIZE] = size_of(message->key, message->key_len),
        [VALUE_SIZE] = size_of(message->payload, message->len),
    };
    fill_headers(state, fields, message);
    if (PyObject_HasAttr((PyObject *)type, state->names[N_leader_epoch])) {
        return named_tuple((PyObject *)type, fields, COUNT);
    }
    Py_XDECREF(fields[LEADER_EPOCH]);
    memmove(&fields[LEADER_EPOCH], &fields[OFFSET], (COUNT - OFFSET) * sizeof(fields[0]));
    return named_tuple((PyObject *)type, fields, COUNT - 1);
}

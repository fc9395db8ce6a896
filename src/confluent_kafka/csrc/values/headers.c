#include "values/headers.h"

#include <string.h>

#include "base/args.h"
#include "base/list.h"
#include "base/text.h"

/* ---- from librdkafka ---- */

/* Steals both objects, either of which may be NULL with an exception. New reference, or NULL. */
static PyObject *
pair_of(PyObject *name, PyObject *value)
{
    PyObject *pair = name == NULL || value == NULL ? NULL : PyTuple_New(2);
    if (pair == NULL) {
        Py_XDECREF(name);
        Py_XDECREF(value);
        return NULL;
    }
    PyTuple_SET_ITEM(pair, 0, name);
    PyTuple_SET_ITEM(pair, 1, value);
    PyObject_GC_UnTrack(pair); /* it cannot be in a cycle, so the collector need not visit it */
    return pair;
}

#ifndef Py_GIL_DISABLED
#define LONGEST_KEPT 64

static kept_header *
place_of_name(module_state *state, const char *name, size_t size)
{
    const unsigned char *text = (const unsigned char *)name;
    size_t hash = size;
    if (size > 0) {
        hash += 3u * text[0] + 7u * text[size / 2] + 31u * text[size - 1];
    }
    return &state->kept_headers[hash % KEPT_HEADERS];
}

static bool
is_name(PyObject *kept, const char *name, size_t size)
{
    return kept != NULL && (size_t)PyUnicode_GET_LENGTH(kept) == size
           && memcmp(PyUnicode_1BYTE_DATA(kept), name, size) == 0;
}

static bool
has_value(PyObject *pair, const void *value, size_t size)
{
    PyObject *kept = pair == NULL ? NULL : PyTuple_GET_ITEM(pair, 1);
    if (kept == NULL || kept == Py_None || value == NULL) {
        return kept == Py_None && value == NULL;
    }
    return (size_t)PyBytes_GET_SIZE(kept) == size
           && memcmp(PyBytes_AS_STRING(kept), value, size) == 0;
}

/* The name as a str, from the cache if possible; new reference. */
static PyObject *
name_from(kept_header *kept, const char *name, size_t size)
{
    PyObject *object = text_from_bytes(name, size);
    if (object != NULL && size <= LONGEST_KEPT && PyUnicode_IS_ASCII(object)) {
        Py_XSETREF(kept->name, Py_NewRef(object));
        Py_CLEAR(kept->pair);
    }
    return object;
}

static PyObject *
pair_from(module_state *state, const char *name, size_t name_size, const void *value, size_t size)
{
    kept_header *kept = place_of_name(state, name, name_size);
    bool known = is_name(kept->name, name, name_size);
    if (known && has_value(kept->pair, value, size)) {
        return Py_NewRef(kept->pair);
    }
    PyObject *name_object = known ? Py_NewRef(kept->name) : name_from(kept, name, name_size);
    PyObject *pair = pair_of(name_object, bytes_or_none(value, size));
    if (pair != NULL && kept->name == name_object) {
        Py_XSETREF(kept->pair, size <= LONGEST_KEPT ? Py_NewRef(pair) : NULL);
    }
    return pair;
}
#else
static PyObject *
pair_from(module_state *Py_UNUSED(state), const char *name, size_t name_size, const void *value,
          size_t size)
{
    return pair_of(text_from_bytes(name, name_size), bytes_or_none(value, size));
}
#endif

/* One (name, value) pair; new reference. As for librdkafka, the name ends at a NUL. */
static PyObject *
header_from(module_state *state, const char *name, size_t name_size, const void *value,
            size_t size)
{
    return pair_from(state, name, strnlen(name, name_size), value, size);
}

typedef struct {
    module_state *state;
    const rd_kafka_headers_t *headers;
} headers_source;

static PyObject *
header_of(const void *from, size_t i)
{
    const headers_source *source = from;
    const char *name;
    const void *value;
    size_t size;
    rd_kafka_header_get_all(source->headers, i, &name, &value, &size);
    return header_from(source->state, name, strlen(name), value, size);
}

PyObject *
headers_from(module_state *state, const rd_kafka_headers_t *headers)
{
    headers_source source = {state, headers};
    return list_of(rd_kafka_header_cnt(headers), header_of, &source);
}

/* A list of length `count`: the spare one if it has that length, else a new one. Steals `spare`. */
static PyObject *
list_for(Py_ssize_t count, PyObject *spare)
{
    if (spare != NULL && PyList_GET_SIZE(spare) == count) {
        return spare;
    }
    Py_XDECREF(spare);
    return PyList_New(count);
}

PyObject *
headers_decode(module_state *state, const void *data, size_t size, PyObject *spare)
{
    rd_kafka_encoded_headers_t encoded;
    /* A header has at least two bytes, so the list is never larger than the data allows. */
    if (rd_kafka_encoded_headers_init(&encoded, data, size) != RD_KAFKA_RESP_ERR_NO_ERROR
        || (size_t)encoded.cnt > size / 2) {
        Py_XDECREF(spare);
        Py_RETURN_NONE;
    }
    PyObject *list = list_for((Py_ssize_t)encoded.cnt, spare);
    for (Py_ssize_t i = 0; list != NULL && i < (Py_ssize_t)encoded.cnt; i++) {
        const char *name;
        const void *value;
        size_t name_size, value_size;
        if (rd_kafka_encoded_headers_next(&encoded, &name, &name_size, &value, &value_size)
            != RD_KAFKA_RESP_ERR_NO_ERROR) {
            Py_SETREF(list, Py_NewRef(Py_None));
            break;
        }
        PyObject *pair = header_from(state, name, name_size, value, value_size);
        if (pair == NULL) {
            Py_CLEAR(list);
            break;
        }
        PyObject *before = PyList_GET_ITEM(list, i);
        PyList_SET_ITEM(list, i, pair);
        Py_XDECREF(before);
    }
    return list;
}

/* ---- to librdkafka ---- */

/*
 * Puts "argument[index] " before the message of the current exception. An exception of another
 * type is not ours (a list's own __iter__() may raise anything) and is not changed.
 */
static void
name_header_in_exception(const char *argument, Py_ssize_t index)
{
    PyObject *exception = PyErr_GetRaisedException();
    PyObject *type = (PyObject *)Py_TYPE(exception);
    if (type != PyExc_TypeError && type != PyExc_ValueError) {
        PyErr_SetRaisedException(exception);
        return;
    }
    PyErr_Format(type, "%s[%zd] %S", argument, index, exception);
    Py_DECREF(exception);
}

static int
add_header(rd_kafka_headers_t *headers, PyObject *name, PyObject *value)
{
    Py_ssize_t name_size;
    const char *name_text = arg_utf8(name, "name", &name_size);
    if (name_text == NULL) {
        return -1;
    }
    bytes_view view;
    if (bytes_view_get(value, "value", &view) < 0) {
        return -1;
    }
    rd_kafka_resp_err_t failed = rd_kafka_header_add(
        headers, name_text, (ssize_t)name_size, view.data, (ssize_t)view.size);
    bytes_view_release(&view);
    if (failed) {
        PyErr_Format(PyExc_ValueError, "cannot be added: %s", rd_kafka_err2str(failed));
        return -1;
    }
    return 0;
}

/* `pair` is borrowed and may have any type. */
static int
add_pair(rd_kafka_headers_t *headers, PyObject *pair)
{
    PyObject *fields = NULL;
    if (PyTuple_Check(pair) || PyList_Check(pair)) {
        fields = PySequence_Tuple(pair);
        if (fields == NULL) {
            return -1;
        }
    }
    int result = -1;
    if (fields != NULL && PyTuple_GET_SIZE(fields) == 2) {
        result = add_header(headers, PyTuple_GET_ITEM(fields, 0),
                            PyTuple_GET_ITEM(fields, 1));
    }
    else {
        PyErr_Format(PyExc_TypeError, "must be a (name, value) pair, not %.100s",
                     fields == NULL ? Py_TYPE(pair)->tp_name : "one of another length");
    }
    Py_XDECREF(fields);
    return result;
}

/* The pairs as a tuple, which no other thread can change; new reference. */
static PyObject *
header_pairs(PyObject *object, const char *name)
{
    if (PyList_Check(object) || PyTuple_Check(object)) {
        return PySequence_Tuple(object);
    }
    if (PyDict_Check(object)) {
        PyObject *items = PyDict_Items(object);
        PyObject *pairs = items == NULL ? NULL : PyList_AsTuple(items);
        Py_XDECREF(items);
        return pairs;
    }
    PyErr_Format(PyExc_TypeError,
                 "%s must be a dict or a list of (name, value) pairs, not %.100s", name,
                 Py_TYPE(object)->tp_name);
    return NULL;
}

int
headers_to_c(PyObject *object, const char *name, rd_kafka_headers_t **result)
{
    *result = NULL;
    if (object == NULL || object == Py_None) {
        return 0;
    }
    PyObject *pairs = header_pairs(object, name);
    if (pairs == NULL) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(pairs);
    if (count == 0) {
        Py_DECREF(pairs);
        return 0;
    }
    rd_kafka_headers_t *headers = rd_kafka_headers_new((size_t)count);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (add_pair(headers, PyTuple_GET_ITEM(pairs, i)) < 0) {
            name_header_in_exception(name, i);
            rd_kafka_headers_destroy(headers);
            Py_DECREF(pairs);
            return -1;
        }
    }
    Py_DECREF(pairs);
    *result = headers;
    return 0;
}

/*
 * A record of format 2: its size, unused attributes, and then numbers and bytes. All numbers and
 * sizes are varints whose lowest bit is the sign.
 */
#include "codec/record.h"

#include "base/args.h"

typedef struct {
    const uint8_t *at, *end;
    const char *wrong; /* why reading failed; NULL if a Python exception is set */
} input;

static size_t
left(const input *in)
{
    return (size_t)(in->end - in->at);
}

static bool
failed(input *in, const char *wrong)
{
    in->wrong = wrong;
    return false;
}

/* Reads a varint of at most 10 bytes; false if it is longer or cut off. */
static bool
read_number(input *in, int64_t *number)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (in->at == in->end) {
            return failed(in, "ends too early");
        }
        uint8_t byte = *in->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *number = (int64_t)(value >> 1 ^ (0 - (value & 1)));
            return true;
        }
    }
    return failed(in, "has a number of more than 10 bytes");
}

/* Reads a size that is at most the number of remaining bytes; -1 for null. */
static bool
read_size(input *in, int64_t *size)
{
    if (!read_number(in, size)) {
        return false;
    }
    if (*size < 0) {
        *size = -1;
        return true;
    }
    return (uint64_t)*size <= left(in) || failed(in, "has a part that is larger than the record");
}

/* A new reference to bytes or None; NULL if read_number() fails, or with an exception. */
static PyObject *
read_bytes(input *in)
{
    int64_t size;
    if (!read_size(in, &size)) {
        return NULL;
    }
    if (size < 0) {
        return Py_NewRef(Py_None);
    }
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)in->at, (Py_ssize_t)size);
    in->at += size;
    return bytes;
}

/* Bytes that are not UTF-8 are kept as lone surrogates. */
static PyObject *
read_name(input *in)
{
    int64_t size;
    if (!read_size(in, &size)) {
        return NULL;
    }
    if (size < 0) {
        failed(in, "has a header whose name is null");
        return NULL;
    }
    const char *text = (const char *)in->at;
    in->at += size;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "surrogateescape");
}

static PyObject *
read_header(input *in)
{
    PyObject *name = read_name(in);
    PyObject *value = name == NULL ? NULL : read_bytes(in);
    PyObject *header = value == NULL ? NULL : PyTuple_Pack(2, name, value);
    Py_XDECREF(name);
    Py_XDECREF(value);
    return header;
}

/* A new tuple of pairs, or NULL as in read_bytes(). */
static PyObject *
read_headers(input *in)
{
    int64_t count;
    if (!read_number(in, &count)) {
        return NULL;
    }
    if (count < 0 || (uint64_t)count > left(in) / 2) { /* each header has at least two sizes */
        failed(in, "has more headers than bytes");
        return NULL;
    }
    PyObject *headers = PyTuple_New((Py_ssize_t)count);
    for (Py_ssize_t i = 0; headers != NULL && i < count; i++) {
        PyObject *header = read_header(in);
        if (header == NULL) {
            Py_CLEAR(headers);
        }
        else {
            PyTuple_SET_ITEM(headers, i, header);
        }
    }
    return headers;
}

/* Sets the end of the input to the end of the record. */
static bool
enter_record(input *in)
{
    int64_t size;
    if (!read_number(in, &size)) {
        return false;
    }
    if (size < 1 || (uint64_t)size > left(in)) {
        return failed(in, "has a size that does not fit the data");
    }
    in->end = in->at + size;
    in->at++; /* skip the attributes */
    return true;
}

/* (end, timestamp, offset, key, value, headers), or NULL as in read_bytes(). */
static PyObject *
read_record(input *in, const uint8_t *start)
{
    int64_t timestamp, offset;
    if (!enter_record(in) || !read_number(in, &timestamp) || !read_number(in, &offset)) {
        return NULL;
    }
    PyObject *key = read_bytes(in);
    PyObject *value = key == NULL ? NULL : read_bytes(in);
    PyObject *headers = value == NULL ? NULL : read_headers(in);
    PyObject *result = NULL;
    if (headers != NULL && in->at != in->end) {
        failed(in, "does not end where its size says");
    }
    else if (headers != NULL) {
        result = Py_BuildValue("nLLOOO", (Py_ssize_t)(in->end - start), (long long)timestamp,
                               (long long)offset, key, value, headers);
    }
    Py_XDECREF(key);
    Py_XDECREF(value);
    Py_XDECREF(headers);
    return result;
}

SIGNATURE(read_record_signature, "_read_record()", 2, 2, P_data, P_position);

PyDoc_STRVAR(read_record_doc,
"_read_record(data, position, /)\n"
"--\n\n"
"Read one record from the records of a batch of format 2.\n\n"
"Args:\n"
"    data (bytes): the records.\n"
"    position (int): where the record begins.\n\n"
"Returns:\n"
"    tuple: Where the record ends; its timestamp and offset, relative to those of the batch; its\n"
"    key, value and headers.\n\n"
"Raises:\n"
"    ValueError: there is no valid record.");

static PyObject *
read_record_at(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *values[2];
    int64_t position;
    if (args_parse(PyModule_GetState(module), &read_record_signature, args, nargs, NULL, values)
        < 0) {
        return NULL;
    }
    if (!PyBytes_Check(values[0])) {
        PyErr_Format(PyExc_TypeError, "data must be bytes, not %s",
                     Py_TYPE(values[0])->tp_name);
        return NULL;
    }
    if (arg_int64(values[1], "position", 0, PyBytes_GET_SIZE(values[0]), &position) < 0) {
        return NULL;
    }
    const uint8_t *start = (const uint8_t *)PyBytes_AS_STRING(values[0]);
    input in = {start + position, start + PyBytes_GET_SIZE(values[0]), NULL};
    PyObject *result = read_record(&in, start);
    if (in.wrong != NULL) {
        PyErr_Format(PyExc_ValueError, "data at position %lld is not a record: it %s",
                     (long long)position, in.wrong);
    }
    return result;
}

static PyMethodDef record_function[] = {
    {"_read_record", WITHOUT_KEYWORDS(read_record_at), read_record_doc},
    {NULL, NULL, 0, NULL},
};

int
record_function_add(PyObject *module)
{
    return PyModule_AddFunctions(module, record_function);
}

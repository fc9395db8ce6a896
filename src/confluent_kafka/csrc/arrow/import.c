#include "arrow/import.h"

#include <string.h>

#include "arrow/chunk.h"
#include "arrow/digest.h"

struct arrow_rows {
    PyObject *exported; /* what the object gave: capsules */
    struct ArrowArrayStream stream; /* moved here, if it was one, */
    struct ArrowSchema schema;      /* and its type */
    int64_t count;
    size_t chunk_count;
    arrow_chunk *chunks;
};

/* Room for one more chunk, which is zero; NULL without memory. */
static arrow_chunk *
next_chunk(arrow_rows *rows)
{
    arrow_chunk *chunks = PyMem_Realloc(rows->chunks,
                                        (rows->chunk_count + 1) * sizeof(arrow_chunk));
    if (chunks == NULL) {
        return NULL;
    }
    rows->chunks = chunks;
    memset(&chunks[rows->chunk_count], 0, sizeof(arrow_chunk));
    return &chunks[rows->chunk_count];
}

/* Takes `array` (of type `schema`) over, also on failure. 0, or -1 with an exception. */
static int
add_chunk(arrow_rows *rows, const struct ArrowSchema *schema, struct ArrowArray *array,
          const char *name)
{
    arrow_chunk *chunk = next_chunk(rows);
    if (chunk == NULL) {
        array->release(array);
        PyErr_NoMemory();
        return -1;
    }
    rows->chunk_count++;
    chunk->array = *array;
    array->release = NULL;
    chunk->first_row = rows->count;
    if (arrow_chunk_bind(chunk, schema, name) < 0) {
        return -1;
    }
    if (chunk->count > INT64_MAX - rows->count) {
        PyErr_Format(PyExc_OverflowError, "%s has too many rows", name);
        return -1;
    }
    rows->count += chunk->count;
    return 0;
}

/* The struct in `capsule`; NULL with an exception when it is another thing. */
static void *
from_capsule(PyObject *capsule, const char *kind, const char *name)
{
    if (!PyCapsule_IsValid(capsule, kind)) {
        PyErr_Format(PyExc_TypeError,
                     "%s must give a capsule '%s' (Arrow PyCapsule protocol), not %.100s",
                     name, kind, Py_TYPE(capsule)->tp_name);
        return NULL;
    }
    return PyCapsule_GetPointer(capsule, kind);
}

static int
used_before(const char *name)
{
    PyErr_Format(PyExc_ValueError, "%s gave an Arrow capsule that was used before", name);
    return -1;
}

static int
import_array(arrow_rows *rows, const char *name)
{
    PyObject *pair = rows->exported;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        PyErr_Format(PyExc_TypeError, "%s.__arrow_c_array__() must return two capsules",
                     name);
        return -1;
    }
    struct ArrowSchema *schema = from_capsule(PyTuple_GET_ITEM(pair, 0),
                                              ARROW_SCHEMA_CAPSULE, name);
    if (schema == NULL) {
        return -1;
    }
    struct ArrowArray *array = from_capsule(PyTuple_GET_ITEM(pair, 1),
                                            ARROW_ARRAY_CAPSULE, name);
    if (array == NULL) {
        return -1;
    }
    if (schema->release == NULL || array->release == NULL) {
        return used_before(name);
    }
    return add_chunk(rows, schema, array, name);
}

static int
stream_failed(struct ArrowArrayStream *stream, int code, const char *name)
{
    const char *reason = stream->get_last_error(stream);
    PyErr_Format(PyExc_RuntimeError, "%s: its Arrow stream failed: %s", name,
                 reason != NULL ? reason : strerror(code));
    return -1;
}

/*
 * A stream's arrays, one after the other. It may run a query or Python code of its own,
 * also on other threads, hence without the GIL.
 */
static int
import_arrays(arrow_rows *rows, const char *name)
{
    struct ArrowArrayStream *stream = &rows->stream;
    for (;;) {
        struct ArrowArray array = {.release = NULL};
        int code;
        Py_BEGIN_ALLOW_THREADS
        code = stream->get_next(stream, &array);
        Py_END_ALLOW_THREADS
        if (code != 0) {
            return stream_failed(stream, code, name);
        }
        if (array.release == NULL) {
            return 0;
        }
        if (add_chunk(rows, &rows->schema, &array, name) < 0 || PyErr_CheckSignals() < 0) {
            return -1;
        }
    }
}

static int
import_stream(arrow_rows *rows, const char *name)
{
    struct ArrowArrayStream *stream = from_capsule(rows->exported, ARROW_STREAM_CAPSULE,
                                                   name);
    if (stream == NULL) {
        return -1;
    }
    if (stream->release == NULL) {
        return used_before(name);
    }
    rows->stream = *stream;
    stream->release = NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = rows->stream.get_schema(&rows->stream, &rows->schema);
    Py_END_ALLOW_THREADS
    if (code != 0) {
        rows->schema.release = NULL;
        return stream_failed(&rows->stream, code, name);
    }
    return import_arrays(rows, name);
}

/* Calls a method: 1 with a new reference in `*result`, 0 no such method, -1 exception. */
static int
call_if_there(PyObject *object, const char *method, PyObject **result)
{
    PyObject *bound = PyObject_GetAttrString(object, method);
    if (bound == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return -1;
        }
        PyErr_Clear();
        return 0;
    }
    *result = PyObject_CallNoArgs(bound);
    Py_DECREF(bound);
    return *result == NULL ? -1 : 1;
}

static int
import_any(arrow_rows *rows, PyObject *object, const char *name)
{
    int found = call_if_there(object, "__arrow_c_array__", &rows->exported);
    if (found != 0) {
        return found < 0 ? -1 : import_array(rows, name);
    }
    found = call_if_there(object, "__arrow_c_stream__", &rows->exported);
    if (found == 0) {
        PyErr_Format(PyExc_TypeError,
                     "%s must be a MessageBatch, or a record batch, table or data frame "
                     "with the Arrow PyCapsule protocol (of pyarrow, polars, pandas "
                     "...), not %.100s",
                     name, Py_TYPE(object)->tp_name);
    }
    return found <= 0 ? -1 : import_stream(rows, name);
}

arrow_rows *
arrow_rows_import(PyObject *object, const char *name)
{
    arrow_rows *rows = PyMem_Calloc(1, sizeof(*rows));
    if (rows == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (import_any(rows, object, name) < 0) {
        arrow_rows_release(rows);
        return NULL;
    }
    return rows;
}

void
arrow_rows_release(arrow_rows *rows)
{
    /* The callbacks may run Python code, which would lose an exception that is set. */
    PyObject *raised = PyErr_GetRaisedException();
    for (size_t i = 0; i < rows->chunk_count; i++) {
        rows->chunks[i].array.release(&rows->chunks[i].array);
    }
    if (rows->schema.release != NULL) {
        rows->schema.release(&rows->schema);
    }
    if (rows->stream.release != NULL) {
        rows->stream.release(&rows->stream);
    }
    Py_XDECREF(rows->exported);
    PyMem_Free(rows->chunks);
    PyMem_Free(rows);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

int64_t
arrow_rows_count(const arrow_rows *rows)
{
    return rows->count;
}

bool
arrow_rows_has_topic(const arrow_rows *rows)
{
    return rows->chunk_count == 0 || rows->chunks[0].has_topic;
}

/* The chunk of row `index`, by bisection. */
static const arrow_chunk *
chunk_of(const arrow_rows *rows, int64_t index)
{
    size_t low = 0, high = rows->chunk_count - 1;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (rows->chunks[middle].first_row <= index) {
            low = middle;
        }
        else {
            high = middle - 1;
        }
    }
    return &rows->chunks[low];
}

void
arrow_rows_get(const arrow_rows *rows, int64_t index, arrow_row *row)
{
    const arrow_chunk *chunk = chunk_of(rows, index);
    arrow_chunk_get(chunk, index - chunk->first_row, row);
}

int
arrow_rows_headers(const arrow_rows *rows, int64_t index, rd_kafka_headers_t **headers)
{
    const arrow_chunk *chunk = chunk_of(rows, index);
    return arrow_chunk_headers(chunk, index - chunk->first_row, headers);
}

uint64_t
arrow_rows_digest(const arrow_rows *rows)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < rows->chunk_count; i++) {
        const arrow_chunk *chunk = &rows->chunks[i];
        for (int64_t index = 0; index < chunk->count; index++) {
            digest += arrow_chunk_digest(chunk, index);
        }
    }
    return digest;
}

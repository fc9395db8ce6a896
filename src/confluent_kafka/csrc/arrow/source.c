#include "arrow/source.h"

#include <string.h>

/* The struct in `capsule`; NULL with an exception if it is not such a capsule. */
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
read_array(arrow_source *source, const char *name, arrow_taker *taker, void *context)
{
    PyObject *pair = source->exported;
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
    return taker(context, schema, array, name);
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
 * Reads the arrays of a stream, one after the other. The stream may run a query or its own Python
 * code, also on other threads, so it is called without the GIL.
 */
static int
read_arrays(arrow_source *source, const char *name, arrow_taker *taker, void *context)
{
    struct ArrowArrayStream *stream = &source->stream;
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
        if (taker(context, &source->schema, &array, name) < 0 || PyErr_CheckSignals() < 0) {
            return -1;
        }
    }
}

static int
read_stream(arrow_source *source, const char *name, arrow_taker *taker, void *context)
{
    struct ArrowArrayStream *stream = from_capsule(source->exported, ARROW_STREAM_CAPSULE,
                                                   name);
    if (stream == NULL) {
        return -1;
    }
    if (stream->release == NULL) {
        return used_before(name);
    }
    source->stream = *stream;
    stream->release = NULL;
    int code;
    Py_BEGIN_ALLOW_THREADS
    code = source->stream.get_schema(&source->stream, &source->schema);
    Py_END_ALLOW_THREADS
    if (code != 0) {
        source->schema.release = NULL;
        return stream_failed(&source->stream, code, name);
    }
    return read_arrays(source, name, taker, context);
}

/* Calls a method: 1 with a new reference in `*result`; 0 if it does not exist; -1 exception. */
static int
call_if_there(PyObject *object, const char *method, PyObject **result)
{
    PyObject *bound = attribute_of(object, method);
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

int
arrow_source_read(arrow_source *source, PyObject *object, const char *name,
                  const char *wanted, arrow_taker *taker, void *context)
{
    int found = call_if_there(object, "__arrow_c_array__", &source->exported);
    if (found != 0) {
        return found < 0 ? -1 : read_array(source, name, taker, context);
    }
    found = call_if_there(object, "__arrow_c_stream__", &source->exported);
    if (found == 0) {
        PyErr_Format(PyExc_TypeError, "%s must be %s, not %.100s", name, wanted,
                     Py_TYPE(object)->tp_name);
    }
    return found <= 0 ? -1 : read_stream(source, name, taker, context);
}

void
arrow_source_release(arrow_source *source)
{
    if (source->schema.release != NULL) {
        source->schema.release(&source->schema);
    }
    if (source->stream.release != NULL) {
        source->stream.release(&source->stream);
    }
    Py_XDECREF(source->exported);
}

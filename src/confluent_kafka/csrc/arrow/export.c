#include "arrow/export.h"

#include <errno.h>
#include <stdlib.h>

#include "base/args.h"

/* ---- structs of arrays ---- */

void
arrow_schema_release_children(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL) {
            schema->children[i]->release(schema->children[i]);
        }
    }
    if (schema->dictionary != NULL && schema->dictionary->release != NULL) {
        schema->dictionary->release(schema->dictionary);
    }
    free(schema->children);
}

void
arrow_array_release_children(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL) {
            array->children[i]->release(array->children[i]);
        }
    }
    if (array->dictionary != NULL && array->dictionary->release != NULL) {
        array->dictionary->release(array->dictionary);
    }
    free(array->children);
}

/* ---- a stream of arrays ---- */

typedef struct {
    const arrow_exporter *exporter;
    size_t count; /* at least one */
    size_t next;
    void *owners[]; /* each owns one array; all arrays have the same type */
} array_stream;

static int
stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    array_stream *self = stream->private_data;
    return self->exporter->schema(self->owners[0], schema) < 0 ? ENOMEM : 0;
}

static int
stream_next(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
    array_stream *self = stream->private_data;
    if (self->next == self->count) {
        array->release = NULL; /* the end of the stream */
        return 0;
    }
    if (self->exporter->array(self->owners[self->next], array) < 0) {
        return ENOMEM;
    }
    self->next++;
    return 0;
}

static const char *
stream_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "out of memory"; /* there is no other error */
}

static void
release_stream(struct ArrowArrayStream *stream)
{
    array_stream *self = stream->private_data;
    for (size_t i = 0; i < self->count; i++) {
        self->exporter->release(self->owners[i]);
    }
    free(self);
    stream->release = NULL;
}

static int
export_stream(const arrow_exporter *exporter, void *const *owners, size_t count,
              struct ArrowArrayStream *stream)
{
    array_stream *self = malloc(sizeof(*self) + count * sizeof(*self->owners));
    if (self == NULL) {
        return -1;
    }
    *self = (array_stream){.exporter = exporter, .count = count};
    for (size_t i = 0; i < count; i++) {
        self->owners[i] = exporter->share(owners[i]);
    }
    *stream = (struct ArrowArrayStream){
        .get_schema = stream_schema,
        .get_next = stream_next,
        .get_last_error = stream_error,
        .release = release_stream,
        .private_data = self,
    };
    return 0;
}

/* ---- capsules ---- */

/*
 * A reader moves the struct out of its capsule and clears its `release`. If nobody reads a
 * capsule, its destructor releases the struct.
 */
#define CAPSULE_DESTRUCTOR(function, type, name)                                         \
    static void function(PyObject *capsule)                                              \
    {                                                                                    \
        type *exported = PyCapsule_GetPointer(capsule, name);                            \
        if (exported->release != NULL) {                                                 \
            exported->release(exported);                                                 \
        }                                                                                \
        free(exported);                                                                  \
    }

CAPSULE_DESTRUCTOR(destroy_schema, struct ArrowSchema, ARROW_SCHEMA_CAPSULE)
CAPSULE_DESTRUCTOR(destroy_array, struct ArrowArray, ARROW_ARRAY_CAPSULE)
CAPSULE_DESTRUCTOR(destroy_stream, struct ArrowArrayStream, ARROW_STREAM_CAPSULE)

PyObject *
arrow_schema_capsule(const arrow_exporter *exporter, void *owner)
{
    struct ArrowSchema *schema = malloc(sizeof(*schema));
    if (schema == NULL || exporter->schema(owner, schema) < 0) {
        free(schema);
        return PyErr_NoMemory();
    }
    PyObject *capsule = PyCapsule_New(schema, ARROW_SCHEMA_CAPSULE, destroy_schema);
    if (capsule == NULL) {
        schema->release(schema);
        free(schema);
    }
    return capsule;
}

static PyObject *
array_capsule(const arrow_exporter *exporter, void *owner)
{
    struct ArrowArray *array = malloc(sizeof(*array));
    if (array == NULL || exporter->array(owner, array) < 0) {
        free(array);
        return PyErr_NoMemory();
    }
    PyObject *capsule = PyCapsule_New(array, ARROW_ARRAY_CAPSULE, destroy_array);
    if (capsule == NULL) {
        array->release(array);
        free(array);
    }
    return capsule;
}

SIGNATURE(arrow_c_array_signature, "__arrow_c_array__()", 0, 1, P_requested_schema);

PyObject *
arrow_c_array_of(PyObject *self, const arrow_exporter *exporter, void *owner,
                 PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *requested_schema;
    if (args_parse(module_state_of_type(Py_TYPE(self)), &arrow_c_array_signature, args, nargs,
                   kwnames, &requested_schema) < 0) {
        return NULL;
    }
    PyObject *schema = arrow_schema_capsule(exporter, owner);
    PyObject *array = schema == NULL ? NULL : array_capsule(exporter, owner);
    PyObject *pair = array == NULL ? NULL : PyTuple_Pack(2, schema, array);
    Py_XDECREF(schema);
    Py_XDECREF(array);
    return pair;
}

PyObject *
arrow_stream_capsule(const arrow_exporter *exporter, void *const *owners, size_t count)
{
    struct ArrowArrayStream *stream = malloc(sizeof(*stream));
    if (stream == NULL || export_stream(exporter, owners, count, stream) < 0) {
        free(stream);
        return PyErr_NoMemory();
    }
    PyObject *capsule = PyCapsule_New(stream, ARROW_STREAM_CAPSULE, destroy_stream);
    if (capsule == NULL) {
        stream->release(stream);
        free(stream);
    }
    return capsule;
}

SIGNATURE(arrow_c_stream_signature, "__arrow_c_stream__()", 0, 1, P_requested_schema);

PyObject *
arrow_c_stream_of(PyObject *self, const arrow_exporter *exporter, void *owner,
                  PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *requested_schema;
    if (args_parse(module_state_of_type(Py_TYPE(self)), &arrow_c_stream_signature, args, nargs,
                   kwnames, &requested_schema) < 0) {
        return NULL;
    }
    return arrow_stream_capsule(exporter, &owner, 1);
}

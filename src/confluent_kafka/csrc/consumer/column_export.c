#include "consumer/column_export.h"

#include <errno.h>
#include <stdlib.h>

#include "arrow/abi.h"

/*
 * An array or schema with children owns one block, which `children` points to: first the
 * pointers, then the structs they point to. A reader may move a child elsewhere and drop
 * the rest, so each array holds its own reference to the columns. Release callbacks run
 * on any thread, without Python.
 */

static void
release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release != NULL) {
            schema->children[i]->release(schema->children[i]);
        }
    }
    free(schema->children);
    schema->release = NULL;
}

static int
export_schema(const message_columns *columns, enum message_field field,
              struct ArrowSchema *schema)
{
    const message_field_type *type = &message_field_types[field];
    *schema = (struct ArrowSchema){
        .format = type->format,
        .name = type->name,
        .flags = type->flags,
        .release = release_schema,
    };
    enum message_field fields[FIELD_COUNT];
    int count = message_columns_children(columns, field, fields);
    if (count == 0) {
        return 0;
    }
    struct ArrowSchema **children = malloc(
        (size_t)count * (sizeof(struct ArrowSchema *) + sizeof(struct ArrowSchema)));
    if (children == NULL) {
        schema->release = NULL;
        return -1;
    }
    struct ArrowSchema *structs = (struct ArrowSchema *)(children + count);
    schema->children = children;
    for (int i = 0; i < count; i++) {
        children[i] = &structs[i];
        if (export_schema(columns, fields[i], children[i]) < 0) {
            release_schema(schema);
            return -1;
        }
        schema->n_children++;
    }
    return 0;
}

static void
release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL) {
            array->children[i]->release(array->children[i]);
        }
    }
    free(array->children);
    message_columns_release(array->private_data);
    array->release = NULL;
}

static int
export_array(message_columns *columns, enum message_field field, struct ArrowArray *array)
{
    const message_field_type *type = &message_field_types[field];
    message_field_data *data = &columns->fields[field];
    *array = (struct ArrowArray){
        .length = data->length,
        .null_count = data->null_count,
        .n_buffers = type->n_buffers,
        .buffers = data->buffers,
        .release = release_array,
        .private_data = message_columns_share(columns),
    };
    enum message_field fields[FIELD_COUNT];
    int count = message_columns_children(columns, field, fields);
    if (count == 0) {
        return 0;
    }
    struct ArrowArray **children = malloc(
        (size_t)count * (sizeof(struct ArrowArray *) + sizeof(struct ArrowArray)));
    if (children == NULL) {
        release_array(array);
        return -1;
    }
    struct ArrowArray *structs = (struct ArrowArray *)(children + count);
    array->children = children;
    for (int i = 0; i < count; i++) {
        children[i] = &structs[i];
        if (export_array(columns, fields[i], children[i]) < 0) {
            release_array(array);
            return -1;
        }
        array->n_children++;
    }
    return 0;
}

/* A stream of one array: what readers that know only streams ask for. */
typedef struct {
    message_columns *columns;
    bool has_given;
} one_array;

static int
stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    one_array *self = stream->private_data;
    return export_schema(self->columns, FIELD_BATCH, schema) < 0 ? ENOMEM : 0;
}

static int
stream_next(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
    one_array *self = stream->private_data;
    if (self->has_given) {
        array->release = NULL; /* the end */
        return 0;
    }
    if (export_array(self->columns, FIELD_BATCH, array) < 0) {
        return ENOMEM;
    }
    self->has_given = true;
    return 0;
}

static const char *
stream_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "out of memory"; /* nothing else fails here */
}

static void
release_stream(struct ArrowArrayStream *stream)
{
    one_array *self = stream->private_data;
    message_columns_release(self->columns);
    free(self);
    stream->release = NULL;
}

static int
export_stream(message_columns *columns, struct ArrowArrayStream *stream)
{
    one_array *self = malloc(sizeof(*self));
    if (self == NULL) {
        return -1;
    }
    *self = (one_array){message_columns_share(columns), false};
    *stream = (struct ArrowArrayStream){
        .get_schema = stream_schema,
        .get_next = stream_next,
        .get_last_error = stream_error,
        .release = release_stream,
        .private_data = self,
    };
    return 0;
}

/*
 * A reader moves the struct out of its capsule and clears `release` in it; a capsule that
 * nobody read releases it here.
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
arrow_schema_capsule(message_columns *columns)
{
    struct ArrowSchema *schema = malloc(sizeof(*schema));
    if (schema == NULL || export_schema(columns, FIELD_BATCH, schema) < 0) {
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

PyObject *
arrow_array_capsule(message_columns *columns)
{
    struct ArrowArray *array = malloc(sizeof(*array));
    if (array == NULL || export_array(columns, FIELD_BATCH, array) < 0) {
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

PyObject *
arrow_stream_capsule(message_columns *columns)
{
    struct ArrowArrayStream *stream = malloc(sizeof(*stream));
    if (stream == NULL || export_stream(columns, stream) < 0) {
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

#include "consumer/column_export.h"

#include <stdlib.h>

/*
 * An array or schema with children owns one block, to which `children` points: first the
 * pointers, then the structs that they point to. A reader may move a child elsewhere and drop
 * the rest, so each array holds its own reference to the columns. Release callbacks may run
 * on any thread, without Python.
 */

static void
release_schema(struct ArrowSchema *schema)
{
    arrow_schema_release_children(schema);
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
    arrow_array_release_children(array);
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

/* ---- the functions for arrow/export.h ---- */

static int
schema_of(void *owner, struct ArrowSchema *schema)
{
    return export_schema(owner, FIELD_BATCH, schema);
}

static int
array_of(void *owner, struct ArrowArray *array)
{
    return export_array(owner, FIELD_BATCH, array);
}

static void *
share(void *owner)
{
    return message_columns_share(owner);
}

static void
release(void *owner)
{
    message_columns_release(owner);
}

const arrow_exporter message_columns_exporter = {schema_of, array_of, share, release};

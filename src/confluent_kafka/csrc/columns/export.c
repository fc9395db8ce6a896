#include "columns/export.h"

#include <stdlib.h>

/*
 * An array or schema owns one block, to which `children` points: first the pointers, then the
 * structs that they point to, and last the struct of its dictionary. A reader may move a child
 * elsewhere and drop the rest, so each holds its own reference to the shared data. Release
 * callbacks may run on any thread, without Python.
 */

/* ---- types ---- */

static void
release_schema(struct ArrowSchema *schema)
{
    arrow_schema_release_children(schema);
    column_types_release(schema->private_data);
    schema->release = NULL;
}

static void
release_symbols_schema(struct ArrowSchema *schema)
{
    schema->release = NULL; /* its texts are constants */
}

static int
export_schema(column_types *types, int32_t index, struct ArrowSchema *schema)
{
    const column_type *type = &types->types[index];
    size_t count = (size_t)type->child_count;
    size_t structs_count = count + (type->symbol_offsets != NULL);
    struct ArrowSchema **children =
        malloc(count * sizeof(struct ArrowSchema *)
               + (structs_count + 1) * sizeof(struct ArrowSchema));
    if (children == NULL) {
        return -1;
    }
    struct ArrowSchema *structs = (struct ArrowSchema *)(children + count);
    *schema = (struct ArrowSchema){
        .format = type->format,
        .name = type->name,
        .metadata = type->metadata,
        .flags = type->flags,
        .children = children,
        .release = release_schema,
        .private_data = column_types_share(types),
    };
    if (type->symbol_offsets != NULL) {
        schema->dictionary = &structs[count];
        *schema->dictionary = (struct ArrowSchema){
            .format = "u", .name = "", .release = release_symbols_schema};
    }
    for (int32_t at = index + 1; at < type->end; at = types->types[at].end) {
        struct ArrowSchema *child = &structs[schema->n_children];
        if (export_schema(types, at, child) < 0) {
            release_schema(schema);
            return -1;
        }
        children[schema->n_children++] = child;
    }
    return 0;
}

/* ---- arrays ---- */

static void
release_array(struct ArrowArray *array)
{
    arrow_array_release_children(array);
    columns_release(array->private_data);
    array->release = NULL;
}

/* The symbols of a dictionary, which belong to the types. */
typedef struct {
    column_types *types;
    const void *buffers[3];
} symbols_array;

static void
release_symbols(struct ArrowArray *array)
{
    symbols_array *self = array->private_data;
    column_types_release(self->types);
    free(self);
    array->release = NULL;
}

static int
export_symbols(column_types *types, const column_type *type, struct ArrowArray *array)
{
    symbols_array *self = malloc(sizeof(*self));
    if (self == NULL) {
        return -1;
    }
    *self = (symbols_array){column_types_share(types),
                            {NULL, type->symbol_offsets, type->symbols}};
    *array = (struct ArrowArray){
        .length = type->symbol_count,
        .n_buffers = 3,
        .buffers = self->buffers,
        .release = release_symbols,
        .private_data = self,
    };
    return 0;
}

static int64_t
buffer_count(enum column_layout layout)
{
    switch (layout) {
    case COLUMN_NULLS:
        return 0;
    case COLUMN_STRUCT:
    case COLUMN_UNION:
        return 1;
    case COLUMN_BYTES:
        return 3;
    default:
        return 2;
    }
}

static int
export_array(columns *set, int32_t index, struct ArrowArray *array)
{
    const column_type *type = &set->types->types[index];
    column *self = &set->columns[index];
    size_t count = (size_t)type->child_count;
    size_t structs_count = count + (type->symbol_offsets != NULL);
    struct ArrowArray **children =
        malloc(count * sizeof(struct ArrowArray *)
               + (structs_count + 1) * sizeof(struct ArrowArray));
    if (children == NULL) {
        return -1;
    }
    struct ArrowArray *structs = (struct ArrowArray *)(children + count);
    *array = (struct ArrowArray){
        .length = self->length,
        .null_count = self->null_count,
        .n_buffers = buffer_count(self->layout),
        .buffers = self->buffers,
        .children = children,
        .release = release_array,
        .private_data = columns_share(set),
    };
    int result = 0;
    if (type->symbol_offsets != NULL) {
        result = export_symbols(set->types, type, &structs[count]);
        array->dictionary = result < 0 ? NULL : &structs[count];
    }
    int32_t at = index + 1;
    for (; result == 0 && at < type->end; at = set->types->types[at].end) {
        struct ArrowArray *child = &structs[array->n_children];
        result = export_array(set, at, child);
        if (result == 0) {
            children[array->n_children++] = child;
        }
    }
    if (result < 0) {
        release_array(array);
    }
    return result;
}

/* ---- the functions for arrow/export.h ---- */

static int
schema_of(void *owner, struct ArrowSchema *schema)
{
    return export_schema(((columns *)owner)->types, 0, schema);
}

static int
array_of(void *owner, struct ArrowArray *array)
{
    return export_array(owner, 0, array);
}

/*
 * Exports a record batch, which has no nulls of its own: a null row is null in each of its columns
 * anyway.
 */
static int
batch_of(void *owner, struct ArrowArray *array)
{
    static const void *no_validity[1];
    if (export_array(owner, 0, array) < 0) {
        return -1;
    }
    array->null_count = 0;
    array->buffers = no_validity;
    return 0;
}

static void *
share(void *owner)
{
    return columns_share(owner);
}

static void
release(void *owner)
{
    columns_release(owner);
}

static int
schema_of_types(void *owner, struct ArrowSchema *schema)
{
    return export_schema(owner, 0, schema);
}

const arrow_exporter column_types_exporter = {.schema = schema_of_types};
const arrow_exporter columns_exporter = {schema_of, array_of, share, release};
const arrow_exporter batch_exporter = {schema_of, batch_of, share, release};

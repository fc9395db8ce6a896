#include "arrow/shared.h"

#include <stdlib.h>
#include <string.h>

/*
 * A reader gets a copy of the structs, but not of the data. Each copy holds a reference to the
 * whole array, and owns one block of memory for its children and its dictionary.
 */

static shared_array *
share(shared_array *self)
{
    self->references++;
    return self;
}

void
shared_array_release(shared_array *self)
{
    if (self == NULL || --self->references > 0) {
        return;
    }
    if (self->array.release != NULL) {
        self->array.release(&self->array);
    }
    if (self->schema.release != NULL) {
        self->schema.release(&self->schema);
    }
    free(self);
}

/* ---- copies of types ---- */

static void
release_schema(struct ArrowSchema *schema)
{
    arrow_schema_release_children(schema);
    shared_array_release(schema->private_data);
    schema->release = NULL;
}

static int
copy_schema(shared_array *whole, const struct ArrowSchema *from, struct ArrowSchema *to)
{
    size_t count = (size_t)from->n_children;
    struct ArrowSchema **children = malloc(count * sizeof(struct ArrowSchema *)
                                           + (count + 1) * sizeof(struct ArrowSchema));
    if (children == NULL) {
        return -1;
    }
    struct ArrowSchema *structs = (struct ArrowSchema *)(children + count);
    *to = *from;
    to->n_children = 0;
    to->children = children;
    to->dictionary = NULL;
    to->release = release_schema;
    to->private_data = share(whole);
    int result = 0;
    if (from->dictionary != NULL) {
        result = copy_schema(whole, from->dictionary, &structs[count]);
        to->dictionary = result < 0 ? NULL : &structs[count];
    }
    for (size_t i = 0; result == 0 && i < count; i++) {
        result = copy_schema(whole, from->children[i], &structs[i]);
        if (result == 0) {
            children[to->n_children++] = &structs[i];
        }
    }
    if (result < 0) {
        release_schema(to);
    }
    return result;
}

/* ---- copies of arrays ---- */

static void
release_array(struct ArrowArray *array)
{
    arrow_array_release_children(array);
    shared_array_release(array->private_data);
    array->release = NULL;
}

static int
copy_array(shared_array *whole, const struct ArrowArray *from, struct ArrowArray *to)
{
    size_t count = (size_t)from->n_children;
    struct ArrowArray **children = malloc(count * sizeof(struct ArrowArray *)
                                          + (count + 1) * sizeof(struct ArrowArray));
    if (children == NULL) {
        return -1;
    }
    struct ArrowArray *structs = (struct ArrowArray *)(children + count);
    *to = *from;
    to->n_children = 0;
    to->children = children;
    to->dictionary = NULL;
    to->release = release_array;
    to->private_data = share(whole);
    int result = 0;
    if (from->dictionary != NULL) {
        result = copy_array(whole, from->dictionary, &structs[count]);
        to->dictionary = result < 0 ? NULL : &structs[count];
    }
    for (size_t i = 0; result == 0 && i < count; i++) {
        result = copy_array(whole, from->children[i], &structs[i]);
        if (result == 0) {
            children[to->n_children++] = &structs[i];
        }
    }
    if (result < 0) {
        release_array(to);
    }
    return result;
}

/* ---- new arrays ---- */

static void
drop(struct ArrowSchema *schema, struct ArrowArray *array)
{
    if (schema->release != NULL) {
        schema->release(schema);
    }
    if (array->release != NULL) {
        array->release(array);
    }
}

shared_array *
shared_array_new(struct ArrowSchema *schema, struct ArrowArray *array)
{
    shared_array *self = malloc(sizeof(*self));
    if (self == NULL) {
        drop(schema, array);
        return NULL;
    }
    self->references = 1;
    self->schema = *schema;
    self->array = *array;
    schema->release = NULL;
    array->release = NULL;
    return self;
}

shared_array *
shared_array_child(shared_array *self, int64_t child)
{
    struct ArrowSchema schema;
    struct ArrowArray array = {.release = NULL};
    if (copy_schema(self, self->schema.children[child], &schema) < 0) {
        return NULL;
    }
    if (copy_array(self, self->array.children[child], &array) < 0) {
        drop(&schema, &array);
        return NULL;
    }
    return shared_array_new(&schema, &array);
}

/* Keeps the first `rows` rows; the reader has to count the nulls. */
static void
cut(struct ArrowArray *array, int64_t rows)
{
    if (rows < array->length) {
        array->length = rows;
        array->null_count = array->null_count == 0 ? 0 : -1;
    }
}

shared_array *
shared_array_head(shared_array *self, int64_t rows)
{
    struct ArrowSchema schema;
    struct ArrowArray array = {.release = NULL};
    if (copy_schema(self, &self->schema, &schema) < 0) {
        return NULL;
    }
    if (copy_array(self, &self->array, &array) < 0) {
        drop(&schema, &array);
        return NULL;
    }
    cut(&array, rows);
    for (int64_t i = 0; i < array.n_children; i++) {
        cut(array.children[i], array.offset + rows); /* the struct's rows are within these */
    }
    return shared_array_new(&schema, &array);
}

static void
release_joined_schema(struct ArrowSchema *schema)
{
    arrow_schema_release_children(schema);
    free(schema->private_data);
    schema->release = NULL;
}

static void
release_joined_array(struct ArrowArray *array)
{
    arrow_array_release_children(array);
    array->release = NULL;
}

static const void *no_validity[1];

/* Allocates room for a number of children, of which none exists yet: 0, or -1. */
static int
start_joining(struct ArrowSchema *schema, struct ArrowArray *array, size_t count,
              size_t names_size)
{
    *schema = (struct ArrowSchema){
        .format = "+s",
        .name = "",
        .children = malloc(count * sizeof(struct ArrowSchema *)
                           + (count + 1) * sizeof(struct ArrowSchema)),
        .release = release_joined_schema,
        .private_data = malloc(names_size),
    };
    *array = (struct ArrowArray){
        .n_buffers = 1,
        .buffers = no_validity,
        .children = malloc(count * sizeof(struct ArrowArray *)
                           + (count + 1) * sizeof(struct ArrowArray)),
        .release = release_joined_array,
    };
    return schema->children == NULL || schema->private_data == NULL
                   || array->children == NULL
               ? -1
               : 0;
}

/* Adds a child, a view of `column`, under a name that the schema keeps. */
static int
add_child(struct ArrowSchema *schema, struct ArrowArray *array, shared_array *column,
          char *name, size_t count)
{
    struct ArrowSchema *type = (struct ArrowSchema *)(schema->children + count)
                               + schema->n_children;
    struct ArrowArray *data = (struct ArrowArray *)(array->children + count)
                              + array->n_children;
    if (copy_schema(column, &column->schema, type) < 0) {
        return -1;
    }
    type->name = name;
    schema->children[schema->n_children++] = type;
    if (copy_array(column, &column->array, data) < 0) {
        return -1;
    }
    array->children[array->n_children++] = data;
    return 0;
}

shared_array *
shared_array_join(shared_array *const *columns, const char *const *names, size_t count)
{
    struct ArrowSchema schema;
    struct ArrowArray array;
    size_t names_size = 1;
    for (size_t i = 0; i < count; i++) {
        names_size += strlen(names[i]) + 1;
    }
    int result = start_joining(&schema, &array, count, names_size);
    char *name = schema.private_data;
    for (size_t i = 0; result == 0 && i < count; i++) {
        strcpy(name, names[i]);
        result = add_child(&schema, &array, columns[i], name, count);
        name += strlen(names[i]) + 1;
    }
    if (result < 0) {
        drop(&schema, &array);
        return NULL;
    }
    array.length = count > 0 ? columns[0]->array.length : 0;
    return shared_array_new(&schema, &array);
}

/* ---- the functions for arrow/export.h ---- */

static int
schema_of(void *owner, struct ArrowSchema *schema)
{
    return copy_schema(owner, &((shared_array *)owner)->schema, schema);
}

static int
array_of(void *owner, struct ArrowArray *array)
{
    return copy_array(owner, &((shared_array *)owner)->array, array);
}

static void *
share_any(void *owner)
{
    return share(owner);
}

static void
release_any(void *owner)
{
    shared_array_release(owner);
}

const arrow_exporter shared_array_exporter = {schema_of, array_of, share_any, release_any};

#include "columns/input_columns.h"

#include <stdlib.h>

/* ---- reading ---- */

bool
input_is_null_below(const input_columns *self, int32_t index, int64_t row)
{
    while (self->types->types[index].layout == INPUT_DICTIONARY) {
        if (!input_is_valid(&self->columns[index], row)) {
            return true;
        }
        row = input_index(self, index++, row);
        if (row < 0) {
            return false; /* the row is not valid, which its reader will notice */
        }
    }
    return self->types->types[index].layout == INPUT_NULLS
           || !input_is_valid(&self->columns[index], row);
}

/* Reads an offset or size of a list, of 4 or 8 bytes. */
static int64_t
number_at(const void *numbers, int32_t width, int64_t slot)
{
    const uint8_t *place = (const uint8_t *)numbers + (size_t)slot * (size_t)width;
    if (width == 4) {
        int32_t number;
        memcpy(&number, place, sizeof(number));
        return number;
    }
    int64_t number;
    memcpy(&number, place, sizeof(number));
    return number;
}

static int64_t
offset_at(const arrow_column *column, int64_t slot)
{
    return number_at(column->slots, column->format.width, slot);
}

/* For INPUT_LIST_VIEW. */
static int64_t
size_at(const arrow_column *column, int64_t slot)
{
    return number_at(column->bytes, column->format.width, slot);
}

void
input_items(const input_columns *self, int32_t index, int64_t row, int64_t *from, int64_t *to)
{
    const arrow_column *column = &self->columns[index];
    int64_t slot = column->start + row;
    if (self->types->types[index].layout == INPUT_FIXED_LIST) {
        int32_t items = self->types->types[index].items;
        *from = slot * items;
        *to = *from + items;
        return;
    }
    *from = offset_at(column, slot);
    *to = self->types->types[index].layout == INPUT_LIST_VIEW ? *from + size_at(column, slot)
                                                              : offset_at(column, slot + 1);
}

int32_t
input_branch(const input_columns *self, int32_t index, int64_t row, int64_t *child_row)
{
    const arrow_column *column = &self->columns[index];
    const input_type *type = &self->types->types[index];
    int64_t slot = column->start + row;
    uint8_t id = column->bytes[slot];
    int32_t child = id < UNION_IDS ? type->child_of_id[id] : -1;
    *child_row = row;
    if (child >= 0 && type->layout == INPUT_DENSE_UNION) {
        int32_t offset;
        memcpy(&offset, (const uint8_t *)column->slots + (size_t)slot * sizeof(offset),
               sizeof(offset));
        *child_row = offset < self->columns[child].length ? offset : -1;
    }
    return *child_row < 0 ? -1 : child;
}

/* ---- binding ---- */

/* A union has no bitmap: its first buffer has the type ids; a dense union's second the offsets. */
static const char *
bind_union(arrow_column *column, const struct ArrowArray *array, enum input_layout layout,
           int64_t rows)
{
    int64_t needed = layout == INPUT_DENSE_UNION ? 2 : 1;
    if (array->n_buffers < needed || array->buffers == NULL) {
        return "buffers are missing";
    }
    column->bytes = array->buffers[0];
    column->slots = needed == 2 ? array->buffers[1] : NULL;
    if (rows > 0 && (column->bytes == NULL || (needed == 2 && column->slots == NULL))) {
        return "its type ids or offsets are missing";
    }
    return NULL;
}

/* The bitmap of a list view is already bound; its other buffers are offsets and sizes. */
static const char *
bind_list_view(arrow_column *column, const struct ArrowArray *array, int64_t rows)
{
    if (array->n_buffers < 3) {
        return "buffers are missing";
    }
    column->slots = array->buffers[1];
    column->bytes = array->buffers[2];
    return rows > 0 && (column->slots == NULL || column->bytes == NULL)
               ? "its offsets or sizes are missing"
               : NULL;
}

static const char *bind_column(input_columns *self, int32_t index, const struct ArrowArray *array,
                        int64_t first, int64_t rows);

/* Binds the children of a type; their rows are the parent's rows, or a domain of their own. */
static const char *
bind_children(input_columns *self, int32_t index, const struct ArrowArray *array, int64_t rows)
{
    const input_type *type = &self->types->types[index];
    if (array->n_children != type->child_count
        || (type->child_count > 0 && array->children == NULL)) {
        return "its children do not match its type";
    }
    const char *problem = NULL;
    int32_t at = index + 1;
    for (int64_t i = 0; problem == NULL && i < array->n_children; i++) {
        const struct ArrowArray *child = array->children[i];
        if (child == NULL) {
            return "a child is missing";
        }
        bool is_own = self->types->types[at].domain == at;
        problem = bind_column(self, at, child, is_own ? 0 : self->columns[index].start,
                       is_own ? child->length : rows);
        at = self->types->types[at].end;
    }
    return problem;
}

/* Binds rows [first, first + rows) of `array`, counted from its own offset. */
static const char *
bind_column(input_columns *self, int32_t index, const struct ArrowArray *array, int64_t first,
     int64_t rows)
{
    const input_type *type = &self->types->types[index];
    arrow_column *column = &self->columns[index];
    if (type->layout == INPUT_OTHER) {
        /* The column is not read, but a list that contains it is checked against its length. */
        return arrow_column_bind(column, (arrow_format){.layout = ARROW_NULLS}, array, first, rows);
    }
    const char *problem = arrow_column_bind(column, type->storage, array, first, rows);
    if (problem != NULL) {
        return problem;
    }
    if (type->layout == INPUT_DICTIONARY) {
        return array->dictionary == NULL ? "its dictionary is missing"
                                         : bind_column(self, index + 1, array->dictionary, 0,
                                                array->dictionary->length);
    }
    if (type->layout == INPUT_SPARSE_UNION || type->layout == INPUT_DENSE_UNION) {
        problem = bind_union(column, array, type->layout, rows);
    }
    if (type->layout == INPUT_LIST_VIEW) {
        problem = bind_list_view(column, array, rows);
    }
    return problem != NULL ? problem : bind_children(self, index, array, rows);
}

/* ---- checking rows [from, to) of a column, and the rows that they refer to ---- */

static const char *check_column(const input_columns *self, int32_t index, int64_t from, int64_t to);

static const char *
check_children(const input_columns *self, int32_t index, int64_t from, int64_t to)
{
    const char *problem = NULL;
    int32_t end = self->types->types[index].end;
    for (int32_t at = index + 1; problem == NULL && at < end; at = self->types->types[at].end) {
        bool is_own = self->types->types[at].domain == at;
        problem = check_column(self, at, is_own ? 0 : from, is_own ? self->columns[at].length : to);
    }
    return problem;
}

static const char *
check_list(const input_columns *self, int32_t index, int64_t from, int64_t to)
{
    const arrow_column *column = &self->columns[index];
    const arrow_column *child = &self->columns[index + 1];
    if (from == to) {
        return NULL;
    }
    const char *problem = arrow_column_check_offsets(column, from, to, child->length);
    if (problem != NULL) {
        return problem;
    }
    return check_column(self, index + 1, offset_at(column, column->start + from),
                 offset_at(column, column->start + to));
}

/* Checks all rows of the child between the first and the last that a list refers to. */
static const char *
check_list_view(const input_columns *self, int32_t index, int64_t from, int64_t to)
{
    const arrow_column *column = &self->columns[index];
    int64_t limit = self->columns[index + 1].length, first = limit, last = 0;
    for (int64_t row = from; row < to; row++) {
        if (!input_is_valid(column, row)) {
            continue; /* the offset and size of a null are not used */
        }
        int64_t offset = offset_at(column, column->start + row);
        int64_t size = size_at(column, column->start + row);
        if (offset < 0 || size < 0) {
            return "its offsets or sizes are negative";
        }
        if (offset > limit || size > limit - offset) {
            return "its offsets and sizes lie outside its values";
        }
        first = offset < first ? offset : first;
        last = offset + size > last ? offset + size : last;
    }
    return first < last ? check_column(self, index + 1, first, last) : NULL;
}

static const char *
check_fixed_list(const input_columns *self, int32_t index, int64_t from, int64_t to)
{
    const arrow_column *column = &self->columns[index];
    int32_t items = self->types->types[index].items;
    if (items == 0 || from == to) {
        return NULL;
    }
    if (column->start + to > self->columns[index + 1].length / items) {
        return "a list has fewer items than its type says";
    }
    return check_column(self, index + 1, (column->start + from) * items,
                        (column->start + to) * items);
}

static const char *
check_column(const input_columns *self, int32_t index, int64_t from, int64_t to)
{
    arrow_bytes bytes = {.values = self->columns[index]};
    switch (self->types->types[index].layout) {
    case INPUT_BYTES:
        return arrow_bytes_check(&bytes, from, to);
    case INPUT_LIST:
        return check_list(self, index, from, to);
    case INPUT_LIST_VIEW:
        return check_list_view(self, index, from, to);
    case INPUT_FIXED_LIST:
        return check_fixed_list(self, index, from, to);
    case INPUT_STRUCT:
    case INPUT_SPARSE_UNION:
    case INPUT_DENSE_UNION:
    case INPUT_DICTIONARY:
        return check_children(self, index, from, to);
    default:
        return NULL; /* it was checked when it was bound */
    }
}

input_columns *
input_columns_new(const input_types *types, const struct ArrowArray *array,
                  const char **problem)
{
    *problem = NULL;
    input_columns *self =
        calloc(1, sizeof(input_columns) + (size_t)types->count * sizeof(arrow_column));
    if (self == NULL) {
        return NULL;
    }
    self->types = types;
    self->rows = array->length;
    *problem = bind_column(self, 0, array, 0, array->length);
    if (*problem == NULL) {
        *problem = check_column(self, 0, 0, self->rows);
    }
    if (*problem != NULL) {
        input_columns_free(self);
        return NULL;
    }
    return self;
}

void
input_columns_free(input_columns *self)
{
    free(self);
}

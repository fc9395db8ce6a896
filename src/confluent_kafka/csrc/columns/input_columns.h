/*
 * A struct array from another library as a tree of columns, with the types of input_types.h. Plain
 * C without Python.
 *
 * The tree is bound to its array and checked once; after that, reading a valid row is safe. There
 * is one exception: a dictionary's index and a union's type id are checked when they are read,
 * because libraries may put anything below a null. Rows are numbered within their domain: the
 * rows of the array itself, the items of a list, or the values of a dictionary.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_INPUT_COLUMNS_H
#define CONFLUENT_KAFKA_COLUMNS_INPUT_COLUMNS_H

#include <string.h>

#include "columns/input_types.h"

typedef struct {
    const input_types *types;
    int64_t rows;
    arrow_column columns[]; /* one for each type */
} input_columns;

/* Binds to `array`, which must outlive it. NULL with `*problem`; NULL without `*problem` if there
 * is no memory. */
input_columns *input_columns_new(const input_types *types, const struct ArrowArray *array,
                                 const char **problem);
void input_columns_free(input_columns *self);

/* Not for INPUT_NULLS, whose rows are all null. A union has no nulls of its own. */
static inline bool
input_is_valid(const arrow_column *column, int64_t row)
{
    int64_t slot = column->start + row;
    return column->validity == NULL || (column->validity[slot >> 3] >> (slot & 7) & 1);
}

/* The value of a row in a fixed-size column. */
static inline const uint8_t *
input_fixed(const arrow_column *column, int64_t row)
{
    return (const uint8_t *)column->slots
           + (size_t)(column->start + row) * (size_t)column->format.width;
}

static inline bool
input_bit(const arrow_column *column, int64_t row)
{
    int64_t slot = column->start + row;
    return ((const uint8_t *)column->slots)[slot >> 3] >> (slot & 7) & 1;
}

/* The row of the dictionary for a valid row of INPUT_DICTIONARY; -1 if the index is wrong. */
static inline int64_t
input_index(const input_columns *self, int32_t index, int64_t row)
{
    int64_t value = arrow_column_integer(&self->columns[index], row);
    return value < self->columns[index + 1].length ? value : -1;
}

/* input_is_null() for a column whose rows may be null without a bitmap of their own. */
bool input_is_null_below(const input_columns *self, int32_t index, int64_t row);

/* Whether a row is null, or refers to a null in a dictionary. */
static inline bool
input_is_null(const input_columns *self, int32_t index, int64_t row)
{
    enum input_layout layout = self->types->types[index].layout;
    return layout == INPUT_DICTIONARY || layout == INPUT_NULLS
               ? input_is_null_below(self, index, row)
               : !input_is_valid(&self->columns[index], row);
}

/* The rows of the child that belong to a valid row of a list of any kind. */
void input_items(const input_columns *self, int32_t index, int64_t row, int64_t *from,
                 int64_t *to);
/* The child for a row of a union, and the row in that child; negative if it is wrong. */
int32_t input_branch(const input_columns *self, int32_t index, int64_t row, int64_t *child_row);

#endif

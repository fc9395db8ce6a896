/*
 * Arrow columns while they are filled, row by row. Plain C: nothing here needs the GIL.
 *
 * A column outside lists has one slot for each row. The list's offsets determine the number of
 * slots of a column in a list, so that a row that fails halfway can be removed without any record
 * of it.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_BUILDER_H
#define CONFLUENT_KAFKA_COLUMNS_BUILDER_H

#include <string.h>

#include "columns/types.h"

enum build_status {
    BUILD_OK,
    BUILD_NO_MEMORY,
    BUILD_TOO_LARGE, /* more than int32 offsets can hold */
};

typedef struct {
    enum column_layout layout;
    int32_t width;
    int64_t length;    /* the number of filled slots */
    int64_t capacity;  /* the number of slots for which there is room */
    uint8_t *validity; /* bits; NULL: no slot is null */
    uint8_t *slots;    /* bits, values, or the type ids of a union */
    int32_t *offsets;  /* capacity + 1 offsets; the first is 0 */
    uint8_t *bytes;
    int64_t size, room; /* the size and the capacity of `bytes` */
    unsigned in_block; /* which of its memory is in the set's block, see builder.c */
    const void *buffers[3]; /* for readers, see columns_finish() */
    int64_t null_count;
} column;

typedef struct {
    _Atomic int references;
    column_types *types;
    void *block; /* the memory of several columns, or NULL: see columns_foresee() */
    column columns[]; /* one for each type */
} columns;

/* With room for `rows` rows and about `bytes` bytes in all columns of bytes together. */
columns *columns_new(column_types *types, int64_t rows, int64_t bytes);
/* After this number of rows, the size of rows is known well enough. */
#define COLUMNS_KNOWN_ROWS 256
/*
 * Reserves room for `rows` rows in all, of the size of the rows so far, so that no column has to be
 * copied to grow. A column that would need more than `limit` bytes or list items gets `limit`.
 */
void columns_foresee(columns *set, int64_t rows, int64_t limit);
columns *columns_share(columns *set);
void columns_release(columns *set); /* from any thread; NULL does nothing */

/*
 * Whether there are this number of rows, and each column has the slots that its parent requires. A
 * program that does not put one value into each would give readers columns that are too short.
 */
bool columns_are_whole(const columns *set, int64_t rows);
/* The same for the descendants of one column. */
bool columns_below_are_whole(const columns *set, int32_t index);
/* Removes all slots after the first `rows` rows. */
void columns_truncate(columns *set, int64_t rows);
/* The same for column `index` and its descendants: removes slots after the first `length`. */
void columns_truncate_column(columns *set, int32_t index, int64_t length);
/* Puts a null into column `index` and its descendants. */
enum build_status columns_put_null(columns *set, int32_t index);
/* Puts a slot into union `index` for its child `child`, whose slot comes next. */
enum build_status columns_put_branch(columns *set, int32_t index, int32_t child);
/* Call it after the last row: counts nulls and sets `buffers`. */
void columns_finish(columns *set);

/* Makes room for one more slot or `more` bytes, by doubling the capacity. */
enum build_status column_grow(column *self);
enum build_status column_grow_bytes(column *self, int64_t more);

static inline void
set_bit(uint8_t *bits, int64_t index, bool value)
{
    uint8_t mask = (uint8_t)(1u << (index & 7));
    bits[index >> 3] = (uint8_t)(value ? bits[index >> 3] | mask : bits[index >> 3] & ~mask);
}

static inline enum build_status
column_reserve(column *self)
{
    return self->length < self->capacity ? BUILD_OK : column_grow(self);
}

/* Counts a slot whose value has been written. */
static inline void
column_count_value(column *self)
{
    if (self->validity != NULL) {
        set_bit(self->validity, self->length, true);
    }
    self->length++;
}

/* Puts a value into a COLUMN_FIXED; `size` is its width. */
static inline enum build_status
column_put_fixed(column *self, const void *value, size_t size)
{
    if (column_reserve(self) != BUILD_OK) {
        return BUILD_NO_MEMORY;
    }
    memcpy(self->slots + (size_t)self->length * size, value, size);
    column_count_value(self);
    return BUILD_OK;
}

static inline enum build_status
column_put_bool(column *self, bool value)
{
    if (column_reserve(self) != BUILD_OK) {
        return BUILD_NO_MEMORY;
    }
    set_bit(self->slots, self->length, value);
    column_count_value(self);
    return BUILD_OK;
}

static inline enum build_status
column_put_bytes(column *self, const void *data, int64_t size)
{
    enum build_status status = column_reserve(self);
    if (status == BUILD_OK && size > self->room - self->size) {
        status = column_grow_bytes(self, size);
    }
    if (status != BUILD_OK) {
        return status;
    }
    if (size > 0) {
        memcpy(self->bytes + self->size, data, (size_t)size);
    }
    self->size += size;
    self->offsets[self->length + 1] = (int32_t)self->size;
    column_count_value(self);
    return BUILD_OK;
}

/* Puts a null if the column has a bitmap and room. False leaves it to columns_put_null(). */
static inline bool
column_put_another_null(column *self)
{
    if (self->validity == NULL || self->length == self->capacity) {
        return false;
    }
    if (self->layout == COLUMN_BYTES) {
        self->offsets[self->length + 1] = (int32_t)self->size;
    }
    else if (self->layout == COLUMN_FIXED && self->width == sizeof(int64_t)) {
        memset(self->slots + self->length * (int64_t)sizeof(int64_t), 0, sizeof(int64_t));
    }
    else if (self->layout == COLUMN_FIXED && self->width == sizeof(int32_t)) {
        memset(self->slots + self->length * (int64_t)sizeof(int32_t), 0, sizeof(int32_t));
    }
    else {
        return false;
    }
    set_bit(self->validity, self->length++, false);
    return true;
}

/* Puts a slot into a COLUMN_STRUCT or COLUMN_NULLS; the children of a struct are put separately. */
static inline enum build_status
column_put_slot(column *self)
{
    if (self->validity != NULL && column_reserve(self) != BUILD_OK) {
        return BUILD_NO_MEMORY;
    }
    column_count_value(self);
    return BUILD_OK;
}

/* Puts a slot into a COLUMN_LIST, with all slots of `child` that no list slot contains yet. */
static inline enum build_status
column_put_list(column *self, const column *child)
{
    if (child->length > INT32_MAX) {
        return BUILD_TOO_LARGE;
    }
    if (column_reserve(self) != BUILD_OK) {
        return BUILD_NO_MEMORY;
    }
    self->offsets[self->length + 1] = (int32_t)child->length;
    column_count_value(self);
    return BUILD_OK;
}

#endif

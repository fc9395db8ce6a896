/*
 * Arrow columns while they are filled, row by row. Plain C: nothing here needs the GIL.
 *
 * Columns of rows that are not repeated have one slot a row. Those in a list have as many as its
 * offsets say, so that a row that fails halfway can be taken back with nothing noted before it.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_BUILDER_H
#define CONFLUENT_KAFKA_COLUMNS_BUILDER_H

#include <string.h>

#include "columns/types.h"

enum build_status {
    BUILD_OK,
    BUILD_NO_MEMORY,
    BUILD_TOO_LARGE, /* more than int32 offsets can say */
};

typedef struct {
    enum column_layout layout;
    int32_t width;
    int64_t length;    /* slots that are filled */
    int64_t capacity;  /* slots that there is room for */
    uint8_t *validity; /* bits; NULL: no slot is null */
    uint8_t *slots;    /* bits, values, or a union's type ids */
    int32_t *offsets;  /* capacity + 1 of them, the first is 0 */
    uint8_t *bytes;
    int64_t size, room; /* of `bytes` */
    unsigned in_block; /* which of its memory is part of the set's block, see builder.c */
    const void *buffers[3]; /* for readers, see columns_finish() */
    int64_t null_count;
} column;

typedef struct {
    _Atomic int references;
    column_types *types;
    void *block; /* memory of several columns, or NULL: see columns_foresee() */
    column columns[]; /* one for each type */
} columns;

/* With room for `rows` rows and, in all columns of bytes together, about `bytes` bytes. */
columns *columns_new(column_types *types, int64_t rows, int64_t bytes);
/* After so many rows it is known how large they are. */
#define COLUMNS_KNOWN_ROWS 256
/*
 * Makes room for `rows` rows in all, as large as those so far: none has to be copied while it grows. No
 * column gets more than `limit` bytes, or items of lists, that it does not need yet.
 */
void columns_foresee(columns *set, int64_t rows, int64_t limit);
columns *columns_share(columns *set);
void columns_release(columns *set); /* from any thread; NULL does nothing */

/*
 * Whether there are so many rows, and in each column the slots that the one above has: a program
 * that does not put one value for each would give readers columns that are shorter than they say.
 */
bool columns_are_whole(const columns *set, int64_t rows);
/* Takes back all slots after the first `rows` rows. */
void columns_truncate(columns *set, int64_t rows);
/* The same of column `index` and those below it: its slots after the first `length`. */
void columns_truncate_column(columns *set, int32_t index, int64_t length);
/* A slot that is null in column `index` and in all below it. */
enum build_status columns_put_null(columns *set, int32_t index);
/* A slot of union `index` that is of its child `child`, whose slot comes next. */
enum build_status columns_put_branch(columns *set, int32_t index, int32_t child);
/* After the last row: counts nulls and sets `buffers`. */
void columns_finish(columns *set);

/* Room for one more slot, or for `more` bytes: doubles what there is. */
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

/* A value of COLUMN_FIXED: `size` is its width. */
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

/* A null where others have been and there is room: whether it is done, else columns_put_null() does it.
 */
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

/* A slot of COLUMN_STRUCT or COLUMN_NULLS; a struct's children get theirs by themselves. */
static inline enum build_status
column_put_slot(column *self)
{
    if (self->validity != NULL && column_reserve(self) != BUILD_OK) {
        return BUILD_NO_MEMORY;
    }
    column_count_value(self);
    return BUILD_OK;
}

/* A slot of COLUMN_LIST that takes all of `child` that no slot has taken. */
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

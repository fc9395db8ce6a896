#include "columns/builder.h"

#include <stdlib.h>

/* ---- memory ---- */

/* Capacities are multiples of it, so that bits fill whole bytes. */
#define SLOTS_STEP 64

/* Bytes of `slots` for so many slots. */
static size_t
slots_size(const column *self, int64_t capacity)
{
    switch (self->layout) {
    case COLUMN_BITS:
        return (size_t)capacity / 8;
    case COLUMN_FIXED:
        /* Of no bytes, too, they have an address: memcpy() wants one. */
        return self->width == 0 ? 1 : (size_t)capacity * (size_t)self->width;
    case COLUMN_UNION:
        return (size_t)capacity;
    default:
        return 0;
    }
}

static int
resize(void **memory, size_t size)
{
    if (size == 0) {
        return 0;
    }
    void *larger = realloc(*memory, size);
    if (larger == NULL) {
        return -1;
    }
    *memory = larger;
    return 0;
}

static enum build_status
set_capacity(column *self, int64_t capacity)
{
    capacity = (capacity + SLOTS_STEP - 1) / SLOTS_STEP * SLOTS_STEP;
    bool has_offsets = self->layout == COLUMN_BYTES || self->layout == COLUMN_LIST;
    if (resize((void **)&self->slots, slots_size(self, capacity)) < 0
        || (has_offsets
            && resize((void **)&self->offsets, ((size_t)capacity + 1) * sizeof(int32_t)) < 0)
        || (self->validity != NULL
            && resize((void **)&self->validity, (size_t)capacity / 8) < 0)) {
        return BUILD_NO_MEMORY;
    }
    if (has_offsets && self->length == 0) {
        self->offsets[0] = 0;
    }
    self->capacity = capacity;
    return BUILD_OK;
}

enum build_status
column_grow(column *self)
{
    /* A struct that had no null so far has more slots than it has reserved. */
    int64_t slots = self->length > self->capacity ? self->length : self->capacity;
    return set_capacity(self, slots * 2 + SLOTS_STEP);
}

enum build_status
column_grow_bytes(column *self, int64_t more)
{
    if (more > INT32_MAX - self->size) {
        return BUILD_TOO_LARGE;
    }
    int64_t room = self->room * 2 > self->size + more ? self->room * 2 : self->size + more;
    room = room > INT32_MAX ? INT32_MAX : room;
    if (resize((void **)&self->bytes, (size_t)room) < 0) {
        return BUILD_NO_MEMORY;
    }
    self->room = room;
    return BUILD_OK;
}

/* Makes the bitmap when the first null comes: all before it is valid. */
static enum build_status
need_validity(column *self)
{
    if (self->validity != NULL) {
        return BUILD_OK;
    }
    if (column_reserve(self) != BUILD_OK) { /* structs have reserved nothing so far */
        return BUILD_NO_MEMORY;
    }
    self->validity = malloc((size_t)self->capacity / 8);
    if (self->validity == NULL) {
        return BUILD_NO_MEMORY;
    }
    memset(self->validity, 0xff, (size_t)self->capacity / 8);
    return BUILD_OK;
}

/* ---- the set ---- */

static bool
is_repeated(const column_types *types, int32_t index)
{
    for (int32_t at = types->types[index].parent; at >= 0; at = types->types[at].parent) {
        if (types->types[at].layout == COLUMN_LIST) {
            return true;
        }
    }
    return false;
}

static int
prepare(columns *set, int64_t rows, int64_t bytes)
{
    int32_t strings = 1;
    for (int32_t i = 0; i < set->types->count; i++) {
        strings += set->types->types[i].layout == COLUMN_BYTES;
    }
    for (int32_t i = 0; i < set->types->count; i++) {
        column *self = &set->columns[i];
        self->layout = set->types->types[i].layout;
        self->width = set->types->types[i].width;
        bool is_large = self->layout != COLUMN_STRUCT && self->layout != COLUMN_NULLS
                        && !is_repeated(set->types, i);
        if (set_capacity(self, is_large ? rows : 0) != BUILD_OK
            || (self->layout == COLUMN_BYTES
                && column_grow_bytes(self, bytes / strings) == BUILD_NO_MEMORY)) {
            return -1;
        }
    }
    return 0;
}

columns *
columns_new(column_types *types, int64_t rows, int64_t bytes)
{
    columns *set = calloc(1, sizeof(columns) + (size_t)types->count * sizeof(column));
    if (set == NULL) {
        return NULL;
    }
    set->references = 1;
    set->types = column_types_share(types);
    if (prepare(set, rows, bytes) < 0) {
        columns_release(set);
        return NULL;
    }
    return set;
}

columns *
columns_share(columns *set)
{
    set->references++;
    return set;
}

void
columns_release(columns *set)
{
    if (set == NULL || --set->references > 0) {
        return;
    }
    for (int32_t i = 0; i < set->types->count; i++) {
        column *self = &set->columns[i];
        free(self->validity);
        free(self->slots);
        free(self->offsets);
        free(self->bytes);
    }
    column_types_release(set->types);
    free(set);
}

/* ---- slots ---- */

/* The slots that column `index` has for those of the one above. */
static int64_t
slots_wanted(const columns *set, int32_t index)
{
    const column *parent = &set->columns[set->types->types[index].parent];
    return parent->layout == COLUMN_LIST ? parent->offsets[parent->length] : parent->length;
}

bool
columns_are_whole(const columns *set, int64_t rows)
{
    bool are_whole = set->columns[0].length == rows;
    for (int32_t i = 1; are_whole && i < set->types->count; i++) {
        are_whole = set->columns[i].length == slots_wanted(set, i);
    }
    return are_whole;
}

static void
truncate_one(column *self, int64_t length)
{
    /* Fewer have been put by a program that columns_are_whole() refuses. */
    self->length = length < self->length ? length : self->length;
    if (self->layout == COLUMN_BYTES) {
        self->size = self->offsets[self->length];
    }
}

void
columns_truncate_column(columns *set, int32_t index, int64_t length)
{
    truncate_one(&set->columns[index], length);
    for (int32_t i = index + 1; i < set->types->types[index].end; i++) {
        truncate_one(&set->columns[i], slots_wanted(set, i));
    }
}

void
columns_truncate(columns *set, int64_t rows)
{
    columns_truncate_column(set, 0, rows);
}

/* A slot of zeros, or of nothing, that nobody reads. */
static enum build_status
put_empty(column *self)
{
    static const uint8_t zeros[32];
    switch (self->layout) {
    case COLUMN_BITS:
        return column_put_bool(self, false);
    case COLUMN_FIXED:
        if (self->width <= (int32_t)sizeof(zeros)) {
            return column_put_fixed(self, zeros, (size_t)self->width);
        }
        if (column_reserve(self) != BUILD_OK) {
            return BUILD_NO_MEMORY;
        }
        memset(self->slots + self->length * self->width, 0, (size_t)self->width);
        column_count_value(self);
        return BUILD_OK;
    case COLUMN_BYTES:
        return column_put_bytes(self, "", 0);
    case COLUMN_LIST:
        if (column_reserve(self) != BUILD_OK) {
            return BUILD_NO_MEMORY;
        }
        self->offsets[self->length + 1] = self->offsets[self->length];
        column_count_value(self);
        return BUILD_OK;
    case COLUMN_UNION:
        if (column_reserve(self) != BUILD_OK) {
            return BUILD_NO_MEMORY;
        }
        self->slots[self->length++] = 0; /* a union has no bitmap: its children are null */
        return BUILD_OK;
    default:
        return column_put_slot(self);
    }
}

enum build_status
columns_put_null(columns *set, int32_t index)
{
    column *self = &set->columns[index];
    bool has_bitmap = self->layout != COLUMN_UNION && self->layout != COLUMN_NULLS;
    enum build_status status = has_bitmap ? need_validity(self) : BUILD_OK;
    if (status == BUILD_OK) {
        status = put_empty(self);
    }
    if (status == BUILD_OK && has_bitmap) {
        set_bit(self->validity, self->length - 1, false);
    }
    if (self->layout != COLUMN_STRUCT && self->layout != COLUMN_UNION) {
        return status;
    }
    int32_t end = set->types->types[index].end;
    for (int32_t i = index + 1; status == BUILD_OK && i < end; i = set->types->types[i].end) {
        status = columns_put_null(set, i);
    }
    return status;
}

enum build_status
columns_put_branch(columns *set, int32_t index, int32_t child)
{
    column *self = &set->columns[index];
    enum build_status status = column_reserve(self);
    if (status != BUILD_OK) {
        return status;
    }
    self->slots[self->length++] = (uint8_t)child;
    int32_t end = set->types->types[index].end, number = 0;
    for (int32_t i = index + 1; status == BUILD_OK && i < end; i = set->types->types[i].end) {
        if (number++ != child) {
            status = columns_put_null(set, i);
        }
    }
    return status;
}

/* ---- the end ---- */

static int64_t
count_nulls(const uint8_t *validity, int64_t length)
{
    int64_t nulls = 0, i = 0;
    for (; i + 8 <= length; i += 8) {
        if (validity[i >> 3] != 0xff) {
            for (int bit = 0; bit < 8; bit++) {
                nulls += !(validity[i >> 3] >> bit & 1);
            }
        }
    }
    for (; i < length; i++) {
        nulls += !(validity[i >> 3] >> (i & 7) & 1);
    }
    return nulls;
}

/* Readers want an address also of what has no bytes. */
static const void *
there(const void *memory)
{
    static const uint8_t nothing[8];
    return memory == NULL ? nothing : memory;
}

void
columns_finish(columns *set)
{
    for (int32_t i = 0; i < set->types->count; i++) {
        column *self = &set->columns[i];
        bool has_offsets = self->layout == COLUMN_BYTES || self->layout == COLUMN_LIST;
        self->null_count =
            self->validity == NULL ? 0 : count_nulls(self->validity, self->length);
        self->buffers[0] = self->null_count == 0 ? NULL : self->validity;
        self->buffers[1] = there(has_offsets ? (void *)self->offsets : self->slots);
        self->buffers[2] = there(self->bytes);
        if (self->layout == COLUMN_UNION) {
            self->buffers[0] = there(self->slots);
        }
        if (self->layout == COLUMN_NULLS) {
            self->null_count = self->length;
        }
    }
}

#include "columns/builder.h"

#include <stdlib.h>

/* ---- memory ---- */

/* Capacities are multiples of this number, so that bits fill whole bytes. */
#define SLOTS_STEP 64

/* The kinds of a column's memory. If bit `1 << kind` of `in_block` is set, it is in the block. */
enum memory { SLOTS, OFFSETS, VALIDITY, BYTES, MEMORY_COUNT };

static void **
memory_of(column *self, enum memory which)
{
    switch (which) {
    case SLOTS:
        return (void **)&self->slots;
    case OFFSETS:
        return (void **)&self->offsets;
    case VALIDITY:
        return (void **)&self->validity;
    default:
        return (void **)&self->bytes;
    }
}

static bool
has_offsets(const column *self)
{
    return self->layout == COLUMN_BYTES || self->layout == COLUMN_LIST;
}

/* The size of `slots` for a number of slots. */
static size_t
slots_size(const column *self, int64_t capacity)
{
    switch (self->layout) {
    case COLUMN_BITS:
        return (size_t)capacity / 8;
    case COLUMN_FIXED:
        /* A column without bytes also needs an address, because memcpy() requires one. */
        return self->width == 0 ? 1 : (size_t)capacity * (size_t)self->width;
    case COLUMN_UNION:
        return (size_t)capacity;
    default:
        return 0;
    }
}

/* The size of each kind of memory for a number of slots and, for strings, `room` bytes. */
static size_t
size_of(const column *self, enum memory which, int64_t capacity, int64_t room)
{
    switch (which) {
    case SLOTS:
        return slots_size(self, capacity);
    case OFFSETS:
        return has_offsets(self) ? ((size_t)capacity + 1) * sizeof(int32_t) : 0;
    case VALIDITY:
        return self->validity == NULL ? 0 : (size_t)capacity / 8;
    default:
        return (size_t)room;
    }
}

/* Resizes memory from `old_size` to `size` bytes. */
static int
resize(column *self, enum memory which, size_t old_size, size_t size)
{
    void **memory = memory_of(self, which);
    bool is_in_block = self->in_block >> which & 1;
    if (size == 0) {
        return 0;
    }
    void *larger = realloc(is_in_block ? NULL : *memory, size);
    if (larger == NULL) {
        return -1;
    }
    if (is_in_block) {
        memcpy(larger, *memory, old_size);
        self->in_block &= ~(1u << which);
    }
    *memory = larger;
    return 0;
}

static int64_t
whole_step(int64_t capacity)
{
    return (capacity + SLOTS_STEP - 1) / SLOTS_STEP * SLOTS_STEP;
}

static enum build_status
set_capacity(column *self, int64_t capacity)
{
    capacity = whole_step(capacity);
    for (enum memory which = SLOTS; which < BYTES; which++) {
        if (resize(self, which, size_of(self, which, self->capacity, 0),
                   size_of(self, which, capacity, 0))
            < 0) {
            return BUILD_NO_MEMORY;
        }
    }
    if (has_offsets(self) && self->length == 0) {
        self->offsets[0] = 0;
    }
    self->capacity = capacity;
    return BUILD_OK;
}

static enum build_status
set_room(column *self, int64_t room)
{
    if (resize(self, BYTES, (size_t)self->room, (size_t)room) < 0) {
        return BUILD_NO_MEMORY;
    }
    self->room = room;
    return BUILD_OK;
}

enum build_status
column_grow(column *self)
{
    /* A struct without nulls so far has more slots than it has reserved. */
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
    return set_room(self, room > INT32_MAX ? INT32_MAX : room);
}

/* Creates the bitmap at the first null; all slots before are valid. */
static enum build_status
need_validity(column *self)
{
    if (self->validity != NULL) {
        return BUILD_OK;
    }
    if (column_reserve(self) != BUILD_OK) { /* structs have not reserved anything yet */
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
        for (enum memory which = SLOTS; which < MEMORY_COUNT; which++) {
            if ((self->in_block >> which & 1) == 0) {
                free(*memory_of(self, which));
            }
        }
    }
    free(set->block);
    column_types_release(set->types);
    free(set);
}

/* ---- reserving memory for the remaining rows ---- */

/*
 * All columns of a batch share one block of up to this size. When the block is freed, malloc()
 * keeps its memory for the next batch, instead of asking the system for new pages each time.
 * Larger columns get memory of their own.
 */
#define BLOCK_LIMIT (16 << 20)
#define BLOCK_ALIGNMENT 64

/* How much a column will need. */
typedef struct {
    int64_t capacity, room;
} need;

/* Estimates how many bytes or slots `rows` rows need, with a reserve, if `done` rows use `now`. The
 * result is at most `limit`, but never less than `there_is`. */
static int64_t
expect(int64_t now, int64_t there_is, int64_t done, int64_t rows, int64_t limit)
{
    if (now > INT32_MAX) {
        return there_is; /* it is already larger */
    }
    int64_t expected = now * rows / done;
    expected += expected / 16;
    expected = expected < limit ? expected : limit;
    expected = expected < INT32_MAX ? expected : INT32_MAX;
    return expected > there_is ? expected : there_is;
}

static need
need_of(const columns *set, int32_t index, int64_t rows, int64_t limit)
{
    const column *self = &set->columns[index];
    int64_t done = set->columns[0].length;
    int64_t capacity = is_repeated(set->types, index)
                           ? expect(self->length, self->capacity, done, rows, limit)
                           : rows;
    capacity = capacity > self->capacity ? capacity : self->capacity;
    return (need){whole_step(capacity), expect(self->size, self->room, done, rows, limit)};
}

static size_t
aligned(size_t size)
{
    return (size + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
}

/* Moves all memory of a column to `at`; returns the place after it. */
static uint8_t *
move_to_block(column *self, need to, uint8_t *at)
{
    for (enum memory which = SLOTS; which < MEMORY_COUNT; which++) {
        void **memory = memory_of(self, which);
        size_t size = size_of(self, which, to.capacity, to.room);
        if (size == 0) {
            continue;
        }
        if (*memory != NULL) {
            memcpy(at, *memory, size_of(self, which, self->capacity, self->room));
            free(*memory);
        }
        *memory = at;
        self->in_block |= 1u << which;
        at += aligned(size);
    }
    self->capacity = to.capacity;
    self->room = to.room;
    return at;
}

void
columns_foresee(columns *set, int64_t rows, int64_t limit)
{
    if (set->block != NULL) {
        return; /* called twice, by a program that columns_are_whole() will refuse */
    }
    size_t total = 0;
    for (int32_t i = 0; i < set->types->count; i++) {
        need to = need_of(set, i, rows, limit);
        for (enum memory which = SLOTS; which < MEMORY_COUNT; which++) {
            total += aligned(size_of(&set->columns[i], which, to.capacity, to.room));
        }
    }
    set->block = total > BLOCK_LIMIT ? NULL : malloc(total);
    uint8_t *at = set->block;
    for (int32_t i = 0; i < set->types->count; i++) {
        column *self = &set->columns[i];
        need to = need_of(set, i, rows, limit);
        if (at != NULL) {
            at = move_to_block(self, to, at);
        }
        else if (set_capacity(self, to.capacity) == BUILD_OK) {
            (void)set_room(self, to.room); /* if this fails, it grows when it has to */
        }
    }
}

/* ---- slots ---- */

/* How many slots column `index` has for the slots of its parent. */
static int64_t
slots_wanted(const columns *set, int32_t index)
{
    const column *parent = &set->columns[set->types->types[index].parent];
    return parent->layout == COLUMN_LIST ? parent->offsets[parent->length] : parent->length;
}

bool
columns_below_are_whole(const columns *set, int32_t index)
{
    bool are_whole = true;
    for (int32_t i = index + 1; are_whole && i < set->types->types[index].end; i++) {
        are_whole = set->columns[i].length == slots_wanted(set, i);
    }
    return are_whole;
}

bool
columns_are_whole(const columns *set, int64_t rows)
{
    return set->columns[0].length == rows && columns_below_are_whole(set, 0);
}

static void
truncate_one(column *self, int64_t length)
{
    /* A program that columns_are_whole() refuses may have put fewer. */
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

/* Adds a slot that nobody reads: a zero, or an empty value. */
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

/* Readers need an address even for a buffer without bytes. */
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
        self->null_count =
            self->validity == NULL ? 0 : count_nulls(self->validity, self->length);
        self->buffers[0] = self->null_count == 0 ? NULL : self->validity;
        self->buffers[1] = there(has_offsets(self) ? (void *)self->offsets : self->slots);
        self->buffers[2] = there(self->bytes);
        if (self->layout == COLUMN_UNION) {
            self->buffers[0] = there(self->slots);
        }
        if (self->layout == COLUMN_NULLS) {
            self->null_count = self->length;
        }
    }
}

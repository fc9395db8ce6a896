#include "columns/avro_put_run.h"

#include "columns/short_text.h"
#include "columns/utf8.h"

/*
 * The loop under all encoding of Avro. It does by itself what most values are, with the place in
 * the payload in a register: numbers, booleans, text with offsets of 32 bits, records and arrays,
 * none of them null, where there is room. Everything else, whatever is wrong included, is left to
 * the value's step (avro_put_steps.c).
 */

/* Bytes of the largest number. */
#define LONG_SIZE 10

/* Zigzag, seven bits a byte; there must be room for LONG_SIZE. */
static inline uint8_t *
write_long(uint8_t *to, int64_t value)
{
    uint64_t bits = ((uint64_t)value << 1) ^ (uint64_t)(value < 0 ? -1 : 0);
    for (; bits > 0x7f; bits >>= 7) {
        *to++ = (uint8_t)(bits | 0x80);
    }
    *to++ = (uint8_t)bits;
    return to;
}

/* Where a payload is written, and how far it can be. */
typedef struct {
    uint8_t *at;
    const uint8_t *end;
} room;

static inline bool
has_room(room to, int64_t size)
{
    return to.end - to.at >= size;
}

/* Each of these gives the place after what it wrote, or NULL for the step to do it all. */

static inline uint8_t *
run_int(room to, const arrow_column *column, int64_t row)
{
    int32_t value;
    if (!has_room(to, LONG_SIZE)) {
        return NULL;
    }
    memcpy(&value, (const int32_t *)column->slots + column->start + row, sizeof(value));
    return write_long(to.at, value);
}

static inline uint8_t *
run_long(room to, const arrow_column *column, int64_t row)
{
    int64_t value;
    if (!has_room(to, LONG_SIZE)) {
        return NULL;
    }
    memcpy(&value, (const int64_t *)column->slots + column->start + row, sizeof(value));
    return write_long(to.at, value);
}

/* Floating point numbers of the same size, whose bytes are in the order of the machine. */
static inline uint8_t *
run_plain(room to, const arrow_column *column, int64_t row, int32_t size)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return NULL;
#endif
    if (column->format.width != size || !has_room(to, size)) {
        return NULL;
    }
    memcpy(to.at, (const uint8_t *)column->slots + (column->start + row) * size, (size_t)size);
    return to.at + size;
}

static inline uint8_t *
run_boolean(room to, const arrow_column *column, int64_t row)
{
    if (!has_room(to, 1)) {
        return NULL;
    }
    *to.at = input_bit(column, row);
    return to.at + 1;
}

static inline uint8_t *
run_string(room to, const arrow_column *column, int64_t row)
{
    int32_t offsets[2];
    if (column->format.width != sizeof(offsets[0])) {
        return NULL;
    }
    memcpy(offsets, (const int32_t *)column->slots + column->start + row, sizeof(offsets));
    int64_t size = (int64_t)offsets[1] - offsets[0];
    if (!has_room(to, size + LONG_SIZE)) {
        return NULL;
    }
    const uint8_t *text = size == 0 ? to.at : column->bytes + offsets[0];
    if (size <= 16) {
        *to.at = (uint8_t)(size << 1);
        return short_text_copy(to.at + 1, text, (size_t)size) ? to.at + 1 + size : NULL;
    }
    if (!utf8_is_valid(text, (size_t)size)) {
        return NULL;
    }
    uint8_t *at = write_long(to.at, size);
    memcpy(at, text, (size_t)size);
    return at + size;
}

/* The branch that is not null, or null, which ends the block. */
static inline uint8_t *
put_branch(room to, int64_t branch)
{
    if (!has_room(to, 1)) {
        return NULL;
    }
    *to.at = (uint8_t)(branch << 1);
    return to.at + 1;
}

/* A value of a row that is not null. */
static inline uint8_t *
run_value(const put_instruction *at, room to, const arrow_column *column, int64_t row)
{
    switch (at->shortcut) {
    case PUT_SHORT_INT:
        return run_int(to, column, row);
    case PUT_SHORT_LONG:
        return run_long(to, column, row);
    case PUT_SHORT_FLOAT:
        return run_plain(to, column, row, sizeof(float));
    case PUT_SHORT_DOUBLE:
        return run_plain(to, column, row, sizeof(double));
    case PUT_SHORT_BOOLEAN:
        return run_boolean(to, column, row);
    case PUT_SHORT_STRING:
        return run_string(to, column, row);
    case PUT_SHORT_RECORD:
        return to.at;
    case PUT_SHORT_OPTIONAL:
        return put_branch(to, at->table[0]);
    default:
        return NULL;
    }
}

static uint8_t *run_block(put_machine *self, const put_instruction *from,
                          const put_instruction *end, uint8_t *at, int64_t row);

/* What run_array() gives for an array that its step is to write. */
static uint8_t not_short;

/* All items of an array, and its end; NULL: one is bad, or there is no memory. */
static inline uint8_t *
run_array(put_machine *self, const put_instruction *array, uint8_t *at,
          const arrow_column *column, int64_t row)
{
    int32_t offsets[2];
    if (column->format.width != sizeof(offsets[0]) || self->to.end - at < LONG_SIZE) {
        return &not_short;
    }
    memcpy(offsets, (const int32_t *)column->slots + column->start + row, sizeof(offsets));
    if (offsets[0] < offsets[1]) {
        at = write_long(at, (int64_t)offsets[1] - offsets[0]);
        const put_instruction *first = array + 1;
        if (first < array->target && first->shortcut == PUT_SHORT_RECORD
            && self->from->columns[first->column].validity == NULL) {
            first++; /* it has nothing to say for any of the items */
        }
        for (int64_t item = offsets[0]; at != NULL && item < offsets[1]; item++) {
            at = run_block(self, first, array->target, at, item);
        }
        if (at != NULL && at == self->to.end) {
            self->to.at = at;
            at = put_reserve(self, 1) ? self->to.at : NULL;
        }
        if (at == NULL) {
            return NULL;
        }
    }
    *at = 0;
    return at + 1;
}

/* The place after all of a block, NULL if it is bad. */
static uint8_t *
run_block(put_machine *self, const put_instruction *from, const put_instruction *end, uint8_t *at,
          int64_t row)
{
    const arrow_column *columns = self->from->columns;
    while (from < end) {
        uint8_t *next = NULL;
        const put_instruction *following = from + 1;
        if (from->shortcut != PUT_NO_SHORTCUT) {
            const arrow_column *column = &columns[from->column];
            if (!input_is_valid(column, row)) {
                bool is_optional = from->shortcut == PUT_SHORT_OPTIONAL;
                next = is_optional ? put_branch((room){at, self->to.end}, from->argument) : NULL;
                following = from->target;
            }
            else if (from->shortcut == PUT_SHORT_ARRAY) {
                next = run_array(self, from, at, column, row);
                if (next == NULL) {
                    return NULL;
                }
                next = next == &not_short ? NULL : next;
                following = from->target;
            }
            else {
                next = run_value(from, (room){at, self->to.end}, column, row);
            }
        }
        if (next != NULL) {
            at = next;
            from = following;
            continue;
        }
        self->to.at = at;
        self->row = row;
        from = from->step(self, from);
        if (from == NULL) {
            return NULL;
        }
        at = self->to.at;
    }
    return at;
}

bool
avro_put_run(put_machine *self, const put_instruction *from, const put_instruction *end)
{
    int64_t row = self->row;
    uint8_t *at = run_block(self, from, end, self->to.at, row);
    self->row = row;
    if (at == NULL) {
        return false;
    }
    self->to.at = at;
    return true;
}

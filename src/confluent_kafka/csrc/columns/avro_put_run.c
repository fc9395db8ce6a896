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

/*
 * Zigzag, seven bits a byte; there must be room for LONG_SIZE. Branches are guessed, mostly right:
 * what comes next is written before it is known how long this is.
 */
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

/*
 * Each of these gives the place after what it wrote, or NULL for the step to do it all. There is room
 * for LONG_SIZE; `end` is the end of the room.
 */

static inline uint8_t *
run_int(uint8_t *at, const arrow_column *column, int64_t row)
{
    int32_t value;
    memcpy(&value, (const int32_t *)column->slots + column->start + row, sizeof(value));
    return write_long(at, value);
}

static inline uint8_t *
run_long(uint8_t *at, const arrow_column *column, int64_t row)
{
    int64_t value;
    memcpy(&value, (const int64_t *)column->slots + column->start + row, sizeof(value));
    return write_long(at, value);
}

/* Floating point numbers of the same size, whose bytes are in the order of the machine. */
static inline uint8_t *
run_plain(uint8_t *at, const arrow_column *column, int64_t row, int32_t size)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return NULL;
#endif
    if (column->format.width != size) {
        return NULL;
    }
    memcpy(at, (const uint8_t *)column->slots + (column->start + row) * size, (size_t)size);
    return at + size;
}

static inline uint8_t *
run_string(uint8_t *at, const uint8_t *end, const arrow_column *column, int64_t row)
{
    int32_t offsets[2];
    if (column->format.width != sizeof(offsets[0])) {
        return NULL;
    }
    memcpy(offsets, (const int32_t *)column->slots + column->start + row, sizeof(offsets));
    int64_t size = (int64_t)offsets[1] - offsets[0];
    if (end - at < size + LONG_SIZE) {
        return NULL;
    }
    const uint8_t *text = size == 0 ? at : column->bytes + offsets[0];
    if (size <= 16) {
        *at = (uint8_t)(size << 1);
        return short_text_copy(at + 1, text, (size_t)size) ? at + 1 + size : NULL;
    }
    if (!utf8_is_valid(text, (size_t)size)) {
        return NULL;
    }
    at = write_long(at, size);
    memcpy(at, text, (size_t)size);
    return at + size;
}

/* A value that is no array, of a row that is not null. */
static inline uint8_t *
run_value(const put_instruction *what, uint8_t *at, const uint8_t *end, const arrow_column *column,
          int64_t row)
{
    switch (what->shortcut) {
    case PUT_SHORT_INT:
        return run_int(at, column, row);
    case PUT_SHORT_LONG:
        return run_long(at, column, row);
    case PUT_SHORT_FLOAT:
        return run_plain(at, column, row, sizeof(float));
    case PUT_SHORT_DOUBLE:
        return run_plain(at, column, row, sizeof(double));
    case PUT_SHORT_BOOLEAN:
        *at = input_bit(column, row);
        return at + 1;
    case PUT_SHORT_STRING:
        return run_string(at, end, column, row);
    case PUT_SHORT_RECORD:
        return at;
    case PUT_SHORT_OPTIONAL: /* the branch that is not null */
        *at = (uint8_t)(what->table[0] << 1);
        return at + 1;
    default:
        return NULL;
    }
}

static uint8_t *run_block(put_machine *self, const put_instruction *first,
                          const put_instruction *end, uint8_t *at, int64_t row, int64_t times);

/* All items of an array, and its end; NULL: one is bad, or there is no memory. */
static uint8_t *
run_array(put_machine *self, const put_instruction *array, uint8_t *at, int64_t from, int64_t to)
{
    if (from < to) {
        at = write_long(at, to - from);
        const put_instruction *first = array + 1;
        if (first < array->target && first->shortcut == PUT_SHORT_RECORD
            && self->from->columns[first->column].validity == NULL) {
            first++; /* it has nothing to say for any of the items */
        }
        at = run_block(self, first, array->target, at, from, to - from);
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

/* The place after all of a block for so many rows, from `row` on; NULL: one is bad. */
static uint8_t *
run_block(put_machine *self, const put_instruction *first, const put_instruction *end, uint8_t *at,
          int64_t row, int64_t times)
{
    const arrow_column *columns = self->from->columns;
    const put_instruction *from = first;
    times = first < end ? times : 0;
    while (from < end || --times > 0) {
        if (from == end) {
            from = first;
            row++;
        }
        const arrow_column *column = &columns[from->column];
        uint8_t *next = NULL;
        if (from->shortcut == PUT_NO_SHORTCUT || self->to.end - at < LONG_SIZE) {
            /* its step does it */
        }
        else if (!input_is_valid(column, row)) {
            if (from->shortcut == PUT_SHORT_OPTIONAL) {
                *at++ = (uint8_t)(from->argument << 1);
                from = from->target;
                continue;
            }
        }
        else if (from->shortcut == PUT_SHORT_ARRAY) {
            int32_t offsets[2];
            if (column->format.width == sizeof(offsets[0])) {
                memcpy(offsets, (const int32_t *)column->slots + column->start + row,
                       sizeof(offsets));
                at = run_array(self, from, at, offsets[0], offsets[1]);
                if (at == NULL) {
                    return NULL;
                }
                from = from->target;
                continue;
            }
        }
        else {
            next = run_value(from, at, self->to.end, column, row);
        }
        if (next != NULL) {
            at = next;
            from++;
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
    uint8_t *at = run_block(self, from, end, self->to.at, row, 1);
    self->row = row;
    if (at == NULL) {
        return false;
    }
    self->to.at = at;
    return true;
}

#include "columns/avro_put_run.h"

#include "columns/short_text.h"
#include "columns/utf8.h"

/*
 * The loop under all Avro encoding. It keeps the place in the payload in a register, and itself
 * writes most values: numbers, booleans, text with 32-bit offsets, records and arrays, if they are
 * not null and there is room. Everything else, including all errors, is left to the step of the
 * value (avro_put_steps.c).
 */

/* The maximum size of a number in bytes. */
#define LONG_SIZE 10

/*
 * Zigzag, seven bits in each byte; there must be room for LONG_SIZE. The branches are predicted,
 * mostly correctly, so that the next value is written before the length of this one is known.
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

/* Writes floats in the machine's byte order. NULL leaves the value to the step. */
static inline uint8_t *
write_plain(uint8_t *to, const uint8_t *value, size_t size)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return NULL;
#endif
    memcpy(to, value, size);
    return to + size;
}

static inline bool
bit_at(const uint8_t *bits, int64_t index)
{
    return bits[index >> 3] >> (index & 7) & 1;
}

static inline int64_t
int_at(const uint8_t *slots, int64_t row)
{
    int32_t value;
    memcpy(&value, slots + row * (int64_t)sizeof(value), sizeof(value));
    return value;
}

static inline int64_t
long_at(const uint8_t *slots, int64_t row)
{
    int64_t value;
    memcpy(&value, slots + row * (int64_t)sizeof(value), sizeof(value));
    return value;
}

/* Writes text, if there is room up to `end`. NULL leaves the value to the step. */
static inline uint8_t *
write_string(uint8_t *to, const uint8_t *end, const put_source *from, int64_t row)
{
    int64_t start = int_at(from->slots, row), size = int_at(from->slots, row + 1) - start;
    if (end - to < size + LONG_SIZE) {
        return NULL;
    }
    const uint8_t *text = size == 0 ? to : from->bytes + start;
    if (size <= 16) {
        *to = (uint8_t)(size << 1);
        return short_text_copy(to + 1, text, (size_t)size) ? to + 1 + size : NULL;
    }
    if (!utf8_is_valid(text, (size_t)size)) {
        return NULL;
    }
    to = write_long(to, size);
    memcpy(to, text, (size_t)size);
    return to + size;
}

/* What the instructions of a block are repeated for. */
typedef enum { ITEMS, ROWS } repeated;

static uint8_t *run_block(put_machine *self, const put_source *first, const put_source *end,
                          uint8_t *at, int64_t row, int64_t times, repeated what);

/* Writes all items of an array and its end. NULL: an item is bad, or there is no memory. */
static uint8_t *
run_array(put_machine *self, const put_source *array, uint8_t *at, int64_t row)
{
    int64_t from = int_at(array->slots, row), count = int_at(array->slots, row + 1) - from;
    if (count > 0) {
        const put_source *first = array + 1;
        if (first < array->target && first->shortcut == PUT_SHORT_RECORD
            && first->validity == NULL) {
            first++; /* this instruction writes nothing for any of the items */
        }
        at = run_block(self, first, array->target, write_long(at, count), from, count,
                       ITEMS);
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

/* Ends a payload at `at`: returns whether the column has room for it. */
static bool
end_row(put_machine *self, const uint8_t *at)
{
    column *to = self->to.to;
    if (to->length == to->capacity) {
        return false;
    }
    to->size = at - to->bytes;
    to->offsets[to->length + 1] = (int32_t)to->size;
    column_count_value(to);
    return true;
}

/* Begins the next payload: returns the place after its prefix, or NULL if there is no room. */
static uint8_t *
begin_row(put_machine *self, uint8_t *at)
{
    if (self->to.end - at < self->prefix_size) {
        return NULL;
    }
    if (self->prefix_size > 0) {
        memcpy(at, self->prefix, (size_t)self->prefix_size);
    }
    return at + self->prefix_size;
}

/*
 * Runs a block for a number of items or rows, from `row` on. Returns the place after them; NULL:
 * one is bad, or there is no room for one of the rows.
 */
static uint8_t *
run_block(put_machine *self, const put_source *first, const put_source *end, uint8_t *at,
          int64_t row, int64_t times, repeated what)
{
    const put_source *from = first;
    times = first < end ? times : 0;
    while (from < end || --times > 0) {
        if (from == end) {
            if (what == ROWS && (!end_row(self, at) || (at = begin_row(self, at)) == NULL)) {
                return NULL;
            }
            from = first;
            row++;
        }
        uint8_t *next = NULL;
        bool has_room = self->to.end - at >= LONG_SIZE;
        bool is_null = from->validity != NULL && !bit_at(from->validity, from->start + row);
        switch (has_room && !is_null ? from->shortcut : PUT_NO_SHORTCUT) {
        case PUT_SHORT_INT:
            next = write_long(at, int_at(from->slots, row));
            break;
        case PUT_SHORT_LONG:
            next = write_long(at, long_at(from->slots, row));
            break;
        case PUT_SHORT_FLOAT:
            next = write_plain(at, from->slots + row * 4, 4);
            break;
        case PUT_SHORT_DOUBLE:
            next = write_plain(at, from->slots + row * 8, 8);
            break;
        case PUT_SHORT_BOOLEAN:
            *at = bit_at(from->slots, from->start + row);
            next = at + 1;
            break;
        case PUT_SHORT_STRING:
            next = write_string(at, self->to.end, from, row);
            break;
        case PUT_SHORT_RECORD:
            next = at;
            break;
        case PUT_SHORT_OPTIONAL:
            *at = from->there;
            next = at + 1;
            break;
        case PUT_SHORT_ARRAY:
            at = run_array(self, from, at, row);
            if (at == NULL) {
                return NULL;
            }
            from = from->target;
            continue;
        default:
            if (has_room && is_null && from->shortcut == PUT_SHORT_OPTIONAL) {
                *at++ = from->null;
                from = from->target;
                continue;
            }
        }
        if (next != NULL) {
            at = next;
            from++;
            continue;
        }
        self->to.at = at;
        self->row = row;
        const put_instruction *following = from->what->step(self, from->what);
        if (following == NULL) {
            return NULL;
        }
        from = self->sources + (following - self->program);
        at = self->to.at;
    }
    return at;
}

bool
avro_put_run(put_machine *self, const put_instruction *from, const put_instruction *end)
{
    int64_t row = self->row;
    const put_source *sources = self->sources;
    uint8_t *at = run_block(self, sources + (from - self->program), sources + (end - self->program),
                            self->to.at, row, 1, ITEMS);
    self->row = row;
    if (at == NULL) {
        return false;
    }
    self->to.at = at;
    return true;
}

void
avro_put_run_rows(put_machine *self, const put_instruction *end, const void *prefix,
                  int64_t prefix_size, int64_t until)
{
    const put_source *first = self->sources, *last = first + (end - self->program);
    self->prefix = prefix;
    self->prefix_size = prefix_size;
    /* The instruction writes nothing for any of the rows, unless it is the only instruction. */
    if (last - first > 1 && first->shortcut == PUT_SHORT_RECORD && first->validity == NULL) {
        first++;
    }
    uint8_t *at = first < last ? begin_row(self, self->to.at) : NULL;
    if (at != NULL) {
        at = run_block(self, first, last, at, self->row, until - self->row, ROWS);
    }
    if (at != NULL) {
        end_row(self, at);
    }
    payload_discard(&self->to);
}

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

/* Floating point numbers, whose bytes are in the order of the machine; NULL: the step does it. */
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

/* Text, where there is room up to `end`; NULL: the step does it all. */
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

/* What a block is done for many times. */
typedef enum { ITEMS, ROWS } repeated;

static uint8_t *run_block(put_machine *self, const put_source *first, const put_source *end,
                          uint8_t *at, int64_t row, int64_t times, repeated what);

/* All items of an array, and its end; NULL: one is bad, or there is no memory. */
static uint8_t *
run_array(put_machine *self, const put_source *array, uint8_t *at, int64_t row)
{
    int64_t from = int_at(array->slots, row), count = int_at(array->slots, row + 1) - from;
    if (count > 0) {
        const put_source *first = array + 1;
        if (first < array->target && first->shortcut == PUT_SHORT_RECORD
            && first->validity == NULL) {
            first++; /* it has nothing to say for any of the items */
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

/* What has been written up to `at` is a payload: whether the column has room for it, */
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

/* and the place after the prefix of the next; NULL: there is no room. */
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
 * The place after all of a block for so many items or rows, from `row` on; NULL: one is bad, or one
 * of the rows has no room.
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
    /* It has nothing to say for any of the rows, unless it is all that there is. */
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

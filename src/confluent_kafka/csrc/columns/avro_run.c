#include "columns/avro_run.h"

#include <stddef.h>

#include "columns/short_text.h"

/*
 * The loop under all decoding. It does by itself what most values are, with the place in the
 * payload in a register: numbers of up to eight bytes, short strings of ASCII, columns with room.
 * Everything else, whatever is wrong included, is left to the value's step (avro_steps.c), which
 * reads the value from its start.
 */

/* The bytes at `data`, the first one lowest. */
static inline uint64_t
load64(const uint8_t *data)
{
    uint64_t word;
    memcpy(&word, data, sizeof(word));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* How many bytes there are before the first that has a mark in its highest bit. */
static inline int
bytes_before(uint64_t marks)
{
#if defined(__GNUC__)
    return __builtin_ctzll(marks) >> 3;
#else
    int count = 0;
    for (; (marks & 0x80) == 0; marks >>= 8) {
        count++;
    }
    return count;
#endif
}

/* Where in a payload the next value is. */
typedef struct {
    const uint8_t *start, *at, *end;
} place;

/* The next eight bytes; after the end, zeros. False: there is no reading them at once. */
static inline bool
next_word(place here, uint64_t *word)
{
    ptrdiff_t left = here.end - here.at;
    if (left >= 8) {
        *word = load64(here.at);
        return true;
    }
    if (left == 0 || here.end - here.start < 8) {
        return false;
    }
    *word = load64(here.end - 8) >> (8 - left) * 8;
    return true;
}

/* A zigzag number of up to eight bytes; NULL: it is another. */
static inline const uint8_t *
read_number(place here, int64_t *value)
{
    uint64_t word;
    if (!next_word(here, &word)) {
        return NULL;
    }
    uint64_t stops = ~word & 0x8080808080808080u;
    int size = stops == 0 ? 9 : bytes_before(stops) + 1;
    if (stops == 0 || size > here.end - here.at) {
        return NULL;
    }
    /* All up to the first byte without a continuation mark, and then seven bits of each. */
    uint64_t bits = word & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7fu;
    bits = (bits & 0x7f007f007f007f00u) >> 1 | (bits & 0x007f007f007f007fu);
    bits = (bits & 0x3fff00003fff0000u) >> 2 | (bits & 0x00003fff00003fffu);
    bits = (bits & 0x0fffffff00000000u) >> 4 | (bits & 0x000000000fffffffu);
    *value = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
    return here.at + size;
}

static inline bool
has_room(const column *self)
{
    return self->length < self->capacity;
}

/* Each of these gives the place after the value, or NULL for the step to do it all. */

static inline const uint8_t *
run_int(place here, column *to)
{
    int64_t wide;
    const uint8_t *next = read_number(here, &wide);
    int32_t value = (int32_t)wide;
    if (next == NULL || value != wide || !has_room(to)) {
        return NULL;
    }
    memcpy(to->slots + to->length * (int64_t)sizeof(value), &value, sizeof(value));
    column_count_value(to);
    return next;
}

static inline const uint8_t *
run_long(place here, column *to)
{
    int64_t value;
    const uint8_t *next = read_number(here, &value);
    if (next == NULL || !has_room(to)) {
        return NULL;
    }
    memcpy(to->slots + to->length * (int64_t)sizeof(value), &value, sizeof(value));
    column_count_value(to);
    return next;
}

/* Floating point numbers, whose bytes are in the order of the machine. */
static inline const uint8_t *
run_plain(place here, column *to, ptrdiff_t size)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return NULL;
#endif
    if (here.end - here.at < size || !has_room(to)) {
        return NULL;
    }
    memcpy(to->slots + to->length * size, here.at, (size_t)size);
    column_count_value(to);
    return here.at + size;
}

static inline const uint8_t *
run_boolean(place here, column *to)
{
    if (here.at == here.end || *here.at > 1 || !has_room(to)) {
        return NULL;
    }
    set_bit(to->slots, to->length, *here.at);
    column_count_value(to);
    return here.at + 1;
}

/* Text of up to 16 bytes near the end of the payload. */
static inline const uint8_t *
run_last_string(const uint8_t *at, int size, column *to)
{
    if (!short_text_copy(to->bytes + to->size, at, (size_t)size)) {
        return NULL;
    }
    to->size += size;
    to->offsets[to->length + 1] = (int32_t)to->size;
    column_count_value(to);
    return at + size;
}

/* Text of up to 16 bytes of ASCII, where 16 can be written. */
static inline const uint8_t *
run_string(place here, column *to)
{
    const uint8_t *at = here.at;
    if (at == here.end || *at > 32 || (*at & 1) != 0 || !has_room(to)
        || to->room - to->size < 16) {
        return NULL;
    }
    int size = *at++ >> 1;
    if (here.end - at < 16) {
        return size <= here.end - at ? run_last_string(at, size, to) : NULL;
    }
    uint64_t low, high;
    memcpy(&low, at, sizeof(low));
    memcpy(&high, at + sizeof(low), sizeof(high));
    /* What follows the text may be anything: only a mark within it counts. */
    uint64_t low_marks = load64(at) & 0x8080808080808080u;
    uint64_t high_marks = load64(at + sizeof(low)) & 0x8080808080808080u;
    if ((low_marks != 0 && bytes_before(low_marks) < size)
        || (high_marks != 0 && bytes_before(high_marks) + 8 < size)) {
        return NULL;
    }
    memcpy(to->bytes + to->size, &low, sizeof(low));
    memcpy(to->bytes + to->size + sizeof(low), &high, sizeof(high));
    to->size += size;
    to->offsets[to->length + 1] = (int32_t)to->size;
    column_count_value(to);
    return at + size;
}

/* A record before any that was null. */
static inline const uint8_t *
run_record(place here, column *to)
{
    if (to->validity != NULL) {
        return NULL;
    }
    to->length++;
    return here.at;
}

/* The branch that is not null, whose value follows. */
static inline const uint8_t *
run_optional(place here, int64_t null_branch)
{
    bool is_there = here.at < here.end && *here.at == (1 - null_branch) * 2;
    return is_there ? here.at + 1 : NULL;
}

static inline const uint8_t *
run_step(const avro_instruction *what, place here, column *to)
{
    switch (what->shortcut) {
    case AVRO_INT:
        return run_int(here, to);
    case AVRO_LONG:
        return run_long(here, to);
    case AVRO_FLOAT:
        return run_plain(here, to, sizeof(float));
    case AVRO_DOUBLE:
        return run_plain(here, to, sizeof(double));
    case AVRO_BOOLEAN:
        return run_boolean(here, to);
    case AVRO_STRING:
        return run_string(here, to);
    case AVRO_RECORD:
        return run_record(here, to);
    case AVRO_OPTIONAL:
        return run_optional(here, what->argument);
    default:
        return NULL;
    }
}

bool
avro_run(avro_machine *machine, const avro_instruction *from, const avro_instruction *end)
{
    place here = {machine->start, machine->at, machine->end};
    column *columns = machine->set->columns;
    while (from < end) {
        const uint8_t *next = from->shortcut == AVRO_NO_SHORTCUT
                                  ? NULL
                                  : run_step(from, here, &columns[from->column]);
        if (next != NULL) {
            here.at = next;
            from++;
            continue;
        }
        machine->at = here.at;
        from = from->step(machine, from);
        if (from == NULL) {
            return false;
        }
        here.at = machine->at;
    }
    machine->at = here.at;
    return true;
}

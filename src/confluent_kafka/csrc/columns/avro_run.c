#include "columns/avro_run.h"

#include "columns/avro_read.h"

/*
 * The loop under all Avro decoding. It keeps the place in the payload in a register, and itself
 * reads most values: numbers of up to eight bytes, short ASCII strings, items of arrays, if the
 * columns have room. Everything else, including all errors, is left to the step of the value
 * (avro_steps.c), which reads the value from its start. The last values in a buffer of payloads are
 * also left to the steps, because this loop reads the bytes after a value together with it.
 */

/* The bytes that are read at once where a value starts: a size of one byte and a short string. */
#define READ_AT_ONCE 17

/* Eight bytes at `data` as a number; the first byte is the lowest. */
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

/* The number of bytes before the first one whose highest bit is set. */
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

/* The position of the next value in a payload. */
typedef struct {
    const uint8_t *at, *end, *readable;
} place;

static inline int64_t
unfold(uint64_t bits)
{
    return (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
}

/* Reads a zigzag number of up to eight bytes; NULL if it is longer. */
static inline const uint8_t *
read_number(place here, int64_t *value)
{
    if (here.readable - here.at < READ_AT_ONCE) {
        return NULL;
    }
    uint64_t word = load64(here.at);
    if ((word & 0x80) == 0) {
        *value = unfold(word & 0x7f);
        return here.at < here.end ? here.at + 1 : NULL;
    }
    if ((word & 0x8000) == 0) {
        *value = unfold((word & 0x7f) | (word >> 1 & 0x3f80));
        return here.end - here.at >= 2 ? here.at + 2 : NULL;
    }
    uint64_t stops = ~word & 0x8080808080808080u;
    int size = stops == 0 ? 9 : bytes_before(stops) + 1;
    if (stops == 0 || size > here.end - here.at) {
        return NULL;
    }
    /* All bytes up to the first without a continuation bit; then seven bits of each. */
    uint64_t bits = word & (stops ^ (stops - 1)) & 0x7f7f7f7f7f7f7f7fu;
    bits = (bits & 0x7f007f007f007f00u) >> 1 | (bits & 0x007f007f007f007fu);
    bits = (bits & 0x3fff00003fff0000u) >> 2 | (bits & 0x00003fff00003fffu);
    bits = (bits & 0x0fffffff00000000u) >> 4 | (bits & 0x000000000fffffffu);
    *value = unfold(bits);
    return here.at + size;
}

static inline bool
has_room(const column *self)
{
    return self->length < self->capacity;
}

/* Each function returns the place after the value, or NULL to leave the value to the step. */

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

/* Reads floats in the machine's byte order. */
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

/* Reads up to 16 bytes of ASCII text, if 16 bytes can be written. */
static inline const uint8_t *
run_string(place here, column *to)
{
    if (here.readable - here.at < READ_AT_ONCE) {
        return NULL;
    }
    const uint8_t *text = here.at + 1;
    int size = *here.at >> 1;
    if (*here.at > 32 || (*here.at & 1) != 0 || size > here.end - text || !has_room(to)
        || to->room - to->size < 16) {
        return NULL;
    }
    /* The bytes after the text may be anything: only high bits inside the text count. */
    uint64_t low = load64(text), high = load64(text + sizeof(low));
    uint64_t low_marks = low & 0x8080808080808080u, high_marks = high & 0x8080808080808080u;
    if ((low_marks != 0 && bytes_before(low_marks) < size)
        || (high_marks != 0 && bytes_before(high_marks) + 8 < size)) {
        return NULL;
    }
    memcpy(to->bytes + to->size, text, 16);
    to->size += size;
    to->offsets[to->length + 1] = (int32_t)to->size;
    column_count_value(to);
    return text + size;
}

/* Reads a record, in a column that has no nulls yet. */
static inline const uint8_t *
run_record(place here, column *to)
{
    if (to->validity != NULL) {
        return NULL;
    }
    to->length++;
    return here.at;
}

/* Reads the branch that is not null; its value follows. */
static inline const uint8_t *
run_optional(place here, int64_t null_branch)
{
    bool is_there = here.at < here.end && *here.at == (1 - null_branch) * 2;
    return is_there ? here.at + 1 : NULL;
}

/* Reads the other branch, null. */
static inline const uint8_t *
run_null(place here, int64_t null_branch, column *to)
{
    bool is_null = here.at < here.end && *here.at == null_branch * 2;
    return is_null && column_put_another_null(to) ? here.at + 1 : NULL;
}

static const uint8_t *run_block(avro_machine *machine, const avro_instruction *first,
                                const avro_instruction *end, const uint8_t *at, int64_t times);

/* Reads the items of all blocks of an array. Returns the place after them; NULL if it is bad. */
static const uint8_t *
run_items(avro_machine *machine, const avro_instruction *array, const uint8_t *at)
{
    for (;;) {
        int64_t count = at < machine->end ? *at : 1;
        if (count == 0) {
            return at + 1;
        }
        /* At most 63 items of at least a byte, and no size: nothing else has to be checked. */
        if (count < 0x80 && (count & 1) == 0 && array->argument > 0
            && count >> 1 < machine->end - at) {
            count >>= 1;
            at++;
        }
        else {
            machine->at = at;
            int64_t size; /* unused, because all items are read */
            if (!avro_read_block(machine, array, &count, &size)
                || !avro_can_have(machine, array, count)) {
                return NULL;
            }
            at = machine->at;
            if (count == 0) {
                return at;
            }
        }
        const avro_instruction *first = array + 1;
        if (first < array->target && first->shortcut == AVRO_RECORD
            && machine->set->columns[first->column].validity == NULL) {
            machine->set->columns[first->column].length += count; /* no record is null */
            first++;
        }
        machine->depth++;
        at = run_block(machine, first, array->target, at, count);
        machine->depth--;
        if (at == NULL) {
            return NULL;
        }
    }
}

/* Runs the instructions of a block repeatedly. Returns the place after them; NULL if one is bad. */
static const uint8_t *
run_block(avro_machine *machine, const avro_instruction *first, const avro_instruction *end,
          const uint8_t *at, int64_t times)
{
    column *columns = machine->set->columns;
    const avro_instruction *from = first;
    times = first < end ? times : 0;
    while (from < end || --times > 0) {
        from = from < end ? from : first;
        const uint8_t *next = NULL;
        place here = {at, machine->end, machine->readable};
        column *to = &columns[from->column];
        switch (from->shortcut) {
        case AVRO_INT:
            next = run_int(here, to);
            break;
        case AVRO_LONG:
            next = run_long(here, to);
            break;
        case AVRO_FLOAT:
            next = run_plain(here, to, sizeof(float));
            break;
        case AVRO_DOUBLE:
            next = run_plain(here, to, sizeof(double));
            break;
        case AVRO_BOOLEAN:
            next = run_boolean(here, to);
            break;
        case AVRO_STRING:
            next = run_string(here, to);
            break;
        case AVRO_RECORD:
            next = run_record(here, to);
            break;
        case AVRO_OPTIONAL:
            next = run_optional(here, from->argument);
            if (next == NULL && (next = run_null(here, from->argument, to)) != NULL) {
                at = next;
                from = from->target;
                continue;
            }
            break;
        case AVRO_ARRAY:
        case AVRO_MAP:
            at = run_items(machine, from, at);
            if (at == NULL) {
                return NULL;
            }
            if (from->shortcut == AVRO_ARRAY && has_room(to)) {
                next = column_put_list(to, to + 1) == BUILD_OK ? at : NULL;
            }
            if (next != NULL) {
                from = from->target;
                continue;
            }
            break;
        default:
            break;
        }
        if (next != NULL) {
            at = next;
            from++;
            continue;
        }
        machine->at = at;
        from = from->step(machine, from);
        if (from == NULL) {
            return NULL;
        }
        at = machine->at;
    }
    return at;
}

bool
avro_run(avro_machine *machine, const avro_instruction *from, const avro_instruction *end)
{
    machine->at = run_block(machine, from, end, machine->at, 1);
    return machine->at != NULL;
}

bool
avro_run_items(avro_machine *machine, const avro_instruction *array, int64_t count)
{
    machine->depth++;
    machine->at = run_block(machine, array + 1, array->target, machine->at, count);
    machine->depth--;
    return machine->at != NULL;
}

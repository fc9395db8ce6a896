#include "columns/payload_format.h"
#include "columns/protobuf_put.h"
#include "columns/protobuf_put_json.h"

/*
 * Each step writes one field by the Protocol Buffers encoding specification: the tag, which is in
 * the argument, and the value. A field without presence is not written if it has its default.
 */

typedef put_machine machine;
typedef const put_instruction instruction;

/* Whether the value is a default that must be left out. */
static inline bool
is_left_out(instruction *at, bool is_default)
{
    return is_default && (at->argument & PROTOBUF_SKIP_DEFAULT) != 0;
}

/* ---- numbers ---- */

static instruction *
put_varint(machine *self, instruction *at, uint64_t value)
{
    if (is_left_out(at, value == 0)) {
        return at + 1;
    }
    if (!protobuf_put_tag(self, protobuf_tag(at), VARINT_SIZE)) {
        return NULL;
    }
    self->to.at = wire_write_varint(self->to.at, value);
    return at + 1;
}

static instruction *
put_fixed(machine *self, instruction *at, uint64_t value, int size)
{
    if (is_left_out(at, value == 0)) {
        return at + 1;
    }
    return protobuf_put_tag(self, protobuf_tag(at), size) ? put_bits(self, at, value, size) : NULL;
}

static instruction *
step_bool(machine *self, instruction *at)
{
    bool value;
    return put_load_bool(self, at, &value) == NULL ? NULL : put_varint(self, at, value);
}

static instruction *
put_float(machine *self, instruction *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return put_fixed(self, at, bits, sizeof(bits));
}

static instruction *
put_double(machine *self, instruction *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return put_fixed(self, at, bits, sizeof(bits));
}

static instruction *
step_float(machine *self, instruction *at)
{
    float value;
    return put_load_float(self, at, &value) == NULL ? NULL : put_float(self, at, value);
}

static instruction *
step_double(machine *self, instruction *at)
{
    double value;
    return put_load_double(self, at, &value) == NULL ? NULL : put_double(self, at, value);
}

/* Defines a step for integers of `bits` bits; `put` writes the value, which may be signed. */
#define WHOLE_STEP(name, bits, put)                                                      \
    static instruction *name(machine *self, instruction *at)                             \
    {                                                                                    \
        uint64_t value;                                                                  \
        bool is_negative;                                                                \
        return put_load_whole(self, at, bits, &value, &is_negative) == NULL ? NULL : put; \
    }

/* A negative 32-bit number is written with 64 bits. */
WHOLE_STEP(step_int32, -32, put_varint(self, at, value))
WHOLE_STEP(step_int64, -64, put_varint(self, at, value))
WHOLE_STEP(step_uint32, 32, put_varint(self, at, value))
WHOLE_STEP(step_uint64, 64, put_varint(self, at, value))

/* Zigzag: numbers near zero, of either sign, become small numbers. */
static inline uint64_t
zigzag(uint64_t value, bool is_negative)
{
    return value << 1 ^ (is_negative ? UINT64_MAX : 0);
}

WHOLE_STEP(step_sint32, -32, put_varint(self, at, zigzag(value, is_negative)))
WHOLE_STEP(step_sint64, -64, put_varint(self, at, zigzag(value, is_negative)))

WHOLE_STEP(step_fixed32, 32, put_fixed(self, at, value, 4))
WHOLE_STEP(step_fixed64, 64, put_fixed(self, at, value, 8))
WHOLE_STEP(step_sfixed32, -32, put_fixed(self, at, value, 4))
WHOLE_STEP(step_sfixed64, -64, put_fixed(self, at, value, 8))

WHOLE_STEP(step_integer_as_float, 0,
           put_float(self, at, is_negative ? (float)(int64_t)value : (float)value))
WHOLE_STEP(step_integer_as_double, 0,
           put_double(self, at, is_negative ? (double)(int64_t)value : (double)value))

/* ---- bytes ---- */

static instruction *
put_sized(machine *self, instruction *at, const void *data, size_t size)
{
    if (data == NULL) {
        return NULL;
    }
    if (is_left_out(at, size == 0)) {
        return at + 1;
    }
    if (!protobuf_put_tag(self, protobuf_tag(at), (int64_t)size + VARINT_SIZE)) {
        return NULL;
    }
    self->to.at = wire_write_varint(self->to.at, size);
    put_copy(self, data, size);
    return at + 1;
}

static instruction *
step_bytes(machine *self, instruction *at)
{
    size_t size;
    const void *data = put_load_bytes(self, at, &size);
    return put_sized(self, at, data, size);
}

static instruction *
step_string(machine *self, instruction *at)
{
    size_t size;
    const void *data = put_load_text(self, at, &size);
    return put_sized(self, at, data, size);
}

/* ---- enums ---- */

static const char no_symbol[] = "a value that the enum does not have";

/* A 32-bit number in digits: the form in which the decoder writes numbers without a name. */
static bool
read_number(const uint8_t *text, size_t size, int64_t *number)
{
    bool is_negative = size > 0 && *text == '-';
    *number = 0;
    for (size_t i = is_negative; i < size; i++) {
        if ((uint8_t)(text[i] - '0') > 9 || size > 11) {
            return false;
        }
        *number = *number * 10 + (text[i] - '0');
    }
    *number = is_negative ? -*number : *number;
    return size > is_negative && *number >= INT32_MIN && *number <= INT32_MAX;
}

/* Writes an enum from a name. */
static instruction *
step_enum(machine *self, instruction *at)
{
    size_t size;
    int64_t number;
    const void *text = put_load_bytes(self, at, &size);
    if (text == NULL) {
        return NULL;
    }
    const int32_t *known = put_find_symbol(at, text, size);
    if (known != NULL) {
        return put_varint(self, at, (uint64_t)(int64_t)*known);
    }
    if ((at->argument & PROTOBUF_CLOSED_ENUM) != 0 || !read_number(text, size, &number)) {
        return put_fail(self, at, no_symbol);
    }
    return put_varint(self, at, (uint64_t)number);
}

/* Writes an enum from a number, which a closed enum must have. */
static instruction *
step_enum_number(machine *self, instruction *at)
{
    uint64_t value;
    bool is_negative, is_known = (at->argument & PROTOBUF_CLOSED_ENUM) == 0;
    if (put_load_whole(self, at, -32, &value, &is_negative) == NULL) {
        return NULL;
    }
    for (int32_t i = 2; !is_known && i < at->table_size; i += 3) {
        is_known = at->table[i] == (int64_t)value;
    }
    return is_known ? put_varint(self, at, value) : put_fail(self, at, no_symbol);
}

/* ---- times: messages of seconds and nanos, whose fields have no presence ---- */

enum { SECONDS = 1 << 3 | WIRE_VARINT, NANOS = 2 << 3 | WIRE_VARINT };

static instruction *
put_time(machine *self, instruction *at, int64_t seconds, int64_t nanos)
{
    uint32_t tag = protobuf_tag(at);
    int64_t place = protobuf_put_open(self, tag);
    if (place < 0 || !put_reserve(self, 2 * (1 + VARINT_SIZE))) {
        return NULL;
    }
    if (seconds != 0) {
        *self->to.at++ = SECONDS;
        self->to.at = wire_write_varint(self->to.at, (uint64_t)seconds);
    }
    if (nanos != 0) {
        *self->to.at++ = NANOS;
        self->to.at = wire_write_varint(self->to.at, (uint64_t)nanos);
    }
    return protobuf_put_close(self, tag, place) ? at + 1 : NULL;
}

/* The table has the digits of a second's fraction for the column's unit. */
static int64_t
units_of(instruction *at)
{
    static const int64_t units[] = {1, 1000, 1000000, 1000000000};
    return units[(uint32_t)at->table[0] / 3 % 4];
}

static instruction *
load_time(machine *self, instruction *at, int64_t *value)
{
    uint64_t bits;
    bool is_negative;
    if (put_load_whole(self, at, -64, &bits, &is_negative) == NULL) {
        return NULL;
    }
    *value = (int64_t)bits;
    return at;
}

#define NANOS_OF_SECOND 1000000000

/* The ranges in Google's definitions: libraries refuse to convert other values to JSON. */
#define TIMESTAMP_FIRST (-62135596800) /* 0001-01-01T00:00:00Z */
#define TIMESTAMP_LAST 253402300799    /* 9999-12-31T23:59:59Z */
#define DURATION_LIMIT 315576000000    /* about 10,000 years */

/* Writes a Timestamp: nanos count forward. */
static instruction *
step_timestamp(machine *self, instruction *at)
{
    int64_t value, seconds, units = units_of(at);
    if (load_time(self, at, &value) == NULL) {
        return NULL;
    }
    put_rescale(value, -units, &seconds);
    if (seconds < TIMESTAMP_FIRST || seconds > TIMESTAMP_LAST) {
        return put_fail(self, at, "a Timestamp whose year is not from 1 to 9999");
    }
    int64_t fraction = value % units;
    fraction += fraction < 0 ? units : 0;
    return put_time(self, at, seconds, fraction * (NANOS_OF_SECOND / units));
}

/* Writes a Duration: nanos have the sign of the seconds. */
static instruction *
step_duration(machine *self, instruction *at)
{
    int64_t value, units = units_of(at);
    if (load_time(self, at, &value) == NULL) {
        return NULL;
    }
    int64_t seconds = value / units;
    if (seconds < -DURATION_LIMIT || seconds > DURATION_LIMIT) {
        return put_fail(self, at, "a Duration of more than 315576000000 seconds");
    }
    return put_time(self, at, seconds, value % units * (NANOS_OF_SECOND / units));
}

/* ---- structure ---- */

/* The block writes the fields, if there are any. */
static instruction *
step_message(machine *self, instruction *at)
{
    uint32_t tag = protobuf_tag(at);
    int64_t place = protobuf_put_open(self, tag);
    return place >= 0 && put_run(self, at + 1, at->target) && protobuf_put_close(self, tag, place)
               ? at->target
               : NULL;
}

/* The block writes each item with its tag. */
static instruction *
step_repeated(machine *self, instruction *at)
{
    int64_t from, to;
    return put_load_items(self, at, &from, &to) != NULL && put_each(self, at, from, to)
               ? at->target
               : NULL;
}

/* Writes the tag once; the block writes each item without a tag. */
static instruction *
step_packed(machine *self, instruction *at)
{
    int64_t from, to;
    if (put_load_items(self, at, &from, &to) == NULL) {
        return NULL;
    }
    if (from == to) {
        return at->target;
    }
    uint32_t tag = protobuf_tag(at);
    int64_t place = protobuf_put_open(self, tag);
    return place >= 0 && put_each(self, at, from, to) && protobuf_put_close(self, tag, place)
               ? at->target
               : NULL;
}

/* At most one of the columns in the table may have a value. */
static instruction *
step_oneof(machine *self, instruction *at)
{
    int32_t count = 0;
    for (int32_t i = 0; i < at->table_size; i++) {
        count += !input_is_null(self->from, at->table[i], self->row);
    }
    return count > 1 ? put_fail(self, at, "more than one member of a oneof") : at + 1;
}

#define WHOLE(name, step) {name, step, PUT_WHOLE, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false}
#define TEXT(name, step) {name, step, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false}

static const put_step_kind protobuf_put_kinds[] = {
    PUT_COMMON_KINDS,
    WHOLE("int32", step_int32),
    WHOLE("int64", step_int64),
    WHOLE("uint32", step_uint32),
    WHOLE("uint64", step_uint64),
    WHOLE("sint32", step_sint32),
    WHOLE("sint64", step_sint64),
    WHOLE("fixed32", step_fixed32),
    WHOLE("fixed64", step_fixed64),
    WHOLE("sfixed32", step_sfixed32),
    WHOLE("sfixed64", step_sfixed64),
    WHOLE("integer-as-float", step_integer_as_float),
    WHOLE("integer-as-double", step_integer_as_double),
    {"float", step_float, PUT_REAL, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"double", step_double, PUT_REAL, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"bool", step_bool, PUT_ONLY(INPUT_BITS), 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    TEXT("string", step_string),
    TEXT("bytes", step_bytes),
    TEXT("struct", protobuf_put_struct),
    TEXT("value", protobuf_put_value),
    TEXT("list-value", protobuf_put_list_value),
    {"enum", step_enum, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_SYMBOLS, false},
    {"enum-number", step_enum_number, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_SYMBOLS, false},
    {"timestamp", step_timestamp, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NUMBER, false},
    {"duration", step_duration, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NUMBER, false},
    {"message", step_message, 0, 0, PUT_SAME, PUT_NO_TABLE, false},
    {"repeated", step_repeated, PUT_LIST, 0, PUT_BELOW, PUT_NO_TABLE, false},
    {"packed", step_packed, PUT_LIST, 0, PUT_BELOW, PUT_NO_TABLE, false},
    {"oneof", step_oneof, 0, 0, PUT_NO_BLOCK, PUT_COLUMNS, false},
    {NULL, NULL, 0, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
};

const payload_format protobuf_payload_format = {"protobuf", protobuf_put_kinds, put_run, NULL};

#include "columns/avro_put_steps.h"

#include <math.h>

#include "columns/decimal.h"
#include "columns/utf8.h"
#include "columns/uuid_text.h"

/*
 * Each step writes one value by the Avro 1.12 specification ("Binary Encoding").
 */

typedef put_machine machine;
typedef const put_instruction instruction;

static instruction *
fail(machine *self, instruction *at, const char *reason)
{
    *self->failure = (write_failure){reason, at->field};
    self->status = ROW_BAD;
    return NULL;
}

static instruction *
fail_null(machine *self, instruction *at)
{
    return fail(self, at, "a null, which the schema does not allow here");
}

static inline bool
reserve(machine *self, int64_t size)
{
    enum build_status status = payload_reserve(&self->to, size);
    if (status != BUILD_OK) {
        self->status = status == BUILD_TOO_LARGE ? ROW_TOO_LARGE : ROW_NO_MEMORY;
    }
    return status == BUILD_OK;
}

static inline const arrow_column *
column_at(const machine *self, instruction *at)
{
    return &self->from->columns[at->column];
}

/* ---- writing ---- */

#define LONG_SIZE 10 /* bytes of the largest */

/* Zigzag, seven bits a byte; there must be room for LONG_SIZE. */
static inline void
write_long(machine *self, int64_t value)
{
    uint64_t bits = ((uint64_t)value << 1) ^ (uint64_t)(value < 0 ? -1 : 0);
    uint8_t *to = self->to.at;
    for (; bits > 0x7f; bits >>= 7) {
        *to++ = (uint8_t)(bits | 0x80);
    }
    *to++ = (uint8_t)bits;
    self->to.at = to;
}

static inline instruction *
put_long(machine *self, instruction *at, int64_t value)
{
    if (!reserve(self, LONG_SIZE)) {
        return NULL;
    }
    write_long(self, value);
    return at + 1;
}

static inline instruction *
put_raw(machine *self, instruction *at, const void *data, size_t size)
{
    if (!reserve(self, (int64_t)size)) {
        return NULL;
    }
    if (size > 0) {
        memcpy(self->to.at, data, size);
    }
    self->to.at += size;
    return at + 1;
}

static inline instruction *
put_bytes(machine *self, instruction *at, const void *data, size_t size)
{
    if (size > INT32_MAX || !reserve(self, (int64_t)size + LONG_SIZE)) {
        self->status = size > INT32_MAX ? ROW_TOO_LARGE : self->status;
        return NULL;
    }
    write_long(self, (int64_t)size);
    return put_raw(self, at, data, size);
}

/* `size` bytes of a number, little-endian. */
static inline instruction *
put_bits(machine *self, instruction *at, uint64_t bits, int size)
{
    if (!reserve(self, (int64_t)sizeof(bits))) {
        return NULL;
    }
    for (int i = 0; i < size; i++) {
        self->to.at[i] = (uint8_t)(bits >> (8 * i));
    }
    self->to.at += size;
    return at + 1;
}

/* ---- integers ---- */

static instruction *
step_int(machine *self, instruction *at)
{
    const arrow_column *column = column_at(self, at);
    if (!input_is_valid(column, self->row)) {
        return fail_null(self, at);
    }
    int32_t value;
    memcpy(&value, input_fixed(column, self->row), sizeof(value));
    return put_long(self, at, value);
}

static instruction *
step_long(machine *self, instruction *at)
{
    const arrow_column *column = column_at(self, at);
    if (!input_is_valid(column, self->row)) {
        return fail_null(self, at);
    }
    int64_t value;
    memcpy(&value, input_fixed(column, self->row), sizeof(value));
    return put_long(self, at, value);
}

/* Whether a valid row is a uint64 that int64 has not. */
static inline bool
is_beyond_int64(const arrow_column *column, int64_t row)
{
    if (column->format.is_signed || column->format.width < 8) {
        return false;
    }
    int64_t value;
    memcpy(&value, input_fixed(column, row), sizeof(value));
    return value < 0;
}

/* Multiplied by `scale`, or divided and rounded down if it is negative; false: too large. */
static bool
rescale(int64_t value, int64_t scale, int64_t *result)
{
    if (scale < 0) {
        int64_t quotient = value / -scale;
        *result = quotient - (value % -scale < 0);
        return true;
    }
    if (value > INT64_MAX / scale || value < INT64_MIN / scale) {
        return false;
    }
    *result = value * scale;
    return true;
}

/* An integer of any width, rescaled; NULL if it is null or too large. */
static instruction *
load_integer(machine *self, instruction *at, int64_t *value)
{
    const arrow_column *column = column_at(self, at);
    if (!input_is_valid(column, self->row)) {
        return fail_null(self, at);
    }
    if (is_beyond_int64(column, self->row)
        || !rescale(arrow_column_integer(column, self->row), at->argument, value)) {
        return fail(self, at, "an integer of more than 64 bits");
    }
    return at;
}

static instruction *
step_as_int(machine *self, instruction *at)
{
    int64_t value;
    if (load_integer(self, at, &value) == NULL) {
        return NULL;
    }
    if (value < INT32_MIN || value > INT32_MAX) {
        return fail(self, at, "an integer of more than 32 bits");
    }
    return put_long(self, at, value);
}

static instruction *
step_as_long(machine *self, instruction *at)
{
    int64_t value;
    return load_integer(self, at, &value) == NULL ? NULL : put_long(self, at, value);
}

/* A time of day, which is less than `limit`. */
static instruction *
put_time(machine *self, instruction *at, int64_t limit)
{
    int64_t value;
    if (load_integer(self, at, &value) == NULL) {
        return NULL;
    }
    if (value < 0 || value >= limit) {
        return fail(self, at, "a time of day that no day has");
    }
    return put_long(self, at, value);
}

static instruction *
step_time_millis(machine *self, instruction *at)
{
    return put_time(self, at, 86400000);
}

static instruction *
step_time_micros(machine *self, instruction *at)
{
    return put_time(self, at, 86400000000);
}

/* ---- booleans and real numbers ---- */

static instruction *
step_boolean(machine *self, instruction *at)
{
    const arrow_column *column = column_at(self, at);
    if (!input_is_valid(column, self->row)) {
        return fail_null(self, at);
    }
    return put_bits(self, at, input_bit(column, self->row), 1);
}

static instruction *
put_float(machine *self, instruction *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return put_bits(self, at, bits, 4);
}

static instruction *
put_double(machine *self, instruction *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return put_bits(self, at, bits, 8);
}

/* Of IEEE 754's binary16. */
static double
half(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double value = exponent == 0      ? ldexp(fraction, -24)
                   : exponent == 0x1f ? (fraction == 0 ? INFINITY : NAN)
                                      : ldexp(fraction | 0x400, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

static double
load_real(const arrow_column *column, int64_t row)
{
    const uint8_t *place = input_fixed(column, row);
    uint16_t small;
    float single;
    double wide;
    switch (column->format.width) {
    case 2:
        memcpy(&small, place, sizeof(small));
        return half(small);
    case 4:
        memcpy(&single, place, sizeof(single));
        return single;
    default:
        memcpy(&wide, place, sizeof(wide));
        return wide;
    }
}

static instruction *
step_real_as_float(machine *self, instruction *at)
{
    const arrow_column *column = column_at(self, at);
    if (!input_is_valid(column, self->row)) {
        return fail_null(self, at);
    }
    double value = load_real(column, self->row);
    if (isfinite(value) && !isfinite((float)value)) {
        return fail(self, at, "a number that is too large for a float");
    }
    return put_float(self, at, (float)value);
}

static instruction *
step_real_as_double(machine *self, instruction *at)
{
    const arrow_column *column = column_at(self, at);
    if (!input_is_valid(column, self->row)) {
        return fail_null(self, at);
    }
    return put_double(self, at, load_real(column, self->row));
}

static instruction *
step_integer_as_float(machine *self, instruction *at)
{
    int64_t value;
    return load_integer(self, at, &value) == NULL ? NULL : put_float(self, at, (float)value);
}

static instruction *
step_integer_as_double(machine *self, instruction *at)
{
    int64_t value;
    return load_integer(self, at, &value) == NULL ? NULL : put_double(self, at, (double)value);
}

/* ---- bytes ---- */

/* The bytes of a row; NULL for a null, which has failed. */
static const void *
load_bytes(machine *self, instruction *at, size_t *size)
{
    const arrow_column *column = column_at(self, at);
    if (!input_is_valid(column, self->row)) {
        fail_null(self, at);
        return NULL;
    }
    const void *data = arrow_column_value(column, self->row, size);
    return *size == 0 ? "" : data;
}

static instruction *
step_bytes(machine *self, instruction *at)
{
    size_t size;
    const void *data = load_bytes(self, at, &size);
    return data == NULL ? NULL : put_bytes(self, at, data, size);
}

static instruction *
step_string(machine *self, instruction *at)
{
    size_t size;
    const void *data = load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    if (!utf8_is_valid(data, size)) {
        return fail(self, at, "a string that is not UTF-8");
    }
    return put_bytes(self, at, data, size);
}

static instruction *
step_fixed(machine *self, instruction *at)
{
    size_t size;
    const void *data = load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    if ((int64_t)size != at->argument) {
        return fail(self, at, "bytes of another size than the fixed has");
    }
    return put_raw(self, at, data, size);
}

/* Below, at or above 0 as the bytes come before the symbol, are it, or come after it. */
static int
compare_symbol(instruction *at, int32_t symbol, const void *data, size_t size)
{
    size_t other = (size_t)at->table[symbol * 3 + 1];
    int order = memcmp(data, at->data + at->table[symbol * 3], size < other ? size : other);
    return order != 0 ? order : (size > other) - (size < other);
}

static instruction *
step_enum(machine *self, instruction *at)
{
    size_t size;
    const void *data = load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    int32_t low = 0, high = at->table_size / 3;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = compare_symbol(at, middle, data, size);
        if (order == 0) {
            return put_long(self, at, at->table[middle * 3 + 2]);
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return fail(self, at, "a symbol that the enum has not");
}

/* ---- logical types ---- */

static const char no_uuid[] = "text that is no UUID";

/* A string from 16 bytes, */
static instruction *
step_uuid_of_bytes(machine *self, instruction *at)
{
    size_t size;
    const void *data = load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    char text[UUID_TEXT_SIZE];
    uuid_text_write(data, text);
    return put_bytes(self, at, text, sizeof(text));
}

/* a string from text, */
static instruction *
step_uuid_of_text(machine *self, instruction *at)
{
    size_t size;
    uint8_t value[UUID_SIZE];
    const void *data = load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    if (!uuid_text_read(data, size, value)) {
        return fail(self, at, no_uuid);
    }
    return put_bytes(self, at, data, size);
}

/* and a fixed from text. */
static instruction *
step_uuid_to_fixed(machine *self, instruction *at)
{
    size_t size;
    uint8_t value[UUID_SIZE];
    const void *data = load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    if (!uuid_text_read(data, size, value)) {
        return fail(self, at, no_uuid);
    }
    return put_raw(self, at, value, sizeof(value));
}

/* The table has the power of ten to multiply by; the data is the limit. */
static instruction *
load_decimal(machine *self, instruction *at, decimal *value)
{
    const arrow_column *column = column_at(self, at);
    if (!input_is_valid(column, self->row)) {
        return fail_null(self, at);
    }
    decimal_load(value, input_fixed(column, self->row), column->format.width);
    int32_t shift = at->table[0];
    if (shift < 0 && !decimal_divide(value, -shift)) {
        return fail(self, at, "a decimal of more digits than its scale");
    }
    if ((shift > 0 && !decimal_multiply(value, shift)) || !decimal_is_below(value, at->data)) {
        return fail(self, at, "a decimal of more digits than its precision");
    }
    return at;
}

static instruction *
step_decimal_bytes(machine *self, instruction *at)
{
    decimal value;
    uint8_t data[DECIMAL_SIZE];
    if (load_decimal(self, at, &value) == NULL) {
        return NULL;
    }
    decimal_store(&value, data);
    size_t size = decimal_significant(data);
    return put_bytes(self, at, data + sizeof(data) - size, size);
}

/* The argument is how many bytes it has. */
static instruction *
step_decimal_fixed(machine *self, instruction *at)
{
    decimal value;
    uint8_t data[DECIMAL_SIZE];
    if (load_decimal(self, at, &value) == NULL) {
        return NULL;
    }
    decimal_store(&value, data);
    int64_t more = at->argument - (int64_t)sizeof(data);
    if ((int64_t)decimal_significant(data) > at->argument) {
        return fail(self, at, "a decimal of more bytes than the fixed has");
    }
    if (more <= 0) {
        return put_raw(self, at, data - more, (size_t)at->argument);
    }
    if (!reserve(self, at->argument)) {
        return NULL;
    }
    memset(self->to.at, value.is_negative ? 0xff : 0, (size_t)more);
    self->to.at += more;
    return put_raw(self, at, data, sizeof(data));
}

/* Months, days and milliseconds, unsigned. */
static instruction *
put_duration(machine *self, instruction *at, int64_t months, int64_t days, int64_t milliseconds)
{
    if (months < 0 || days < 0 || milliseconds < 0) {
        return fail(self, at, "a negative duration");
    }
    if (milliseconds > UINT32_MAX) {
        return fail(self, at, "a duration of more than 2^32-1 milliseconds");
    }
    if (put_bits(self, at, (uint64_t)months, 4) == NULL
        || put_bits(self, at, (uint64_t)days, 4) == NULL) {
        return NULL;
    }
    return put_bits(self, at, (uint64_t)milliseconds, 4);
}

static instruction *
step_duration_of_interval(machine *self, instruction *at)
{
    const arrow_column *column = column_at(self, at);
    if (!input_is_valid(column, self->row)) {
        return fail_null(self, at);
    }
    struct {
        int32_t months, days;
        int64_t nanoseconds;
    } value;
    memcpy(&value, input_fixed(column, self->row), sizeof(value));
    int64_t milliseconds;
    rescale(value.nanoseconds, -1000000, &milliseconds);
    return put_duration(self, at, value.months, value.days, milliseconds);
}

static instruction *
step_duration_of_time(machine *self, instruction *at)
{
    int64_t milliseconds;
    return load_integer(self, at, &milliseconds) == NULL
               ? NULL
               : put_duration(self, at, 0, 0, milliseconds);
}

/* ---- structure ---- */

/* Bytes that are the same for every row. */
static instruction *
step_constant(machine *self, instruction *at)
{
    return put_raw(self, at, at->data, (size_t)at->data_size);
}

/* A record: its fields follow. */
static instruction *
step_record(machine *self, instruction *at)
{
    return input_is_valid(column_at(self, at), self->row) ? at + 1 : fail_null(self, at);
}

/* A union of null, which is branch `argument`, and the one in the table, whose value follows. */
static instruction *
step_optional(machine *self, instruction *at)
{
    if (input_is_null(self->from, at->column, self->row)) {
        return put_long(self, at, at->argument) == NULL ? NULL : at->target;
    }
    return put_long(self, at, at->table[0]);
}

/* What stands behind a dictionary's index. */
static instruction *
step_dictionary(machine *self, instruction *at)
{
    const arrow_column *column = column_at(self, at);
    int64_t row = self->row;
    if (!input_is_valid(column, row)) {
        return fail_null(self, at);
    }
    self->row = input_index(self->from, at->column, row);
    if (self->row < 0) {
        return fail(self, at, "an index that lies outside its dictionary");
    }
    bool is_done = put_run(self, at + 1, at->target);
    self->row = row;
    return is_done ? at->target : NULL;
}

/* One of the blocks that follow: that of the row's child. */
static instruction *
step_union(machine *self, instruction *at)
{
    int64_t row = self->row, child_row;
    int32_t child = input_branch(self->from, at->column, row, &child_row);
    if (child < 0) {
        return fail(self, at, "a type id or offset that the union has not");
    }
    instruction *block = at + 1;
    while (block->column != child) {
        block = block->target;
    }
    self->row = child_row;
    bool is_done = put_run(self, block + 1, block->target);
    self->row = row;
    return is_done ? at->target : NULL;
}

/* The end of a block of items, or of no items. */
static instruction *
put_end(machine *self, instruction *at)
{
    return put_long(self, at, 0) == NULL ? NULL : at->target;
}

/* An array, or a map, whose items are structs of key and value. */
static instruction *
step_array(machine *self, instruction *at)
{
    int64_t row = self->row, from, to;
    if (!input_is_valid(column_at(self, at), row)) {
        return fail_null(self, at);
    }
    input_items(self->from, at->column, row, &from, &to);
    if (from == to) {
        return put_end(self, at);
    }
    if (to - from > INT32_MAX) { /* items without bytes would not end otherwise */
        self->status = ROW_TOO_LARGE;
        return NULL;
    }
    if (put_long(self, at, to - from) == NULL) {
        return NULL;
    }
    bool is_done = true, is_empty = at + 1 == at->target;
    for (; is_done && !is_empty && from < to; from++) {
        self->row = from;
        is_done = put_run(self, at + 1, at->target);
    }
    self->row = row;
    return is_done ? put_end(self, at) : NULL;
}

/* A map of a struct's fields that are not null: how many of the columns in the table. */
static instruction *
step_entries(machine *self, instruction *at)
{
    if (!input_is_valid(column_at(self, at), self->row)) {
        return fail_null(self, at);
    }
    int64_t count = 0;
    for (int32_t i = 0; i < at->table_size; i++) {
        count += !input_is_null(self->from, at->table[i], self->row);
    }
    return count == 0 ? at + 1 : put_long(self, at, count);
}

/* One of them: its key, and the value follows. */
static instruction *
step_entry(machine *self, instruction *at)
{
    return input_is_null(self->from, at->column, self->row) ? at->target
                                                            : step_constant(self, at);
}

/* A block that its union steps into. */
static instruction *
step_case(machine *Py_UNUSED(self), instruction *at)
{
    return at->target;
}

#define ONLY(layout) (1 << (layout))
#define ANY ((1 << INPUT_LAYOUT_COUNT) - 1 - ONLY(INPUT_OTHER))
#define INTEGER ONLY(INPUT_INTEGER)
#define REAL ONLY(INPUT_REAL)
#define FIXED ONLY(INPUT_FIXED)
#define ANY_BYTES (ONLY(INPUT_BYTES) | FIXED)
#define ANY_LIST (ONLY(INPUT_LIST) | ONLY(INPUT_FIXED_LIST))
#define ANY_UNION (ONLY(INPUT_SPARSE_UNION) | ONLY(INPUT_DENSE_UNION))

const put_step_kind put_step_kinds[] = {
    {"boolean", step_boolean, ONLY(INPUT_BITS), 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"int", step_int, INTEGER, 4, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"long", step_long, INTEGER, 8, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"as-int", step_as_int, INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"as-long", step_as_long, INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"time-millis", step_time_millis, INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"time-micros", step_time_micros, INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"real-as-float", step_real_as_float, REAL, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"real-as-double", step_real_as_double, REAL, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"integer-as-float", step_integer_as_float, INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"integer-as-double", step_integer_as_double, INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"bytes", step_bytes, ANY_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"string", step_string, ANY_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"fixed", step_fixed, ANY_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"enum", step_enum, ANY_BYTES, 0, PUT_NO_BLOCK, PUT_SYMBOLS, false},
    {"uuid-of-bytes", step_uuid_of_bytes, FIXED, 16, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"uuid-of-text", step_uuid_of_text, ANY_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"uuid-to-fixed", step_uuid_to_fixed, ANY_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"decimal-bytes", step_decimal_bytes, FIXED, 0, PUT_NO_BLOCK, PUT_POWER, false},
    {"decimal-fixed", step_decimal_fixed, FIXED, 0, PUT_NO_BLOCK, PUT_POWER, false},
    {"duration-of-interval", step_duration_of_interval, FIXED, 16, PUT_NO_BLOCK, PUT_NO_TABLE,
     false},
    {"duration-of-time", step_duration_of_time, INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"constant", step_constant, 0, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"record", step_record, ONLY(INPUT_STRUCT), 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"optional", step_optional, ANY, 0, PUT_SAME, PUT_NUMBER, false},
    {"dictionary", step_dictionary, ONLY(INPUT_DICTIONARY), 0, PUT_BELOW, PUT_NO_TABLE, false},
    {"array", step_array, ANY_LIST, 0, PUT_BELOW, PUT_NO_TABLE, false},
    {"union", step_union, ANY_UNION, 0, PUT_CASES, PUT_NO_TABLE, false},
    {"case", step_case, ANY, 0, PUT_OWN, PUT_NO_TABLE, false},
    {"entries", step_entries, ONLY(INPUT_STRUCT), 0, PUT_NO_BLOCK, PUT_COLUMNS, false},
    {"entry", step_entry, ANY, 0, PUT_SAME, PUT_NO_TABLE, false},
    {NULL, NULL, 0, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
};

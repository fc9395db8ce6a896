#include "columns/avro_put_run.h"
#include "columns/payload_format.h"
#include "columns/put_values.h"
#include "columns/uuid_text.h"

/*
 * Each step writes one value by the Avro 1.12 specification ("Binary Encoding").
 */

typedef put_machine machine;
typedef const put_instruction instruction;

/* ---- writing ---- */

#define LONG_SIZE 10 /* the maximum size of a long in bytes */

/* Zigzag, seven bits in each byte; there must be room for LONG_SIZE. */
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
    if (!put_reserve(self, LONG_SIZE)) {
        return NULL;
    }
    write_long(self, value);
    return at + 1;
}

static inline instruction *
put_bytes(machine *self, instruction *at, const void *data, size_t size)
{
    if (size > INT32_MAX || !put_reserve(self, (int64_t)size + LONG_SIZE)) {
        self->status = size > INT32_MAX ? ROW_TOO_LARGE : self->status;
        return NULL;
    }
    write_long(self, (int64_t)size);
    return put_raw(self, at, data, size);
}

/* ---- integers ---- */

static instruction *
step_int(machine *self, instruction *at)
{
    const arrow_column *column = put_column(self, at);
    if (!input_is_valid(column, self->row)) {
        return put_fail_null(self, at);
    }
    int32_t value;
    memcpy(&value, input_fixed(column, self->row), sizeof(value));
    return put_long(self, at, value);
}

static instruction *
step_long(machine *self, instruction *at)
{
    const arrow_column *column = put_column(self, at);
    if (!input_is_valid(column, self->row)) {
        return put_fail_null(self, at);
    }
    int64_t value;
    memcpy(&value, input_fixed(column, self->row), sizeof(value));
    return put_long(self, at, value);
}

static instruction *
step_as_int(machine *self, instruction *at)
{
    int64_t value;
    if (put_load_integer(self, at, &value) == NULL) {
        return NULL;
    }
    if (value < INT32_MIN || value > INT32_MAX) {
        return put_fail(self, at, "an integer of more than 32 bits");
    }
    return put_long(self, at, value);
}

static instruction *
step_as_long(machine *self, instruction *at)
{
    int64_t value;
    return put_load_integer(self, at, &value) == NULL ? NULL : put_long(self, at, value);
}

/* A time of day, which must be less than `limit`. */
static instruction *
put_time(machine *self, instruction *at, int64_t limit)
{
    int64_t value;
    if (put_load_integer(self, at, &value) == NULL) {
        return NULL;
    }
    if (value < 0 || value >= limit) {
        return put_fail(self, at, "a time of day that is out of range");
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
    bool value;
    return put_load_bool(self, at, &value) == NULL ? NULL : put_bits(self, at, value, 1);
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

static instruction *
step_real_as_float(machine *self, instruction *at)
{
    float value;
    return put_load_float(self, at, &value) == NULL ? NULL : put_float(self, at, value);
}

static instruction *
step_real_as_double(machine *self, instruction *at)
{
    double value;
    return put_load_double(self, at, &value) == NULL ? NULL : put_double(self, at, value);
}

static instruction *
step_integer_as_float(machine *self, instruction *at)
{
    int64_t value;
    return put_load_integer(self, at, &value) == NULL ? NULL : put_float(self, at, (float)value);
}

static instruction *
step_integer_as_double(machine *self, instruction *at)
{
    int64_t value;
    return put_load_integer(self, at, &value) == NULL ? NULL : put_double(self, at, (double)value);
}

/* ---- bytes ---- */

static instruction *
step_bytes(machine *self, instruction *at)
{
    size_t size;
    const void *data = put_load_bytes(self, at, &size);
    return data == NULL ? NULL : put_bytes(self, at, data, size);
}

/* Without a size, because the bytes are the whole payload. */
static instruction *
step_bytes_alone(machine *self, instruction *at)
{
    size_t size;
    const void *data = put_load_bytes(self, at, &size);
    return data == NULL ? NULL : put_raw(self, at, data, size);
}

static instruction *
step_string(machine *self, instruction *at)
{
    size_t size;
    const void *data = put_load_text(self, at, &size);
    return data == NULL ? NULL : put_bytes(self, at, data, size);
}

static instruction *
step_fixed(machine *self, instruction *at)
{
    size_t size;
    const void *data = put_load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    if ((int64_t)size != at->argument) {
        return put_fail(self, at, "bytes whose size differs from the size of the fixed");
    }
    return put_raw(self, at, data, size);
}

static instruction *
step_enum(machine *self, instruction *at)
{
    size_t size;
    const void *data = put_load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    const int32_t *number = put_find_symbol(at, data, size);
    return number == NULL ? put_fail(self, at, "a symbol that the enum does not have")
                          : put_long(self, at, *number);
}

/* ---- logical types ---- */

static const char no_uuid[] = "text that is not a UUID";

/* Writes a UUID as a string, from 16 bytes. */
static instruction *
step_uuid_of_bytes(machine *self, instruction *at)
{
    size_t size;
    const void *data = put_load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    char text[UUID_TEXT_SIZE];
    uuid_text_write(data, text);
    return put_bytes(self, at, text, sizeof(text));
}

/* Writes a UUID as a string, from text. */
static instruction *
step_uuid_of_text(machine *self, instruction *at)
{
    size_t size;
    uint8_t value[UUID_SIZE];
    const void *data = put_load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    if (!uuid_text_read(data, size, value)) {
        return put_fail(self, at, no_uuid);
    }
    return put_bytes(self, at, data, size);
}

/* Writes a UUID as a fixed, from text. */
static instruction *
step_uuid_to_fixed(machine *self, instruction *at)
{
    size_t size;
    uint8_t value[UUID_SIZE];
    const void *data = put_load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    if (!uuid_text_read(data, size, value)) {
        return put_fail(self, at, no_uuid);
    }
    return put_raw(self, at, value, sizeof(value));
}

/* The size of a decimal's bytes at the end of `data`; 0 after an error, with the status set. */
static size_t
load_decimal_bytes(machine *self, instruction *at, uint8_t data[DECIMAL_SIZE])
{
    decimal value;
    if (put_load_decimal(self, at, &value) == NULL) {
        return 0;
    }
    decimal_store(&value, data);
    return decimal_significant(data);
}

static instruction *
step_decimal_bytes(machine *self, instruction *at)
{
    uint8_t data[DECIMAL_SIZE];
    size_t size = load_decimal_bytes(self, at, data);
    return size == 0 ? NULL : put_bytes(self, at, data + sizeof(data) - size, size);
}

static instruction *
step_decimal_alone(machine *self, instruction *at)
{
    uint8_t data[DECIMAL_SIZE];
    size_t size = load_decimal_bytes(self, at, data);
    return size == 0 ? NULL : put_raw(self, at, data + sizeof(data) - size, size);
}

/* The argument is the size of the fixed in bytes. */
static instruction *
step_decimal_fixed(machine *self, instruction *at)
{
    decimal value;
    uint8_t data[DECIMAL_SIZE];
    if (put_load_decimal(self, at, &value) == NULL) {
        return NULL;
    }
    decimal_store(&value, data);
    int64_t more = at->argument - (int64_t)sizeof(data);
    if ((int64_t)decimal_significant(data) > at->argument) {
        return put_fail(self, at, "a decimal of more bytes than the fixed has");
    }
    if (more <= 0) {
        return put_raw(self, at, data - more, (size_t)at->argument);
    }
    if (!put_reserve(self, at->argument)) {
        return NULL;
    }
    memset(self->to.at, value.is_negative ? 0xff : 0, (size_t)more);
    self->to.at += more;
    return put_raw(self, at, data, sizeof(data));
}

/* Months, days and milliseconds, as unsigned numbers. */
static instruction *
put_duration(machine *self, instruction *at, int64_t months, int64_t days, int64_t milliseconds)
{
    if (months < 0 || days < 0 || milliseconds < 0) {
        return put_fail(self, at, "a negative duration");
    }
    if (milliseconds > UINT32_MAX) {
        return put_fail(self, at, "a duration of more than 2^32-1 milliseconds");
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
    const arrow_column *column = put_column(self, at);
    if (!input_is_valid(column, self->row)) {
        return put_fail_null(self, at);
    }
    struct {
        int32_t months, days;
        int64_t nanoseconds;
    } value;
    memcpy(&value, input_fixed(column, self->row), sizeof(value));
    int64_t milliseconds;
    put_rescale(value.nanoseconds, -1000000, &milliseconds);
    return put_duration(self, at, value.months, value.days, milliseconds);
}

static instruction *
step_duration_of_time(machine *self, instruction *at)
{
    int64_t milliseconds;
    return put_load_integer(self, at, &milliseconds) == NULL
               ? NULL
               : put_duration(self, at, 0, 0, milliseconds);
}

/* ---- structure ---- */

/* A union of two branches: null is number `argument`; the other is in the table and follows. */
static instruction *
step_optional(machine *self, instruction *at)
{
    if (input_is_null(self->from, at->column, self->row)) {
        return put_long(self, at, at->argument) == NULL ? NULL : at->target;
    }
    return put_long(self, at, at->table[0]);
}

/* The end of a block of items, or an array without items. */
static instruction *
put_end(machine *self, instruction *at)
{
    return put_long(self, at, 0) == NULL ? NULL : at->target;
}

/* An array, or a map, whose items are structs of key and value. */
static instruction *
step_array(machine *self, instruction *at)
{
    int64_t from, to;
    if (put_load_items(self, at, &from, &to) == NULL) {
        return NULL;
    }
    if (from < to && (put_long(self, at, to - from) == NULL || !put_each(self, at, from, to))) {
        return NULL;
    }
    return put_end(self, at);
}

/* Begins a struct that is written as a map without its null fields: writes the number of other
 * fields. The table lists the columns of all fields. */
static instruction *
step_entries(machine *self, instruction *at)
{
    if (!input_is_valid(put_column(self, at), self->row)) {
        return put_fail_null(self, at);
    }
    int64_t count = 0;
    for (int32_t i = 0; i < at->table_size; i++) {
        count += !input_is_null(self->from, at->table[i], self->row);
    }
    return count == 0 ? at + 1 : put_long(self, at, count);
}

/* One of these fields: writes its key; its value follows. */
static instruction *
step_entry(machine *self, instruction *at)
{
    return input_is_null(self->from, at->column, self->row) ? at->target
                                                            : put_constant(self, at);
}

static const put_step_kind avro_put_kinds[] = {
    PUT_COMMON_KINDS,
    {"boolean", step_boolean, PUT_ONLY(INPUT_BITS), 0, PUT_NO_BLOCK, PUT_NO_TABLE, false,
     PUT_SHORT_BOOLEAN},
    {"int", step_int, PUT_INTEGER, 4, PUT_NO_BLOCK, PUT_NO_TABLE, false, PUT_SHORT_INT},
    {"long", step_long, PUT_INTEGER, 8, PUT_NO_BLOCK, PUT_NO_TABLE, false, PUT_SHORT_LONG},
    {"as-int", step_as_int, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"as-long", step_as_long, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"time-millis", step_time_millis, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"time-micros", step_time_micros, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"real-as-float", step_real_as_float, PUT_REAL, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false,
     PUT_SHORT_FLOAT},
    {"real-as-double", step_real_as_double, PUT_REAL, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false,
     PUT_SHORT_DOUBLE},
    {"integer-as-float", step_integer_as_float, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"integer-as-double", step_integer_as_double, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"bytes", step_bytes, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"string", step_string, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false, PUT_SHORT_STRING},
    {"fixed", step_fixed, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"enum", step_enum, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_SYMBOLS, false},
    {"uuid-of-bytes", step_uuid_of_bytes, PUT_FIXED, 16, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"uuid-of-text", step_uuid_of_text, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"uuid-to-fixed", step_uuid_to_fixed, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"decimal-bytes", step_decimal_bytes, PUT_DECIMAL, 0, PUT_NO_BLOCK, PUT_POWER, false},
    {"bytes-alone", step_bytes_alone, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"decimal-alone", step_decimal_alone, PUT_DECIMAL, 0, PUT_NO_BLOCK, PUT_POWER, false},
    {"decimal-fixed", step_decimal_fixed, PUT_DECIMAL, 0, PUT_NO_BLOCK, PUT_POWER, false},
    {"duration-of-interval", step_duration_of_interval, PUT_FIXED, 16, PUT_NO_BLOCK, PUT_NO_TABLE,
     false},
    {"duration-of-time", step_duration_of_time, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"optional", step_optional, PUT_ANY, 0, PUT_SAME, PUT_NUMBER, false, PUT_SHORT_OPTIONAL},
    {"array", step_array, PUT_LIST, 0, PUT_BELOW, PUT_NO_TABLE, false, PUT_SHORT_ARRAY},
    {"entries", step_entries, PUT_ONLY(INPUT_STRUCT), 0, PUT_NO_BLOCK, PUT_COLUMNS, false},
    {"entry", step_entry, PUT_ANY, 0, PUT_SAME, PUT_NO_TABLE, false},
    {NULL, NULL, 0, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
};

const payload_format avro_payload_format = {"avro", avro_put_kinds, avro_put_run,
                                            avro_put_run_rows};

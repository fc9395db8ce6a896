#include "columns/avro_steps.h"

#include "columns/avro_read.h"
#include "columns/avro_run.h"
#include "columns/utf8.h"
#include "columns/keep.h"
#include "columns/uuid_text.h"

/*
 * Each step reads one value of the Avro 1.12 specification ("Binary Encoding") and puts it into
 * its column.
 */

/* How deep skipped records may be nested in themselves, including their arrays. */
#define SKIP_DEPTH 128

typedef avro_machine machine;
typedef const avro_instruction instruction;

/* The next instruction after a value was put; NULL if it could not be put. */
static inline instruction *
after(machine *self, instruction *at, enum build_status status)
{
    if (status == BUILD_OK) {
        return at + 1;
    }
    self->status = status == BUILD_TOO_LARGE ? ROW_TOO_LARGE : ROW_NO_MEMORY;
    return NULL;
}

static inline column *
column_at(machine *self, instruction *at)
{
    return &self->set->columns[at->column];
}

/* ---- numbers ---- */

static inline bool
read_int(machine *self, instruction *at, int32_t *value)
{
    int64_t wide;
    if (!avro_read_long(self, at, &wide)) {
        return false;
    }
    if (wide < INT32_MIN || wide > INT32_MAX) {
        avro_fail(self, at, "an int of more than 32 bits");
        return false;
    }
    *value = (int32_t)wide;
    return true;
}

/* Takes the next `size` bytes, or returns NULL. */
static inline const uint8_t *
take(machine *self, instruction *at, int64_t size)
{
    if (size > avro_left(self)) {
        avro_ends_early(self, at);
        return NULL;
    }
    const uint8_t *data = self->at;
    self->at += size;
    return data;
}

/* Reads bytes after their size; NULL on failure. */
static inline const uint8_t *
take_sized(machine *self, instruction *at, int64_t *size)
{
    return avro_read_size(self, at, size) ? take(self, at, *size) : NULL;
}

static float
read_float(const uint8_t *data)
{
    uint32_t bits = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16
                    | (uint32_t)data[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

#define PUT(value) \
    after(self, at, column_put_fixed(column_at(self, at), &(value), sizeof(value)))

static instruction *
step_int(machine *self, instruction *at)
{
    int32_t value;
    return read_int(self, at, &value) ? PUT(value) : NULL;
}

static instruction *
step_long(machine *self, instruction *at)
{
    int64_t value;
    return avro_read_long(self, at, &value) ? PUT(value) : NULL;
}

static instruction *
step_float(machine *self, instruction *at)
{
    const uint8_t *data = take(self, at, sizeof(float));
    if (data == NULL) {
        return NULL;
    }
    float value = read_float(data);
    return PUT(value);
}

static instruction *
step_double(machine *self, instruction *at)
{
    const uint8_t *data = take(self, at, sizeof(double));
    if (data == NULL) {
        return NULL;
    }
    uint64_t bits = 0;
    for (int i = 7; i >= 0; i--) {
        bits = bits << 8 | data[i];
    }
    return PUT(bits);
}

static instruction *
step_boolean(machine *self, instruction *at)
{
    const uint8_t *data = take(self, at, 1);
    if (data == NULL) {
        return NULL;
    }
    if (*data > 1) {
        return avro_fail(self, at, "a boolean that is neither 0 nor 1");
    }
    return after(self, at, column_put_bool(column_at(self, at), *data));
}

/* ---- numbers that the reader's schema widens ---- */

static instruction *
step_int_as_long(machine *self, instruction *at)
{
    int32_t value;
    if (!read_int(self, at, &value)) {
        return NULL;
    }
    int64_t wide = value;
    return PUT(wide);
}

static instruction *
step_long_as_float(machine *self, instruction *at)
{
    int64_t value;
    if (!avro_read_long(self, at, &value)) {
        return NULL;
    }
    float wide = (float)value;
    return PUT(wide);
}

static instruction *
step_long_as_double(machine *self, instruction *at)
{
    int64_t value;
    if (!avro_read_long(self, at, &value)) {
        return NULL;
    }
    double wide = (double)value;
    return PUT(wide);
}

static instruction *
step_float_as_double(machine *self, instruction *at)
{
    const uint8_t *data = take(self, at, sizeof(float));
    if (data == NULL) {
        return NULL;
    }
    double wide = read_float(data);
    return PUT(wide);
}

/* ---- bytes ---- */

static instruction *
step_bytes(machine *self, instruction *at)
{
    int64_t size;
    const uint8_t *data = take_sized(self, at, &size);
    return data == NULL ? NULL
                        : after(self, at, column_put_bytes(column_at(self, at), data, size));
}

static inline instruction *
put_text(machine *self, instruction *at, const uint8_t *data, int64_t size)
{
    if (!utf8_is_valid(data, (size_t)size)) {
        return avro_fail(self, at, "a string that is not UTF-8");
    }
    return after(self, at, column_put_bytes(column_at(self, at), data, size));
}

static instruction *
step_string(machine *self, instruction *at)
{
    int64_t size;
    const uint8_t *data = take_sized(self, at, &size);
    return data == NULL ? NULL : put_text(self, at, data, size);
}

static instruction *
step_fixed(machine *self, instruction *at)
{
    const uint8_t *data = take(self, at, at->argument);
    if (data == NULL) {
        return NULL;
    }
    return after(self, at,
                 column_put_fixed(column_at(self, at), data, (size_t)at->argument));
}

/* ---- enums ---- */

/* The number of the symbol in the reader's enum, or -1. */
static int32_t
read_symbol(machine *self, instruction *at, int32_t count)
{
    int32_t symbol;
    if (!read_int(self, at, &symbol)) {
        return -1;
    }
    if (symbol < 0 || symbol >= count) {
        avro_fail(self, at, "a number that no symbol of the enum has");
        return -1;
    }
    return symbol;
}

static const char unknown_symbol[] = "a symbol that the reader's enum does not have, and it has no "
                                     "default";

static instruction *
step_enum(machine *self, instruction *at)
{
    int32_t symbol = read_symbol(self, at, at->table_size);
    if (symbol < 0) {
        return NULL;
    }
    int32_t own = at->table[symbol];
    return own < 0 ? avro_fail(self, at, unknown_symbol) : PUT(own);
}

/* The table has the place and the size of each symbol in the data. */
static instruction *
step_enum_text(machine *self, instruction *at)
{
    int32_t symbol = read_symbol(self, at, at->table_size / 2);
    if (symbol < 0) {
        return NULL;
    }
    int32_t place = at->table[symbol * 2], size = at->table[symbol * 2 + 1];
    if (size < 0) {
        return avro_fail(self, at, unknown_symbol);
    }
    return after(self, at,
                 column_put_bytes(column_at(self, at), at->data + place, size));
}

/* ---- logical types ---- */

/* Whether the magnitude of `value` is less than `limit`. Both have `width` bytes, little-endian. */
static bool
is_below(const uint8_t *value, const uint8_t *limit, int32_t width)
{
    bool negative = value[width - 1] & 0x80;
    uint8_t magnitude[32];
    unsigned carry = negative;
    for (int32_t i = 0; i < width; i++) {
        carry += negative ? (uint8_t)~value[i] : value[i];
        magnitude[i] = (uint8_t)carry;
        carry >>= 8;
    }
    for (int32_t i = width - 1; i >= 0; i--) {
        if (magnitude[i] != limit[i]) {
            return magnitude[i] < limit[i];
        }
    }
    return false;
}

/* Two's complement: big-endian in Avro, little-endian in Arrow. The instruction's data is the limit
 * of the magnitude. */
static instruction *
put_decimal(machine *self, instruction *at, const uint8_t *data, int64_t size)
{
    column *to = column_at(self, at);
    uint8_t value[32];
    uint8_t sign = size > 0 && (data[0] & 0x80) ? 0xff : 0;
    memset(value, sign, sizeof(value));
    bool fits = true;
    for (int64_t i = 0; i < size; i++) {
        uint8_t byte = data[size - 1 - i];
        if (i < to->width) {
            value[i] = byte;
        }
        else {
            fits = fits && byte == sign;
        }
    }
    fits = fits && ((value[to->width - 1] ^ sign) & 0x80) == 0;
    if (!fits || !is_below(value, at->data, to->width)) {
        return avro_fail(self, at,
                    at->table_size > 0 ? "a decimal of more than 38 digits, which is too large for "
                                         "decimals=\"decimal128\""
                                       : "a decimal of more digits than its precision");
    }
    return after(self, at, column_put_fixed(to, value, (size_t)to->width));
}

static instruction *
step_decimal_bytes(machine *self, instruction *at)
{
    int64_t size;
    const uint8_t *data = take_sized(self, at, &size);
    return data == NULL ? NULL : put_decimal(self, at, data, size);
}

/*
 * Bytes that are the whole payload. The registry's serializers write no size before them.
 */
static const uint8_t *
take_rest(machine *self, int64_t *size)
{
    const uint8_t *data = self->at;
    *size = avro_left(self);
    self->at = self->end;
    return data;
}

static instruction *
step_bytes_alone(machine *self, instruction *at)
{
    int64_t size;
    const uint8_t *data = take_rest(self, &size);
    return after(self, at, column_put_bytes(column_at(self, at), data, size));
}

static instruction *
step_string_alone(machine *self, instruction *at)
{
    int64_t size;
    const uint8_t *data = take_rest(self, &size);
    return put_text(self, at, data, size);
}

static instruction *
step_decimal_alone(machine *self, instruction *at)
{
    int64_t size;
    const uint8_t *data = take_rest(self, &size);
    return put_decimal(self, at, data, size);
}

static instruction *
step_decimal_fixed(machine *self, instruction *at)
{
    const uint8_t *data = take(self, at, at->argument);
    return data == NULL ? NULL : put_decimal(self, at, data, at->argument);
}

static instruction *
step_uuid(machine *self, instruction *at)
{
    int64_t size;
    const uint8_t *data = take_sized(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    uint8_t value[UUID_SIZE];
    return uuid_text_read(data, (size_t)size, value)
               ? PUT(value)
               : avro_fail(self, at, "text that is not a UUID");
}

static const char no_time[] = "a time of day that is out of range";

/* The argument is the number of units in a day. */
static instruction *
step_time_int(machine *self, instruction *at)
{
    int32_t value;
    if (!read_int(self, at, &value)) {
        return NULL;
    }
    return value < 0 || value >= at->argument ? avro_fail(self, at, no_time) : PUT(value);
}

static instruction *
step_time_long(machine *self, instruction *at)
{
    int64_t value;
    if (!avro_read_long(self, at, &value)) {
        return NULL;
    }
    return value < 0 || value >= at->argument ? avro_fail(self, at, no_time) : PUT(value);
}

/*
 * A timestamp with another unit than the reader's: multiplied by the argument; or if that is
 * negative, divided by it and rounded down.
 */
static instruction *
step_long_scaled(machine *self, instruction *at)
{
    int64_t value, factor = at->argument;
    if (!avro_read_long(self, at, &value)) {
        return NULL;
    }
    if (factor < 0) {
        value = value / -factor - (value % -factor < 0);
        return PUT(value);
    }
    if (value > INT64_MAX / factor || value < INT64_MIN / factor) {
        return avro_fail(self, at, "a timestamp of more than 64 bits in the reader's unit");
    }
    value *= factor;
    return PUT(value);
}

/* Months, days and milliseconds, unsigned. Arrow has nanoseconds, and signed numbers. */
static instruction *
step_duration(machine *self, instruction *at)
{
    const uint8_t *data = take(self, at, 12);
    if (data == NULL) {
        return NULL;
    }
    uint32_t parts[3];
    for (int i = 0; i < 3; i++, data += 4) {
        parts[i] = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16
                   | (uint32_t)data[3] << 24;
    }
    if (parts[0] > INT32_MAX || parts[1] > INT32_MAX) {
        return avro_fail(self, at, "a duration of more than 2^31-1 months or days");
    }
    struct {
        int32_t months, days;
        int64_t nanoseconds;
    } value = {(int32_t)parts[0], (int32_t)parts[1], (int64_t)parts[2] * 1000000};
    return PUT(value);
}

/* ---- structure ---- */

static instruction *
step_null(machine *self, instruction *at)
{
    return after(self, at, columns_put_null(self->set, at->column));
}

/* A record. Its fields follow. */
static instruction *
step_record(machine *self, instruction *at)
{
    return after(self, at, column_put_slot(column_at(self, at)));
}

static const char unknown_branch[] = "a branch that the union does not have";

/* A union of two branches: null is branch number `argument`; the other one follows. */
static instruction *
step_optional(machine *self, instruction *at)
{
    int64_t branch;
    if (!avro_read_long(self, at, &branch)) {
        return NULL;
    }
    if (branch == at->argument) {
        enum build_status status = columns_put_null(self->set, at->column);
        return after(self, at, status) == NULL ? NULL : at->target;
    }
    return branch == 1 - at->argument ? at + 1 : avro_fail(self, at, unknown_branch);
}

/* The table has the distance to the instructions of each branch. */
static instruction *
step_union(machine *self, instruction *at)
{
    int64_t branch;
    if (!avro_read_long(self, at, &branch)) {
        return NULL;
    }
    if (branch < 0 || branch >= at->table_size) {
        return avro_fail(self, at, unknown_branch);
    }
    return at + at->table[branch];
}

/* The value that follows belongs to branch `argument` of the reader's union. */
static instruction *
step_branch(machine *self, instruction *at)
{
    return after(self, at,
                 columns_put_branch(self->set, at->column, (int32_t)at->argument));
}

static instruction *
step_jump(machine *Py_UNUSED(self), instruction *at)
{
    return at->target;
}

/* A branch that the reader's schema cannot take. */
static instruction *
step_fail(machine *self, instruction *at)
{
    return avro_fail(self, at, "a branch of the writer's union that the reader does not have");
}

/* Values from the reader's schema, encoded in the data. */
static instruction *
step_default(machine *self, instruction *at)
{
    const uint8_t *payload = self->at, *end = self->end, *readable = self->readable;
    self->at = at->data;
    self->end = self->readable = at->data + at->data_size;
    bool is_done = avro_run(self, at + 1, at->target);
    self->at = payload;
    self->end = end;
    self->readable = readable;
    if (!is_done) {
        self->failure->at = payload;
        return NULL;
    }
    return at->target;
}

static instruction *
put_items(machine *self, instruction *at)
{
    column *list = column_at(self, at);
    return after(self, at, column_put_list(list, list + 1)) == NULL ? NULL : at->target;
}

/* Items are structs of key and value. If a key occurs twice, the last item is kept. */
static instruction *
put_entries(machine *self, instruction *at)
{
    enum build_status status = columns_keep_last_keys(self->set, at->column, NULL);
    return after(self, at, status) == NULL ? NULL : put_items(self, at);
}

/* ---- values that are skipped ---- */

static instruction *
step_skip_number(machine *self, instruction *at)
{
    int64_t value;
    return avro_read_long(self, at, &value) ? at + 1 : NULL;
}

static instruction *
step_skip_bytes(machine *self, instruction *at)
{
    int64_t size;
    return take_sized(self, at, &size) == NULL ? NULL : at + 1;
}

static instruction *
step_skip_fixed(machine *self, instruction *at)
{
    return take(self, at, at->argument) == NULL ? NULL : at + 1;
}

static instruction *
step_skip_array(machine *self, instruction *at)
{
    for (;;) {
        int64_t count, size;
        if (!avro_read_block(self, at, &count, &size)) {
            return NULL;
        }
        if (count == 0) {
            return at->target;
        }
        if (size >= 0) {
            self->at += size;
        }
        else if (!avro_can_have(self, at, count) || !avro_run_items(self, at, count)) {
            return NULL;
        }
    }
}

/* A record that may contain itself, at the instruction "skip-again". */
static instruction *
skip_record(machine *self, instruction *record, instruction *at)
{
    if (self->depth >= SKIP_DEPTH) {
        return avro_fail(self, at, "a record that is nested in itself more than 128 deep");
    }
    self->depth++;
    bool is_done = avro_run(self, record + 1, record->target);
    self->depth--;
    return is_done ? at : NULL;
}

static instruction *
step_skip_record(machine *self, instruction *at)
{
    return skip_record(self, at, at) == NULL ? NULL : at->target;
}

/* The argument is the distance back to the record. */
static instruction *
step_skip_again(machine *self, instruction *at)
{
    return skip_record(self, at - at->argument, at) == NULL ? NULL : at + 1;
}

const avro_step_kind avro_step_kinds[] = {
    {"int", step_int, COLUMN_FIXED, 4, AVRO_NO_TARGET, AVRO_INT},
    {"long", step_long, COLUMN_FIXED, 8, AVRO_NO_TARGET, AVRO_LONG},
    {"float", step_float, COLUMN_FIXED, 4, AVRO_NO_TARGET, AVRO_FLOAT},
    {"double", step_double, COLUMN_FIXED, 8, AVRO_NO_TARGET, AVRO_DOUBLE},
    {"boolean", step_boolean, COLUMN_BITS, 0, AVRO_NO_TARGET, AVRO_BOOLEAN},
    {"int-as-long", step_int_as_long, COLUMN_FIXED, 8, AVRO_NO_TARGET},
    {"long-as-float", step_long_as_float, COLUMN_FIXED, 4, AVRO_NO_TARGET},
    {"long-as-double", step_long_as_double, COLUMN_FIXED, 8, AVRO_NO_TARGET},
    {"float-as-double", step_float_as_double, COLUMN_FIXED, 8, AVRO_NO_TARGET},
    {"bytes", step_bytes, COLUMN_BYTES, 0, AVRO_NO_TARGET},
    {"string", step_string, COLUMN_BYTES, 0, AVRO_NO_TARGET, AVRO_STRING},
    {"fixed", step_fixed, COLUMN_FIXED, AVRO_ANY_WIDTH, AVRO_NO_TARGET},
    {"enum", step_enum, COLUMN_FIXED, 4, AVRO_NO_TARGET},
    {"enum-text", step_enum_text, COLUMN_BYTES, 0, AVRO_NO_TARGET},
    {"decimal-bytes", step_decimal_bytes, COLUMN_FIXED, AVRO_DECIMAL_WIDTH, AVRO_NO_TARGET},
    {"bytes-alone", step_bytes_alone, COLUMN_BYTES, 0, AVRO_NO_TARGET},
    {"string-alone", step_string_alone, COLUMN_BYTES, 0, AVRO_NO_TARGET},
    {"decimal-alone", step_decimal_alone, COLUMN_FIXED, AVRO_DECIMAL_WIDTH, AVRO_NO_TARGET},
    {"decimal-fixed", step_decimal_fixed, COLUMN_FIXED, AVRO_DECIMAL_WIDTH, AVRO_NO_TARGET},
    {"uuid", step_uuid, COLUMN_FIXED, 16, AVRO_NO_TARGET},
    {"duration", step_duration, COLUMN_FIXED, 16, AVRO_NO_TARGET},
    {"long-scaled", step_long_scaled, COLUMN_FIXED, 8, AVRO_NO_TARGET},
    {"time-int", step_time_int, COLUMN_FIXED, 4, AVRO_NO_TARGET},
    {"time-long", step_time_long, COLUMN_FIXED, 8, AVRO_NO_TARGET},
    {"null", step_null, AVRO_ANY_COLUMN, 0, AVRO_NO_TARGET},
    {"record", step_record, COLUMN_STRUCT, 0, AVRO_NO_TARGET, AVRO_RECORD},
    {"optional", step_optional, AVRO_ANY_COLUMN, 0, AVRO_GOES_ON, AVRO_OPTIONAL},
    {"union", step_union, AVRO_NO_COLUMN, 0, AVRO_NO_TARGET},
    {"branch", step_branch, COLUMN_UNION, 0, AVRO_NO_TARGET},
    {"jump", step_jump, AVRO_NO_COLUMN, 0, AVRO_GOES_ON},
    {"fail", step_fail, AVRO_NO_COLUMN, 0, AVRO_NO_TARGET},
    {"default", step_default, AVRO_NO_COLUMN, 0, AVRO_RUNS},
    {"array", put_items, COLUMN_LIST, 0, AVRO_RUNS, AVRO_ARRAY},
    {"map", put_entries, COLUMN_LIST, 0, AVRO_RUNS, AVRO_MAP},
    {"skip-number", step_skip_number, AVRO_NO_COLUMN, 0, AVRO_NO_TARGET},
    {"skip-bytes", step_skip_bytes, AVRO_NO_COLUMN, 0, AVRO_NO_TARGET},
    {"skip-fixed", step_skip_fixed, AVRO_NO_COLUMN, 0, AVRO_NO_TARGET},
    {"skip-array", step_skip_array, AVRO_NO_COLUMN, 0, AVRO_RUNS},
    {"skip-record", step_skip_record, AVRO_NO_COLUMN, 0, AVRO_RUNS},
    {"skip-again", step_skip_again, AVRO_NO_COLUMN, 0, AVRO_NO_TARGET},
    {NULL, NULL, 0, 0, AVRO_NO_TARGET},
};

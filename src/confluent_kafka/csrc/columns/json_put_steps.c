#include <math.h>

#include "columns/digits.h"
#include "columns/json_escape.h"
#include "columns/json_text.h"
#include "columns/payload_format.h"
#include "columns/put_values.h"
#include "columns/rfc3339.h"
#include "columns/shortest_float.h"
#include "columns/utf8.h"
#include "columns/uuid_text.h"
#include "columns/words.h"

/*
 * Each step writes one value as compact JSON (RFC 8259): for a field the key with its colon, which
 * is in the instruction's data; the value; and a comma. The end of an object or array replaces the
 * last comma.
 */

typedef put_machine machine;
typedef const put_instruction instruction;

/* ---- writing ---- */

/* Writes the key; reserves room for `size` bytes and a comma after it. */
static inline bool
begin(machine *self, instruction *at, int64_t size)
{
    if (!put_reserve(self, at->data_size + size + 1)) {
        return false;
    }
    put_copy(self, at->data, (size_t)at->data_size);
    return true;
}

/* Called after `size` bytes of a value have been written. */
static inline instruction *
end(machine *self, instruction *at, size_t size)
{
    self->to.at += size;
    *self->to.at++ = ',';
    return at + 1;
}

/* Writes text that needs no JSON escapes. */
static instruction *
put_quoted(machine *self, instruction *at, const uint8_t *text, size_t size)
{
    if (!begin(self, at, (int64_t)size + 2)) {
        return NULL;
    }
    *self->to.at++ = '"';
    put_copy(self, text, size);
    *self->to.at++ = '"';
    return end(self, at, 0);
}

/* Whether a byte in a word is a quote, a backslash or a control character. */
static inline bool
must_be_escaped(uint64_t word)
{
    uint64_t quotes = word ^ WORD_ONES * '"', backslashes = word ^ WORD_ONES * '\\';
    return (((quotes - WORD_ONES) & ~quotes) | ((backslashes - WORD_ONES) & ~backslashes)
            | ((word - WORD_ONES * 0x20) & ~word))
           & WORD_HIGHS;
}

/* Writes the characters of a string; there is room for all of them unless they are escaped. */
static bool
put_characters(machine *self, const uint8_t *text, size_t size)
{
    const uint8_t *end_of_text = text + size;
    while (text < end_of_text) {
        size_t left = (size_t)(end_of_text - text);
        if (left >= sizeof(uint64_t) && !must_be_escaped(word_load(text))) {
            memcpy(self->to.at, text, sizeof(uint64_t));
            self->to.at += sizeof(uint64_t);
            text += sizeof(uint64_t);
        }
        else if (!json_must_escape(*text)) {
            *self->to.at++ = *text++;
        }
        else {
            if (!put_reserve(self, (int64_t)left + JSON_ESCAPE_SIZE + 2)) {
                return false;
            }
            self->to.at += json_escape(*text++, self->to.at);
        }
    }
    return true;
}

/* Writes the column's text between quotes, and reserves a byte after it. */
static instruction *
put_string(machine *self, instruction *at, uint8_t behind)
{
    size_t size;
    const uint8_t *text = put_load_text(self, at, &size);
    if (text == NULL || !begin(self, at, (int64_t)size + 2)) {
        return NULL;
    }
    *self->to.at++ = '"';
    if (!put_characters(self, text, size) || !put_reserve(self, 2)) {
        return NULL;
    }
    *self->to.at++ = '"';
    *self->to.at++ = behind;
    return at + 1;
}

/* ---- plain values ---- */

static instruction *
step_bool(machine *self, instruction *at)
{
    bool value;
    if (put_load_bool(self, at, &value) == NULL || !begin(self, at, 5)) {
        return NULL;
    }
    memcpy(self->to.at, value ? "true " : "false", 5);
    return end(self, at, value ? 4 : 5);
}

static instruction *
step_whole(machine *self, instruction *at)
{
    uint64_t value;
    bool is_negative;
    if (put_load_whole(self, at, at->argument, &value, &is_negative) == NULL
        || !begin(self, at, DIGITS_LIMIT_64 + 1)) {
        return NULL;
    }
    *self->to.at = '-';
    self->to.at += is_negative;
    return end(self, at, digits_write(is_negative ? 0 - value : value, self->to.at));
}

static const char not_finite[] = "a number that is not finite, which JSON does not have";

static instruction *
step_double(machine *self, instruction *at)
{
    double value;
    if (put_load_double(self, at, &value) == NULL) {
        return NULL;
    }
    if (!isfinite(value)) {
        return put_fail(self, at, not_finite);
    }
    if (!begin(self, at, FLOAT_TEXT_SIZE)) {
        return NULL;
    }
    return end(self, at, double_write(value, self->to.at));
}

static instruction *
step_float(machine *self, instruction *at)
{
    float value;
    if (put_load_float(self, at, &value) == NULL) {
        return NULL;
    }
    if (!isfinite(value)) {
        return put_fail(self, at, not_finite);
    }
    if (!begin(self, at, FLOAT_TEXT_SIZE)) {
        return NULL;
    }
    return end(self, at, float_write(value, self->to.at));
}

static instruction *
step_string(machine *self, instruction *at)
{
    return put_string(self, at, ',');
}

/* Writes text that is itself JSON; the bits of the argument are the allowed JSON types. */
static instruction *
step_json(machine *self, instruction *at)
{
    size_t size;
    const uint8_t *data = put_load_text(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    json_text text = {data, data + size};
    json_skip_space(&text);
    const uint8_t *start = text.at;
    const char *problem = json_skip_value(&text);
    if (problem != NULL) {
        return put_fail(self, at, problem);
    }
    const uint8_t *behind = text.at;
    json_skip_space(&text);
    if (text.at < text.end) {
        return put_fail(self, at, "more than one value of JSON");
    }
    if (!(json_type_of(*start) & at->argument)) {
        return put_fail(self, at, "JSON of a type that the schema does not have");
    }
    size = (size_t)(behind - start);
    if (!begin(self, at, (int64_t)size)) {
        return NULL;
    }
    put_copy(self, start, size);
    return end(self, at, 0);
}

/* RFC 4648, section 4, with padding. */
static size_t
write_base64(const uint8_t *data, size_t size, uint8_t *to)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789+/";
    uint8_t *start = to;
    for (size_t at = 0; at < size; at += 3) {
        size_t count = size - at < 3 ? size - at : 3;
        uint32_t bits = (uint32_t)data[at] << 16 | (count > 1 ? (uint32_t)data[at + 1] << 8 : 0)
                        | (count > 2 ? data[at + 2] : 0);
        *to++ = (uint8_t)letters[bits >> 18];
        *to++ = (uint8_t)letters[bits >> 12 & 0x3f];
        *to++ = count > 1 ? (uint8_t)letters[bits >> 6 & 0x3f] : '=';
        *to++ = count > 2 ? (uint8_t)letters[bits & 0x3f] : '=';
    }
    return (size_t)(to - start);
}

/* Writes bytes; the argument is the required number of bytes, or 0 for any number. */
static instruction *
step_binary(machine *self, instruction *at)
{
    size_t size;
    const uint8_t *data = put_load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    if (at->argument != 0 && (int64_t)size != at->argument) {
        return put_fail(self, at, "a wrong number of bytes for the type");
    }
    if (!begin(self, at, ((int64_t)size + 2) / 3 * 4 + 2)) {
        return NULL;
    }
    *self->to.at++ = '"';
    self->to.at += write_base64(data, size, self->to.at);
    *self->to.at++ = '"';
    return end(self, at, 0);
}

static instruction *
put_uuid(machine *self, instruction *at, const uint8_t *value)
{
    char text[UUID_TEXT_SIZE];
    uuid_text_write(value, text);
    return put_quoted(self, at, (const uint8_t *)text, sizeof(text));
}

static instruction *
step_uuid(machine *self, instruction *at)
{
    size_t size;
    const uint8_t *value = put_load_bytes(self, at, &size);
    return value == NULL ? NULL : put_uuid(self, at, value);
}

static instruction *
step_uuid_of_text(machine *self, instruction *at)
{
    size_t size;
    uint8_t value[UUID_SIZE];
    const uint8_t *text = put_load_bytes(self, at, &size);
    if (text == NULL) {
        return NULL;
    }
    return uuid_text_read(text, size, value) ? put_uuid(self, at, value)
                                             : put_fail(self, at, "text that is not a UUID");
}

/* ---- decimals: the argument is the scale; the data has the limit, and then the key ---- */

static bool
put_digits(machine *self, instruction *at, const uint8_t *digits, int64_t count, bool is_negative)
{
    int64_t scale = at->argument, zeros = count > scale ? 0 : scale - count + 1;
    int64_t before = zeros > 0 ? 1 : count - scale;
    if (!put_reserve(self, count + zeros + 5)) { /* a sign, a point, two quotes and a comma */
        return false;
    }
    *self->to.at = '-';
    self->to.at += is_negative;
    uint8_t *start = self->to.at;
    memset(start, '0', (size_t)zeros);
    memcpy(start + zeros, digits, (size_t)count);
    self->to.at += zeros + count;
    if (scale > 0) {
        memmove(start + before + 1, start + before, (size_t)scale);
        start[before] = '.';
        self->to.at++;
    }
    return true;
}

static instruction *
put_decimal(machine *self, instruction *at, size_t quotes)
{
    decimal value;
    uint8_t digits[DECIMAL_DIGITS];
    if (put_load_decimal(self, at, &value) == NULL
        || !put_reserve(self, at->data_size + 1)) {
        return NULL;
    }
    size_t count = decimal_digits(&value, digits);
    put_copy(self, at->data + DECIMAL_SIZE, (size_t)at->data_size - DECIMAL_SIZE);
    put_copy(self, "\"", quotes);
    if (!put_digits(self, at, digits, (int64_t)count, value.is_negative)) {
        return NULL;
    }
    put_copy(self, "\"", quotes);
    return end(self, at, 0);
}

static instruction *
step_decimal(machine *self, instruction *at)
{
    return put_decimal(self, at, 0);
}

static instruction *
step_decimal_text(machine *self, instruction *at)
{
    return put_decimal(self, at, 1);
}

/* ---- dates and times ---- */

#define DAY 86400

static const char no_date[] = "a date whose year is not from 0 to 9999";

/* Days since 1970. */
static instruction *
step_date(machine *self, instruction *at)
{
    int64_t days;
    uint8_t text[RFC3339_SIZE];
    if (put_load_integer(self, at, &days) == NULL) {
        return NULL;
    }
    return rfc3339_has_date(days)
               ? put_quoted(self, at, text, rfc3339_write_date((int32_t)days, text))
               : put_fail(self, at, no_date);
}

/* A time in parts. The table has the number of fraction digits in the column's unit. */
typedef struct {
    int64_t days;
    int32_t seconds, fraction;
    int digits;
} time_parts;

static instruction *
load_time(machine *self, instruction *at, time_parts *parts)
{
    static const int64_t units[] = {1, 1000, 1000000, 1000000000};
    uint32_t unit = (uint32_t)at->table[0] / 3 % 4;
    int64_t value, seconds;
    if (put_load_integer(self, at, &value) == NULL) {
        return NULL;
    }
    int64_t fraction = value % units[unit];
    put_rescale(value, -units[unit], &seconds);
    put_rescale(seconds, -DAY, &parts->days);
    parts->seconds = (int32_t)(seconds - parts->days * DAY);
    parts->fraction = (int32_t)(fraction < 0 ? fraction + units[unit] : fraction);
    parts->digits = (int)unit * 3;
    return at;
}

static instruction *
step_time(machine *self, instruction *at)
{
    time_parts parts;
    uint8_t text[RFC3339_SIZE];
    if (load_time(self, at, &parts) == NULL) {
        return NULL;
    }
    if (parts.days != 0) {
        return put_fail(self, at, "a time of day that is out of range");
    }
    size_t size = rfc3339_write_time(parts.seconds, parts.fraction, parts.digits, text);
    return put_quoted(self, at, text, size);
}

static instruction *
put_timestamp(machine *self, instruction *at, bool is_zoned)
{
    time_parts parts;
    uint8_t text[RFC3339_SIZE];
    if (load_time(self, at, &parts) == NULL) {
        return NULL;
    }
    if (!rfc3339_has_date(parts.days)) {
        return put_fail(self, at, no_date);
    }
    size_t size = rfc3339_write_date((int32_t)parts.days, text);
    text[size++] = 'T';
    size += rfc3339_write_time(parts.seconds, parts.fraction, parts.digits, text + size);
    text[size] = 'Z';
    return put_quoted(self, at, text, size + is_zoned);
}

static instruction *
step_timestamp(machine *self, instruction *at)
{
    return put_timestamp(self, at, false);
}

static instruction *
step_timestamp_utc(machine *self, instruction *at)
{
    return put_timestamp(self, at, true);
}

/* Writes the column's text, after checking that it has the form of its type. */
static instruction *
put_time_text(machine *self, instruction *at, const uint8_t *text, size_t size, bool is_right)
{
    return is_right ? put_quoted(self, at, text, size)
                    : put_fail(self, at, "text that is not in the form of RFC 3339");
}

static instruction *
step_date_of_text(machine *self, instruction *at)
{
    size_t size;
    int32_t days;
    const uint8_t *text = put_load_bytes(self, at, &size);
    return text == NULL ? NULL
                        : put_time_text(self, at, text, size, rfc3339_date(text, size, &days));
}

static instruction *
step_time_of_text(machine *self, instruction *at)
{
    size_t size;
    int64_t nanoseconds;
    utc_offset offset;
    const uint8_t *text = put_load_bytes(self, at, &size);
    return text == NULL ? NULL
                        : put_time_text(self, at, text, size,
                                        rfc3339_time(text, size, &nanoseconds, &offset));
}

/* The argument decides whether to write an offset. */
static instruction *
step_timestamp_of_text(machine *self, instruction *at)
{
    size_t size;
    int64_t seconds;
    int32_t nanoseconds;
    utc_offset offset;
    const uint8_t *text = put_load_bytes(self, at, &size);
    if (text == NULL) {
        return NULL;
    }
    bool is_right = rfc3339_timestamp(text, size, &seconds, &nanoseconds, &offset)
                    && offset.is_given == (at->argument != 0);
    return put_time_text(self, at, text, size, is_right);
}

/* ---- structure ---- */

/* Writes the key and the byte that opens a value. */
static bool
open_with(machine *self, instruction *at, uint8_t byte)
{
    if (!begin(self, at, 1)) {
        return false;
    }
    *self->to.at++ = byte;
    return true;
}

/* Writes the end in place of the last value's comma, if there is one. */
static instruction *
close_with(machine *self, instruction *at, uint8_t byte)
{
    if (!put_reserve(self, 2)) {
        return NULL;
    }
    self->to.at -= payload_size(&self->to) > 0 && self->to.at[-1] == ',';
    *self->to.at++ = byte;
    *self->to.at++ = ',';
    return at + 1;
}

/* The fields follow, and then "end-object". */
static instruction *
step_object(machine *self, instruction *at)
{
    if (put_record(self, at) == NULL) {
        return NULL;
    }
    return open_with(self, at, '{') ? at + 1 : NULL;
}

static instruction *
step_end_object(machine *self, instruction *at)
{
    return close_with(self, at, '}');
}

/* The block writes each item. */
static instruction *
put_items(machine *self, instruction *at, uint8_t opening, uint8_t closing)
{
    int64_t from, to;
    if (put_load_items(self, at, &from, &to) == NULL || !open_with(self, at, opening)
        || !put_each(self, at, from, to)) {
        return NULL;
    }
    return close_with(self, at, closing) == NULL ? NULL : at->target;
}

static instruction *
step_array(machine *self, instruction *at)
{
    return put_items(self, at, '[', ']');
}

static instruction *
step_map(machine *self, instruction *at)
{
    return put_items(self, at, '{', '}');
}

/* The value follows. */
static instruction *
step_map_key(machine *self, instruction *at)
{
    return put_string(self, at, ':');
}

/* Removes the comma after the payload itself. */
static instruction *
step_end(machine *self, instruction *at)
{
    self->to.at -= payload_size(&self->to) > 0 && self->to.at[-1] == ',';
    return at + 1;
}

static const put_step_kind json_put_kinds[] = {
    PUT_COMMON_KINDS,
    {"bool", step_bool, PUT_ONLY(INPUT_BITS), 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"whole", step_whole, PUT_WHOLE, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"double", step_double, PUT_REAL, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"float", step_float, PUT_REAL, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"string", step_string, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"json", step_json, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"binary", step_binary, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"uuid", step_uuid, PUT_FIXED, UUID_SIZE, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"uuid-of-text", step_uuid_of_text, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"decimal", step_decimal, PUT_DECIMAL, 0, PUT_NO_BLOCK, PUT_POWER, false},
    {"decimal-text", step_decimal_text, PUT_DECIMAL, 0, PUT_NO_BLOCK, PUT_POWER, false},
    {"date", step_date, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NO_TABLE, true},
    {"time", step_time, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NUMBER, true},
    {"timestamp", step_timestamp, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NUMBER, true},
    {"timestamp-utc", step_timestamp_utc, PUT_INTEGER, 0, PUT_NO_BLOCK, PUT_NUMBER, true},
    {"date-of-text", step_date_of_text, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"time-of-text", step_time_of_text, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"timestamp-of-text", step_timestamp_of_text, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"object", step_object, PUT_ONLY(INPUT_STRUCT), 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"end-object", step_end_object, 0, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"array", step_array, PUT_LIST, 0, PUT_BELOW, PUT_NO_TABLE, false},
    {"map", step_map, PUT_LIST, 0, PUT_BELOW, PUT_NO_TABLE, false},
    {"map-key", step_map_key, PUT_BYTES, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {"end", step_end, 0, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
    {NULL, NULL, 0, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},
};

const payload_format json_payload_format = {"json", json_put_kinds, put_run, NULL};

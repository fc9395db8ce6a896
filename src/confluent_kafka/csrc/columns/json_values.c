#include "columns/json_float.h"
#include "columns/json_nodes.h"
#include "columns/rfc3339.h"
#include "columns/uuid_text.h"

/*
 * Each reader reads one value that is not null, and puts it into its column.
 */

typedef json_machine machine;
typedef const json_node node;

/* Fails at the place where the value begins. */
static bool
fail_at(machine *self, node *of, const uint8_t *at, const char *reason)
{
    self->text.at = at;
    return json_fail(self, of, reason);
}

#define PUT(self, of, value) \
    json_put(self, column_put_fixed(json_column(self, of), &(value), sizeof(value)))

static bool
read_nothing(machine *self, node *of)
{
    return json_fail(self, of, "not null");
}

static bool
read_bool(machine *self, node *of)
{
    bool value = json_take_word(&self->text, "true", 4);
    if (!value && !json_take_word(&self->text, "false", 5)) {
        return json_fail(self, of, "neither true nor false");
    }
    return json_put(self, column_put_bool(json_column(self, of), value));
}

/* ---- numbers ---- */

static inline bool
is_number(const machine *self)
{
    return *self->text.at == '-' || (uint8_t)(*self->text.at - '0') <= 9;
}

static bool
read_number(machine *self, node *of, json_number *number)
{
    if (!is_number(self)) {
        return json_fail(self, of, "not a number");
    }
    const char *problem = json_read_number(&self->text, number);
    return problem == NULL || json_fail(self, of, problem);
}

static const char not_whole[] = "a number with a fraction, or out of the range of its column";

/* Reads a whole number between limits; the lower limit is given as a magnitude. */
static bool
read_whole(machine *self, node *of, uint64_t below, uint64_t most, int64_t *value)
{
    const uint8_t *start = self->text.at;
    json_number number = {.is_negative = false};
    uint64_t magnitude;
    if (!json_take_short(&self->text, &magnitude)) {
        if (!read_number(self, of, &number)) {
            return false;
        }
        if (!json_number_whole(&number, &magnitude)) {
            return fail_at(self, of, start, not_whole);
        }
    }
    if (magnitude > (number.is_negative ? below : most)) {
        return fail_at(self, of, start, not_whole);
    }
    *value = (int64_t)(number.is_negative ? 0 - magnitude : magnitude);
    return true;
}

/* Signed and unsigned columns: the lowest bytes are the same. */
#define WHOLE_READER(name, type, below, most)                                            \
    static bool name(machine *self, node *of)                                            \
    {                                                                                    \
        int64_t wide;                                                                    \
        if (!read_whole(self, of, below, most, &wide)) {                                 \
            return false;                                                                \
        }                                                                                \
        type value = (type)wide;                                                         \
        return PUT(self, of, value);                                                     \
    }

WHOLE_READER(read_int8, int8_t, 128, INT8_MAX)
WHOLE_READER(read_int16, int16_t, 32768, INT16_MAX)
WHOLE_READER(read_int32, int32_t, 2147483648u, INT32_MAX)
WHOLE_READER(read_int64, int64_t, 9223372036854775808u, INT64_MAX)
WHOLE_READER(read_uint8, uint8_t, 0, UINT8_MAX)
WHOLE_READER(read_uint16, uint16_t, 0, UINT16_MAX)
WHOLE_READER(read_uint32, uint32_t, 0, UINT32_MAX)
WHOLE_READER(read_uint64, uint64_t, 0, UINT64_MAX)

static const char too_large[] = "a number too large for its column";

static bool
read_float(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    json_number number;
    float value;
    if (!read_number(self, of, &number)) {
        return false;
    }
    return json_number_float(&number, &value) ? PUT(self, of, value)
                                              : fail_at(self, of, start, too_large);
}

static bool
read_double(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    json_number number;
    double value;
    if (!read_number(self, of, &number)) {
        return false;
    }
    return json_number_double(&number, &value) ? PUT(self, of, value)
                                               : fail_at(self, of, start, too_large);
}

/* ---- strings ---- */

static bool
read_utf8(machine *self, node *of)
{
    json_string string;
    if (!json_read_characters(self, of, &string)) {
        return false;
    }
    return json_put(self, column_put_bytes(json_column(self, of), string.data,
                                           (int64_t)string.size));
}

/* Reads the text of a value that has one of several types. */
static bool
read_json(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    const char *problem = json_skip_value(&self->text);
    if (problem != NULL) {
        return json_fail(self, of, problem);
    }
    if (!(json_type_of(*start) & of->argument)) {
        return fail_at(self, of, start, "a value of a type that the schema does not have");
    }
    return json_put(self,
                    column_put_bytes(json_column(self, of), start, self->text.at - start));
}

static bool
read_symbol(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    json_string text;
    if (!json_read_characters(self, of, &text)) {
        return false;
    }
    int32_t symbol = json_names_find(&of->names, text.data, text.size);
    return symbol >= 0 ? PUT(self, of, symbol)
                       : fail_at(self, of, start, "a string that the enum does not have");
}

static bool
read_uuid(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    json_string text;
    uint8_t value[UUID_SIZE];
    if (!json_read_characters(self, of, &text)) {
        return false;
    }
    return uuid_text_read(text.data, text.size, value)
               ? PUT(self, of, value)
               : fail_at(self, of, start, "text that is not a UUID");
}

/* ---- base64 (RFC 4648, section 4) ---- */

static int32_t
sextet(uint8_t letter)
{
    if (letter >= 'A' && letter <= 'Z') {
        return letter - 'A';
    }
    if (letter >= 'a' && letter <= 'z') {
        return letter - 'a' + 26;
    }
    if (letter >= '0' && letter <= '9') {
        return letter - '0' + 52;
    }
    return letter == '+' ? 62 : letter == '/' ? 63 : -1;
}

/* The number of bytes that a text encodes, or -1 if it is not base64. */
static int64_t
base64_size(const json_string *text)
{
    if (text->size % 4 != 0) {
        return -1;
    }
    size_t letters = text->size;
    for (int i = 0; i < 2 && letters > 0 && text->data[letters - 1] == '='; i++) {
        letters--;
    }
    for (size_t i = 0; i < letters; i++) {
        if (sextet(text->data[i]) < 0) {
            return -1;
        }
    }
    return (int64_t)(letters / 4 * 3 + letters % 4 * 3 / 4);
}

/* `to` may overlap the text. */
static void
base64_decode(const json_string *text, uint8_t *to, int64_t size)
{
    uint32_t bits = 0;
    int count = 0;
    for (const uint8_t *at = text->data; size > 0; at++) {
        bits = bits << 6 | (uint32_t)sextet(*at);
        count += 6;
        if (count >= 8) {
            count -= 8;
            *to++ = (uint8_t)(bits >> count);
            size--;
        }
    }
}

/* Decodes the bytes of a string into the scratch memory. */
static bool
read_base64(machine *self, node *of, int64_t *size)
{
    const uint8_t *start = self->text.at;
    json_string text;
    if (!json_read_characters(self, of, &text)) {
        return false;
    }
    *size = base64_size(&text);
    if (*size < 0) {
        return fail_at(self, of, start, "text that is not base64");
    }
    if (!json_need_scratch(self, (size_t)*size)) {
        return false;
    }
    base64_decode(&text, self->scratch, *size);
    return true;
}

static bool
read_binary(machine *self, node *of)
{
    int64_t size;
    return read_base64(self, of, &size)
           && json_put(self, column_put_bytes(json_column(self, of), self->scratch, size));
}

static bool
read_fixed_binary(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    int64_t size;
    column *to = json_column(self, of);
    if (!read_base64(self, of, &size)) {
        return false;
    }
    if (size != to->width) {
        return fail_at(self, of, start, "a wrong number of bytes for the column");
    }
    return json_put(self, column_put_fixed(to, self->scratch, (size_t)size));
}

/* ---- decimals ---- */

#define MAX_PRECISION 76
#define DECIMAL_LIMBS 8 /* of 32 bits */

static void
multiply_add(uint32_t limbs[DECIMAL_LIMBS], uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < DECIMAL_LIMBS; i++) {
        carry += (uint64_t)limbs[i] * factor;
        limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

/* Writes two's complement, little-endian. */
static void
write_decimal(const uint32_t limbs[DECIMAL_LIMBS], bool is_negative, uint8_t *to, int32_t width)
{
    uint32_t carry = is_negative;
    for (int32_t i = 0; i < width; i++) {
        uint8_t byte = (uint8_t)(limbs[i / 4] >> i % 4 * 8);
        carry += is_negative ? (uint8_t)~byte : byte;
        to[i] = (uint8_t)carry;
        carry >>= 8;
    }
}

static const char *
make_decimal(const json_number *number, node *of, uint8_t *to, int32_t width)
{
    uint8_t digits[MAX_PRECISION];
    json_digits found = json_number_digits(number, digits, sizeof(digits));
    int64_t zeros = found.count > 0 ? found.power + of->scale : 0;
    if (zeros < 0) {
        return "a number of more digits after the point than its column has";
    }
    if (found.is_cut || zeros > of->argument - (int64_t)found.count) {
        return too_large;
    }
    uint32_t limbs[DECIMAL_LIMBS] = {0};
    for (size_t i = 0; i < found.count; i++) {
        multiply_add(limbs, 10, digits[i]);
    }
    while (zeros-- > 0) {
        multiply_add(limbs, 10, 0);
    }
    write_decimal(limbs, number->is_negative, to, width);
    return NULL;
}

/* Reads a number, or a string that contains one. */
static bool
read_decimal(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    json_number number;
    if (is_number(self)) {
        if (!read_number(self, of, &number)) {
            return false;
        }
    }
    else {
        json_string string;
        if (!json_read_characters(self, of, &string)) {
            return false;
        }
        json_text inner = {string.data, string.data + string.size};
        if (json_read_number(&inner, &number) != NULL || inner.at != inner.end) {
            return fail_at(self, of, start, "text that is not a number");
        }
    }
    uint8_t value[DECIMAL_LIMBS * 4];
    column *to = json_column(self, of);
    const char *problem = make_decimal(&number, of, value, to->width);
    if (problem != NULL) {
        return fail_at(self, of, start, problem);
    }
    return json_put(self, column_put_fixed(to, value, (size_t)to->width));
}

/* ---- dates and times ---- */

static bool
is_epoch(const machine *self, node *of)
{
    return (of->flags & JSON_EPOCH) && is_number(self);
}

/* The number of the node's units in a second; the node has 0, 3, 6 or 9 digits. */
static int64_t
units_of(node *of)
{
    static const int64_t units[] = {1, 1000, 1000000, 1000000000};
    return units[of->argument / 3 % 4];
}

static bool
read_date(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    json_string text;
    int32_t days;
    if (is_epoch(self, of)) {
        return read_int32(self, of);
    }
    if (!json_read_characters(self, of, &text)) {
        return false;
    }
    return rfc3339_date(text.data, text.size, &days)
               ? PUT(self, of, days)
               : fail_at(self, of, start, "text that is not an RFC 3339 date");
}

#define DAY 86400

static bool
read_units_of_day(machine *self, node *of, int64_t *units)
{
    const uint8_t *start = self->text.at;
    json_string text;
    utc_offset offset;
    if (is_epoch(self, of)) {
        return read_whole(self, of, 0, (uint64_t)(DAY * units_of(of) - 1), units);
    }
    if (!json_read_characters(self, of, &text)) {
        return false;
    }
    if (!rfc3339_time(text.data, text.size, units, &offset)) {
        return fail_at(self, of, start, "text that is not an RFC 3339 time");
    }
    const int64_t second = 1000000000;
    *units = (*units - offset.seconds * second + DAY * second) % (DAY * second);
    *units /= second / units_of(of);
    return true;
}

static bool
read_time32(machine *self, node *of)
{
    int64_t units;
    if (!read_units_of_day(self, of, &units)) {
        return false;
    }
    int32_t value = (int32_t)units;
    return PUT(self, of, value);
}

static bool
read_time64(machine *self, node *of)
{
    int64_t units;
    return read_units_of_day(self, of, &units) && PUT(self, of, units);
}

/* Checks that an offset is there if the column's type has a zone; NULL, or the reason. */
static const char *
check_offset(node *of, const utc_offset *offset)
{
    if (offset->is_given == ((of->flags & JSON_ZONED) != 0)) {
        return NULL;
    }
    return offset->is_given ? "a time with an offset, for a column without a zone"
                            : "a time without an offset, for a column with a zone";
}

/* Converts to the column's units. False: it does not fit into 64 bits. Only nanoseconds do not
 * cover all years from 0 to 9999. */
static bool
since_1970(int64_t seconds, int32_t nanoseconds, int64_t units, int64_t *value)
{
    int64_t fraction = nanoseconds / (1000000000 / units);
    if (seconds < 0 && fraction > 0) { /* use the same sign: the first second may not fit whole */
        seconds++;
        fraction -= units;
    }
    if (seconds > (INT64_MAX - (fraction > 0 ? fraction : 0)) / units
        || seconds < (INT64_MIN - (fraction < 0 ? fraction : 0)) / units) {
        return false;
    }
    *value = seconds * units + fraction;
    return true;
}

static bool
read_timestamp(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    json_string text;
    utc_offset offset;
    int64_t seconds;
    int32_t nanoseconds;
    if (is_epoch(self, of)) {
        return read_int64(self, of);
    }
    if (!json_read_characters(self, of, &text)) {
        return false;
    }
    if (!rfc3339_timestamp(text.data, text.size, &seconds, &nanoseconds, &offset)) {
        return fail_at(self, of, start, "text that is not an RFC 3339 date and time");
    }
    const char *problem = check_offset(of, &offset);
    int64_t value;
    if (problem == NULL && !since_1970(seconds, nanoseconds, units_of(of), &value)) {
        problem = "a time that nanoseconds cannot count from 1970";
    }
    return problem == NULL ? PUT(self, of, value) : fail_at(self, of, start, problem);
}

const json_node_kind json_value_kinds[] = {
    {"null", read_nothing, COLUMN_NULLS, 0},
    {"bool", read_bool, COLUMN_BITS, 0},
    {"int8", read_int8, COLUMN_FIXED, 1},
    {"int16", read_int16, COLUMN_FIXED, 2},
    {"int32", read_int32, COLUMN_FIXED, 4},
    {"int64", read_int64, COLUMN_FIXED, 8},
    {"uint8", read_uint8, COLUMN_FIXED, 1},
    {"uint16", read_uint16, COLUMN_FIXED, 2},
    {"uint32", read_uint32, COLUMN_FIXED, 4},
    {"uint64", read_uint64, COLUMN_FIXED, 8},
    {"float32", read_float, COLUMN_FIXED, 4},
    {"float64", read_double, COLUMN_FIXED, 8},
    {"string", read_utf8, COLUMN_BYTES, 0},
    {"json", read_json, COLUMN_BYTES, 0},
    {"symbol", read_symbol, COLUMN_FIXED, 4},
    {"uuid", read_uuid, COLUMN_FIXED, UUID_SIZE},
    {"binary", read_binary, COLUMN_BYTES, 0},
    {"fixed-binary", read_fixed_binary, COLUMN_FIXED, 0},
    {"decimal", read_decimal, COLUMN_FIXED, 0},
    {"date", read_date, COLUMN_FIXED, 4},
    {"time32", read_time32, COLUMN_FIXED, 4},
    {"time64", read_time64, COLUMN_FIXED, 8},
    {"timestamp", read_timestamp, COLUMN_FIXED, 8},
    {NULL, NULL, COLUMN_NULLS, 0},
};

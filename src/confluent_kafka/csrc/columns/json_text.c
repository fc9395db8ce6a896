#include "columns/json_text.h"

#include "columns/utf8.h"
#include "columns/words.h"

const char json_ends_early[] = "the payload ends within a value";
static const char bad_escape[] = "an escape that JSON does not have";
static const char lone_surrogate[] = "an escaped surrogate without its other half";
static const char not_a_value[] = "text that is not a JSON value";

/* ---- strings ---- */

/* Finds the first byte that is '"', '\\' or a control character: the lowest high bit that is set.
 * Higher bits may be wrong. */
static inline uint64_t
find_stops(uint64_t word)
{
    uint64_t quotes = word ^ (WORD_ONES * '"'), slashes = word ^ (WORD_ONES * '\\');
    return (((quotes - WORD_ONES) & ~quotes) | ((slashes - WORD_ONES) & ~slashes)
            | ((word - WORD_ONES * ' ') & ~word))
           & WORD_HIGHS;
}

/* Moves to the next byte that find_stops() finds, or to the end; collects the bytes before it. */
static inline void
go_to_stop(json_text *self, uint64_t *bits)
{
    while (self->end - self->at >= 8) {
        uint64_t word = word_load(self->at), stops = find_stops(word);
        if (stops != 0) {
            int place = word_first_byte(stops);
            *bits |= word & ((1ull << place * 8) - 1);
            self->at += place;
            return;
        }
        *bits |= word;
        self->at += 8;
    }
    while (self->at < self->end && *self->at >= ' ' && *self->at != '"' && *self->at != '\\') {
        *bits |= *self->at++;
    }
}

/* The value of four hexadecimal digits, or -1. */
static int32_t
read_unit(const uint8_t *at)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        uint8_t digit = at[i], letter = digit | 0x20;
        if (digit >= '0' && digit <= '9') {
            unit = unit << 4 | (digit - '0');
        }
        else if (letter >= 'a' && letter <= 'f') {
            unit = unit << 4 | (letter - 'a' + 10);
        }
        else {
            return -1;
        }
    }
    return unit;
}

static bool
is_high(int32_t unit)
{
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool
is_low(int32_t unit)
{
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* Checks the escape at a backslash and moves after it. */
static const char *
check_escape(json_text *self)
{
    int64_t left = self->end - self->at;
    if (left < 2) {
        return json_ends_early;
    }
    if (self->at[1] != 'u') {
        if (self->at[1] == '\0' || strchr("\"\\/bfnrt", self->at[1]) == NULL) {
            return bad_escape;
        }
        self->at += 2;
        return NULL;
    }
    int32_t unit = left < 6 ? -1 : read_unit(self->at + 2);
    if (unit < 0) {
        return bad_escape;
    }
    if (is_low(unit)) {
        return lone_surrogate;
    }
    if (is_high(unit)) {
        if (left < 12 || self->at[6] != '\\' || self->at[7] != 'u'
            || !is_low(read_unit(self->at + 8))) {
            return lone_surrogate;
        }
        self->at += 6;
    }
    self->at += 6;
    return NULL;
}

const char *
json_read_string(json_text *self, json_string *string)
{
    uint64_t bits = 0;
    string->data = self->at;
    string->has_escapes = false;
    for (;;) {
        go_to_stop(self, &bits);
        if (self->at == self->end) {
            return json_ends_early;
        }
        if (*self->at == '"') {
            break;
        }
        if (*self->at != '\\') {
            return "a control character within a string";
        }
        string->has_escapes = true;
        const char *problem = check_escape(self);
        if (problem != NULL) {
            return problem;
        }
    }
    string->size = (size_t)(self->at - string->data);
    if ((bits & WORD_HIGHS) != 0 && !utf8_is_valid(string->data, string->size)) {
        self->at = string->data;
        return "a string that is not UTF-8";
    }
    self->at++;
    return NULL;
}

static uint8_t *
write_character(uint8_t *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (uint8_t)code;
        return to;
    }
    if (code < 0x800) {
        *to++ = (uint8_t)(0xc0 | code >> 6);
    }
    else {
        if (code < 0x10000) {
            *to++ = (uint8_t)(0xe0 | code >> 12);
        }
        else {
            *to++ = (uint8_t)(0xf0 | code >> 18);
            *to++ = (uint8_t)(0x80 | (code >> 12 & 0x3f));
        }
        *to++ = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    }
    *to++ = (uint8_t)(0x80 | (code & 0x3f));
    return to;
}

static uint8_t
escaped_letter(uint8_t letter)
{
    switch (letter) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return letter;
    }
}

size_t
json_unescape(const json_string *string, uint8_t *to)
{
    const uint8_t *at = string->data, *end = at + string->size, *start = to;
    for (;;) {
        const uint8_t *escape = memchr(at, '\\', (size_t)(end - at));
        size_t plain = (size_t)((escape == NULL ? end : escape) - at);
        memcpy(to, at, plain);
        to += plain;
        if (escape == NULL) {
            return (size_t)(to - start);
        }
        at = escape + 2;
        if (escape[1] != 'u') {
            *to++ = escaped_letter(escape[1]);
            continue;
        }
        uint32_t code = (uint32_t)read_unit(at);
        at += 4;
        if (is_high((int32_t)code)) {
            code = 0x10000 + ((code - 0xd800) << 10) + ((uint32_t)read_unit(at + 2) - 0xdc00);
            at += 6;
        }
        to = write_character(to, code);
    }
}

/* ---- numbers ---- */

/* The number of digits that always fit into 64 bits. */
#define SAFE_DIGITS 19

static inline bool
is_digit(const json_text *self)
{
    return self->at < self->end && (uint8_t)(*self->at - '0') <= 9;
}

/* Whether all eight bytes are digits. */
static inline bool
are_digits(uint64_t word)
{
    const uint64_t halves = WORD_ONES * 0xf0, threes = WORD_ONES * 0x30;
    /* '0' to '?', to which 6 can be added without leaving that range. */
    return (word & halves) == threes && ((word + WORD_ONES * 6) & halves) == threes;
}

/* Joins digits to pairs, these to fours, and these to eights; the first byte is the highest. */
static inline uint64_t
number_of_digits(uint64_t word)
{
    word = (word & WORD_ONES * 0x0f) * ((10 << 8) + 1) >> 8;
    word = (word & 0x00ff00ff00ff00ffu) * ((100 << 16) + 1) >> 16;
    return (word & 0x0000ffff0000ffffu) * ((10000ull << 32) + 1) >> 32;
}

/* Adds digits to the mantissa, assuming that all fit; returns how many. */
static inline int64_t
add_digits(json_text *self, json_number *number)
{
    const uint8_t *start = self->at;
    uint64_t mantissa = number->mantissa;
    for (; self->end - self->at >= 8; self->at += 8) {
        uint64_t word = word_load(self->at);
        if (!are_digits(word)) {
            break;
        }
        mantissa = mantissa * 100000000 + number_of_digits(word);
    }
    for (; is_digit(self); self->at++) {
        mantissa = mantissa * 10 + (uint64_t)(*self->at - '0');
    }
    number->mantissa = mantissa;
    return self->at - start;
}

/* Computes the mantissa and the exponent from many digits. */
static void
take_what_fits(json_number *number)
{
    bool is_full = false, is_fraction = false;
    number->mantissa = 0;
    number->exponent = 0;
    for (const uint8_t *at = number->digits; at < number->end; at++) {
        if (*at == '.') {
            is_fraction = true;
            continue;
        }
        uint64_t digit = (uint64_t)(*at - '0');
        is_full = is_full || number->mantissa > (UINT64_MAX - digit) / 10;
        if (is_full) {
            number->is_cut = number->is_cut || digit != 0;
            number->exponent += !is_fraction;
        }
        else {
            number->mantissa = number->mantissa * 10 + digit;
            number->exponent -= is_fraction;
        }
    }
}

static const char *
read_exponent(json_text *self, int64_t *exponent)
{
    self->at++;
    bool is_negative = json_take(self, '-');
    if (!is_negative) {
        json_take(self, '+');
    }
    if (!is_digit(self)) {
        return self->at == self->end ? json_ends_early : "a number without its exponent";
    }
    int64_t value = 0;
    for (; is_digit(self); self->at++) {
        /* A larger exponent makes no difference, however large a payload is. */
        value = value < 1000000000000 ? value * 10 + (*self->at - '0') : value;
    }
    *exponent = is_negative ? -value : value;
    return NULL;
}

const char *
json_read_number(json_text *self, json_number *number)
{
    *number = (json_number){.is_negative = json_take(self, '-')};
    number->digits = self->at;
    if (!is_digit(self)) {
        return self->at == self->end       ? json_ends_early
               : number->is_negative       ? "a minus sign without a number"
                                           : not_a_value;
    }
    bool starts_with_zero = *self->at == '0';
    int64_t count = add_digits(self, number);
    if (starts_with_zero && count > 1) {
        return "a number that starts with 0";
    }
    if (json_take(self, '.')) {
        int64_t fraction = add_digits(self, number);
        if (fraction == 0) {
            return self->at == self->end ? json_ends_early
                                         : "a point without digits after it";
        }
        number->exponent = -fraction;
        count += fraction;
    }
    number->end = self->at;
    if (count > SAFE_DIGITS) {
        take_what_fits(number);
    }
    if (self->at < self->end && (*self->at | 0x20) == 'e') {
        const char *problem = read_exponent(self, &number->written_exponent);
        number->exponent += number->written_exponent;
        return problem;
    }
    return NULL;
}

json_digits
json_number_digits(const json_number *number, uint8_t *digits, size_t limit)
{
    json_digits result = {0};
    const uint8_t *point = memchr(number->digits, '.', (size_t)(number->end - number->digits));
    const uint8_t *ones = (point == NULL ? number->end : point) - 1;
    size_t zeros = 0;
    for (const uint8_t *at = number->digits; at < number->end; at++) {
        if (*at == '0') {
            zeros += result.count > 0;
        }
        else if (*at != '.') {
            result.is_cut = zeros + 1 > limit - result.count;
            if (result.is_cut) {
                break;
            }
            memset(digits + result.count, 0, zeros);
            result.count += zeros + 1;
            zeros = 0;
            digits[result.count - 1] = (uint8_t)(*at - '0');
            result.power = ones - at + (at > ones) + number->written_exponent;
        }
    }
    return result;
}

bool
json_number_whole(const json_number *number, uint64_t *magnitude)
{
    uint64_t value = number->mantissa;
    if (number->is_cut) {
        return false;
    }
    for (int64_t i = number->exponent; i > 0 && value != 0; i--) {
        if (value > UINT64_MAX / 10) {
            return false;
        }
        value *= 10;
    }
    for (int64_t i = number->exponent; i < 0 && value != 0; i++) {
        if (value % 10 != 0) {
            return false;
        }
        value /= 10;
    }
    *magnitude = value;
    return true;
}

/* ---- skipping values ---- */

static const char *
skip_scalar(json_text *self)
{
    json_string string;
    json_number number;
    switch (*self->at) {
    case '"':
        self->at++;
        return json_read_string(self, &string);
    case 't':
        return json_take_word(self, "true", 4) ? NULL : not_a_value;
    case 'f':
        return json_take_word(self, "false", 5) ? NULL : not_a_value;
    case 'n':
        return json_take_word(self, "null", 4) ? NULL : not_a_value;
    default:
        return json_read_number(self, &number);
    }
}

/* Skips a key and its colon, with the white space around them. */
static const char *
skip_key(json_text *self)
{
    json_string key;
    json_skip_space(self);
    if (!json_take(self, '"')) {
        return self->at == self->end ? json_ends_early : "an object without a key";
    }
    const char *problem = json_read_string(self, &key);
    if (problem != NULL) {
        return problem;
    }
    json_skip_space(self);
    if (!json_take(self, ':')) {
        return self->at == self->end ? json_ends_early : "a key without a colon after it";
    }
    return NULL;
}

/* After a value at nesting depth `depth`: closes the levels that end, and moves to the next value.
 * The bits of `objects` are set for levels that are objects; the lowest bit is the inmost level. */
static const char *
skip_after(json_text *self, uint64_t *objects, int *depth)
{
    while (*depth > 0) {
        bool is_object = *objects & 1;
        json_skip_space(self);
        if (json_take(self, ',')) {
            return is_object ? skip_key(self) : NULL;
        }
        if (!json_take(self, is_object ? '}' : ']')) {
            return self->at == self->end ? json_ends_early
                   : is_object           ? "an object without a comma or an end"
                                         : "an array without a comma or an end";
        }
        *objects >>= 1;
        --*depth;
    }
    return NULL;
}

const char *
json_skip_value(json_text *self)
{
    uint64_t objects = 0;
    int depth = 0;
    do {
        const char *problem = NULL;
        json_skip_space(self);
        if (self->at == self->end) {
            return json_ends_early;
        }
        bool is_object = *self->at == '{';
        if (!is_object && *self->at != '[') {
            problem = skip_scalar(self);
        }
        else {
            if (depth == JSON_SKIP_DEPTH) {
                return "values that are nested more than 64 deep";
            }
            self->at++;
            json_skip_space(self);
            if (!json_take(self, is_object ? '}' : ']')) {
                objects = objects << 1 | is_object;
                depth++;
                problem = is_object ? skip_key(self) : NULL;
                if (problem == NULL) {
                    continue;
                }
            }
        }
        if (problem == NULL) {
            problem = skip_after(self, &objects, &depth);
        }
        if (problem != NULL) {
            return problem;
        }
    } while (depth > 0);
    return NULL;
}

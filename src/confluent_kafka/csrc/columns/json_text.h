/*
 * Parses JSON text (RFC 8259): white space, strings and numbers, and skips values. It is strict,
 * and independent of columns.
 *
 * Functions that can fail return the reason, a constant, and leave `at` at the error; NULL means
 * success.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_JSON_TEXT_H
#define CONFLUENT_KAFKA_COLUMNS_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const uint8_t *at, *end;
} json_text;

/* How deep skipped values may be nested. */
#define JSON_SKIP_DEPTH 64

extern const char json_ends_early[];

/* The place after white space. Code that runs for each field keeps the place in a register: writing
 * it to memory and reading it again would take longer than all other work. */
static inline const uint8_t *
json_after_space(const uint8_t *at, const uint8_t *end)
{
    const uint64_t spaces = 1ull << ' ' | 1ull << '\t' | 1ull << '\n' | 1ull << '\r';
    while (at < end && *at <= ' ' && (spaces >> *at & 1)) {
        at++;
    }
    return at;
}

static inline void
json_skip_space(json_text *self)
{
    self->at = json_after_space(self->at, self->end);
}

/* Takes the next byte if it has this value. */
static inline bool
json_take(json_text *self, uint8_t byte)
{
    if (self->at < self->end && *self->at == byte) {
        self->at++;
        return true;
    }
    return false;
}

/* Takes "true", "false" or "null", which has `size` bytes. */
static inline bool
json_take_word(json_text *self, const char *word, size_t size)
{
    if ((size_t)(self->end - self->at) < size || memcmp(self->at, word, size) != 0) {
        return false;
    }
    self->at += size;
    return true;
}

/* The text between the quotes of a valid string, as it is written. */
typedef struct {
    const uint8_t *data;
    size_t size;
    bool has_escapes;
} json_string;

/* Reads a string whose opening quote has been taken. */
const char *json_read_string(json_text *self, json_string *string);
/* Writes its characters, at most as many bytes as it has; returns how many. */
size_t json_unescape(const json_string *string, uint8_t *to);

/* mantissa * 10^exponent; digits that did not fit add less than 10^exponent. */
typedef struct {
    const uint8_t *digits, *end; /* including the point, up to the "e" */
    uint64_t mantissa;
    int64_t exponent;
    int64_t written_exponent; /* the exponent after the "e" */
    bool is_negative;
    bool is_cut; /* digits other than zero did not fit */
} json_number;

const char *json_read_number(json_text *self, json_number *number);

/* Takes a number of at most 18 digits without sign, point and exponent, as most whole numbers are.
 * False leaves `at` unchanged. */
static inline bool
json_take_short(json_text *self, uint64_t *value)
{
    const uint8_t *at = self->at;
    uint64_t number = 0;
    for (; at < self->end && (uint8_t)(*at - '0') <= 9; at++) {
        number = number * 10 + (uint64_t)(*at - '0');
    }
    int64_t count = at - self->at;
    bool is_whole = at < self->end && *at != '.' && (*at | 0x20) != 'e';
    if (count == 0 || count > 18 || !is_whole || (count > 1 && *self->at == '0')) {
        return false;
    }
    self->at = at;
    *value = number;
    return true;
}

/* The digits of a number without leading and trailing zeros: the number is `digits` * 10^power. */
typedef struct {
    size_t count;
    int64_t power;
    bool is_cut; /* there are more digits than fit */
} json_digits;

json_digits json_number_digits(const json_number *number, uint8_t *digits, size_t limit);
/* The magnitude, if the number is a whole number of 64 bits. */
bool json_number_whole(const json_number *number, uint64_t *magnitude);

/* Skips a value. It is checked like any other. */
const char *json_skip_value(json_text *self);

/* The types of values, as bits; null has no bit of its own. */
enum json_types {
    JSON_IS_BOOLEAN = 1,
    JSON_IS_NUMBER = 2,
    JSON_IS_STRING = 4,
    JSON_IS_ARRAY = 8,
    JSON_IS_OBJECT = 16,
    JSON_IS_ANY = 31,
};

/* The type of a valid value by its first byte; null has any type. */
static inline enum json_types
json_type_of(uint8_t first)
{
    switch (first) {
    case '{':
        return JSON_IS_OBJECT;
    case '[':
        return JSON_IS_ARRAY;
    case '"':
        return JSON_IS_STRING;
    case 't':
    case 'f':
        return JSON_IS_BOOLEAN;
    case 'n':
        return JSON_IS_ANY;
    default:
        return JSON_IS_NUMBER;
    }
}

#endif

/*
 * The text of JSON (RFC 8259): white space, strings, numbers and what is skipped. Strict, and
 * without a thought of columns.
 *
 * Functions that can fail say why, with a constant, and leave `at` where it was found; NULL is
 * success.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_JSON_TEXT_H
#define CONFLUENT_KAFKA_COLUMNS_JSON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const uint8_t *at, *end;
} json_text;

/* How deep values may be nested that are skipped. */
#define JSON_SKIP_DEPTH 64

extern const char json_ends_early[];

static inline void
json_skip_space(json_text *self)
{
    const uint64_t spaces = 1ull << ' ' | 1ull << '\t' | 1ull << '\n' | 1ull << '\r';
    while (self->at < self->end && *self->at <= ' ' && (spaces >> *self->at & 1)) {
        self->at++;
    }
}

/* Takes the next byte if it is this one. */
static inline bool
json_take(json_text *self, uint8_t byte)
{
    if (self->at < self->end && *self->at == byte) {
        self->at++;
        return true;
    }
    return false;
}

/* "true", "false" or "null", of `size` bytes. */
bool json_take_word(json_text *self, const char *word, size_t size);

/* What is between the quotes of a string, as it is written; valid. */
typedef struct {
    const uint8_t *data;
    size_t size;
    bool has_escapes;
} json_string;

/* Reads a string whose opening quote has been taken. */
const char *json_read_string(json_text *self, json_string *string);
/* Writes its characters, no more bytes than it has, and gives their number. */
size_t json_unescape(const json_string *string, uint8_t *to);

/* mantissa * 10^exponent, to which digits that did not fit in add less than 10^exponent. */
typedef struct {
    const uint8_t *digits, *end; /* with the point, up to the "e" */
    uint64_t mantissa;
    int64_t exponent;
    int64_t written_exponent; /* after the "e" */
    bool is_negative;
    bool is_cut; /* digits that are not zero did not fit in */
} json_number;

const char *json_read_number(json_text *self, json_number *number);

/* The digits of a number without zeros before and after them: number of `digits` * 10^power. */
typedef struct {
    size_t count;
    int64_t power;
    bool is_cut; /* there are more than fitted in */
} json_digits;

json_digits json_number_digits(const json_number *number, uint8_t *digits, size_t limit);
/* Its value, if it is a whole number of 64 bits. */
bool json_number_whole(const json_number *number, uint64_t *magnitude);

/* Skips a value, which is checked as any other. */
const char *json_skip_value(json_text *self);

#endif

/*
 * Arrow's decimals: integers of up to 256 bits, whose scale the type knows.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_DECIMAL_H
#define CONFLUENT_KAFKA_COLUMNS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECIMAL_SIZE 32
#define DECIMAL_LIMBS (DECIMAL_SIZE / 4)

typedef struct {
    uint32_t limbs[DECIMAL_LIMBS]; /* of the magnitude, the least significant one first */
    bool is_negative;
} decimal;

/* From `width` bytes of two's complement, little-endian. */
void decimal_load(decimal *self, const uint8_t *data, int32_t width);
/* By 10 to the power of `digits`; false if it gets larger than 256 bits. */
bool decimal_multiply(decimal *self, int32_t digits);
/* The same; false if something is left. */
bool decimal_divide(decimal *self, int32_t digits);
/* Whether the magnitude is less than `limit`, DECIMAL_SIZE bytes, little-endian. */
bool decimal_is_below(const decimal *self, const uint8_t *limit);
/* DECIMAL_SIZE bytes of two's complement, big-endian. */
void decimal_store(const decimal *self, uint8_t *data);
/* How many of those, from the end, have the value and its sign: one or more. */
size_t decimal_significant(const uint8_t *data);
/* Bytes of the digits of any. */
#define DECIMAL_DIGITS 78
/* The digits of the magnitude, which it takes; how many, at least one. */
size_t decimal_digits(decimal *self, uint8_t *to);

#endif

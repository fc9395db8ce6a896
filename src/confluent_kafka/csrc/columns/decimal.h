/*
 * Arrow's decimals: integers of up to 256 bits; the type has the scale.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_DECIMAL_H
#define CONFLUENT_KAFKA_COLUMNS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DECIMAL_SIZE 32
#define DECIMAL_LIMBS (DECIMAL_SIZE / 4)

typedef struct {
    uint32_t limbs[DECIMAL_LIMBS]; /* the magnitude, the least significant limb first */
    bool is_negative;
} decimal;

/* Reads `width` bytes of two's complement, little-endian. */
void decimal_load(decimal *self, const uint8_t *data, int32_t width);
/* Multiplies by 10 to the power of `digits`; false if the result exceeds 256 bits. */
bool decimal_multiply(decimal *self, int32_t digits);
/* Divides by the same; false if there is a remainder. */
bool decimal_divide(decimal *self, int32_t digits);
/* Whether the magnitude is less than `limit`, which has DECIMAL_SIZE bytes, little-endian. */
bool decimal_is_below(const decimal *self, const uint8_t *limit);
/* Writes DECIMAL_SIZE bytes of two's complement, big-endian. */
void decimal_store(const decimal *self, uint8_t *data);
/* How many of these bytes, from the end, are needed for the value and its sign: at least one. */
size_t decimal_significant(const uint8_t *data);
/* The maximum number of digits. */
#define DECIMAL_DIGITS 78
/* Writes the digits of the magnitude, which is destroyed; returns how many, at least one. */
size_t decimal_digits(decimal *self, uint8_t *to);

#endif

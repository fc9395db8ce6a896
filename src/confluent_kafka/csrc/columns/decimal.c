#include "columns/decimal.h"

#include <string.h>

#include "columns/digits.h"

/* Converts two's complement to a magnitude, and back. */
static void
negate(decimal *self)
{
    uint64_t carry = 1;
    for (int i = 0; i < DECIMAL_LIMBS; i++) {
        carry += (uint32_t)~self->limbs[i];
        self->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

void
decimal_load(decimal *self, const uint8_t *data, int32_t width)
{
    self->is_negative = data[width - 1] & 0x80;
    uint8_t fill = self->is_negative ? 0xff : 0;
    for (int i = 0; i < DECIMAL_LIMBS; i++) {
        self->limbs[i] = 0;
        for (int j = 0; j < 4; j++) {
            int place = i * 4 + j;
            uint32_t byte = place < width ? data[place] : fill;
            self->limbs[i] |= byte << (8 * j);
        }
    }
    if (self->is_negative) {
        negate(self);
    }
}

static bool
is_zero(const decimal *self)
{
    uint32_t bits = 0;
    for (int i = 0; i < DECIMAL_LIMBS; i++) {
        bits |= self->limbs[i];
    }
    return bits == 0;
}

/* The digits of one step: the power of ten fits into 32 bits. */
#define STEP 9

static uint32_t
power_of_ten(int32_t digits)
{
    uint32_t power = 1;
    while (digits-- > 0) {
        power *= 10;
    }
    return power;
}

bool
decimal_multiply(decimal *self, int32_t digits)
{
    for (; digits > 0 && !is_zero(self); digits -= STEP) {
        uint64_t factor = power_of_ten(digits < STEP ? digits : STEP), carry = 0;
        for (int i = 0; i < DECIMAL_LIMBS; i++) {
            carry += self->limbs[i] * factor;
            self->limbs[i] = (uint32_t)carry;
            carry >>= 32;
        }
        if (carry != 0) {
            return false;
        }
    }
    return true;
}

/* Divides; returns the remainder. */
static uint32_t
divide(decimal *self, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int i = DECIMAL_LIMBS - 1; i >= 0; i--) {
        rest = rest << 32 | self->limbs[i];
        self->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    return (uint32_t)rest;
}

bool
decimal_divide(decimal *self, int32_t digits)
{
    for (; digits > 0 && !is_zero(self); digits -= STEP) {
        if (divide(self, power_of_ten(digits < STEP ? digits : STEP)) != 0) {
            return false;
        }
    }
    return true;
}

bool
decimal_is_below(const decimal *self, const uint8_t *limit)
{
    for (int i = DECIMAL_SIZE - 1; i >= 0; i--) {
        uint8_t byte = (uint8_t)(self->limbs[i / 4] >> (i % 4 * 8));
        if (byte != limit[i]) {
            return byte < limit[i];
        }
    }
    return false;
}

void
decimal_store(const decimal *self, uint8_t *data)
{
    decimal value = *self;
    if (value.is_negative) {
        negate(&value);
    }
    for (int i = 0; i < DECIMAL_SIZE; i++) {
        data[DECIMAL_SIZE - 1 - i] = (uint8_t)(value.limbs[i / 4] >> (i % 4 * 8));
    }
}

size_t
decimal_significant(const uint8_t *data)
{
    uint8_t sign = data[0] & 0x80 ? 0xff : 0;
    size_t first = 0;
    while (first < DECIMAL_SIZE - 1 && data[first] == sign
           && ((data[first + 1] ^ sign) & 0x80) == 0) {
        first++;
    }
    return DECIMAL_SIZE - first;
}

size_t
decimal_digits(decimal *self, uint8_t *to)
{
    uint8_t digits[DECIMAL_DIGITS + STEP];
    size_t at = sizeof(digits);
    do {
        at -= STEP;
        digits_write_padded(divide(self, power_of_ten(STEP)), STEP, digits + at);
    } while (!is_zero(self));
    while (at < sizeof(digits) - 1 && digits[at] == '0') {
        at++;
    }
    memcpy(to, digits + at, sizeof(digits) - at);
    return sizeof(digits) - at;
}

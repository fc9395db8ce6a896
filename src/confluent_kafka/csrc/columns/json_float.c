#include "columns/json_float.h"

#include <float.h>
#include <string.h>

#include "columns/powers_of_five.h"
#include "columns/words.h"

/*
 * There are three ways, and each is exact for its inputs. (1) If there are few digits and a small
 * power of ten, both are exact doubles, and one operation on them rounds once. (2) Otherwise the
 * number is computed to 128 bits, with an error of less than ERROR_LIMIT units of the last bit. If
 * all numbers within that error round in the same way, the result is certain. (3) The rest, about
 * one in 2^60 unless the number is made for it, is compared with the middle between the two
 * neighbours, in integers of any size.
 */
#define ERROR_LIMIT 16

/* A binary format: its bits including the hidden bit, and the exponents of its lowest bit. */
typedef struct {
    int bits, lowest, highest;
} float_shape;

static const float_shape double_shape = {53, -1074, 971}, single_shape = {24, -149, 104};

/* ---- mantissa * 10^n as 128 bits, truncated ---- */

typedef struct {
    uint64_t high, low;
    int exponent; /* the value is (high * 2^64 + low) * 2^exponent */
} wide_float;

/* With the highest bit set. */
static wide_float
normalized(wide_float value)
{
    if (value.high >> 63 == 0) {
        value.high = value.high << 1 | value.low >> 63;
        value.low <<= 1;
        value.exponent--;
    }
    return value;
}

/* The truncated product with an integer that is not zero; both have their highest bit set. */
static wide_float
multiply(wide_float value, uint64_t factor)
{
    int shift = word_leading_zeros(factor);
    double_word high = word_multiply(value.high, factor << shift);
    double_word low = word_multiply(value.low, factor << shift);
    wide_float product = {high.high, high.low + low.high, value.exponent + 64 - shift};
    product.high += product.low < low.high;
    return normalized(product);
}

/* mantissa * 10^power, too small by at most ERROR_LIMIT. */
static wide_float
approximate(uint64_t mantissa, int power)
{
    int place = (power - LOWEST_POWER) / POWER_STEP;
    int rest = (power - LOWEST_POWER) % POWER_STEP;
    const power_of_five *power_of = &powers_of_five[place];
    wide_float value = {power_of->high, power_of->middle, power_of->exponent + 64};
    value = multiply(multiply(value, small_powers_of_five[rest]), mantissa);
    value.exponent += power;
    return value;
}

/* ---- rounding ---- */

/* mantissa * 2^exponent; `mantissa` is rounded down. */
typedef struct {
    uint64_t mantissa;
    int exponent;
    bool is_up; /* the next larger number is nearer */
    bool is_sure;
} rounding;

/* Rounds to the nearest number; a middle is rounded up, as if more digits followed. */
static uint64_t
round_word(uint64_t high, int dropped)
{
    return ((high >> (dropped - 1)) + 1) >> 1;
}

static rounding
round_wide(wide_float value, const float_shape *shape)
{
    int exponent = value.exponent + 128 - shape->bits;
    if (exponent < shape->lowest) {
        exponent = shape->lowest;
    }
    /* Bits of the high word are dropped; the low word is below the middle anyway. */
    int dropped = exponent - value.exponent - 64;
    if (dropped > 64) {
        /* Less than half of the smallest number, unless it is almost exactly a half. */
        bool is_half = dropped == 65 && value.high == UINT64_MAX
                       && value.low > UINT64_MAX - ERROR_LIMIT;
        return (rounding){0, exponent, false, !is_half};
    }
    uint64_t least = value.high - (value.low == 0), most = value.high;
    if (value.low > UINT64_MAX - ERROR_LIMIT && most < UINT64_MAX) {
        most++;
    }
    uint64_t mantissa = dropped == 64 ? 0 : value.high >> dropped;
    uint64_t rounded = round_word(most, dropped);
    return (rounding){mantissa, exponent, rounded > mantissa,
                      rounded == round_word(least, dropped)};
}

/* ---- integers of any size ---- */

/* More digits than any middle of two doubles has; further digits only mean "a little more". */
#define DIGITS_LIMIT 800
/* Both sides of the comparison are below 2^2800. */
#define LIMBS 96

typedef struct {
    uint32_t limbs[LIMBS]; /* the lowest limb first */
    int count;
} big_integer;

static void
big_push(big_integer *self, uint32_t limb)
{
    if (limb != 0 && self->count < LIMBS) {
        self->limbs[self->count++] = limb;
    }
}

/* self = self * factor + addend */
static void
big_multiply(big_integer *self, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < self->count; i++) {
        carry += (uint64_t)self->limbs[i] * factor;
        self->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    big_push(self, (uint32_t)carry);
}

static void
big_multiply_power_of_5(big_integer *self, int64_t power)
{
    for (; power >= 13; power -= 13) {
        big_multiply(self, 1220703125u, 0);
    }
    for (; power > 0; power--) {
        big_multiply(self, 5, 0);
    }
}

static void
big_shift(big_integer *self, int64_t bits)
{
    for (; bits >= 31; bits -= 31) {
        big_multiply(self, 1u << 31, 0);
    }
    big_multiply(self, 1u << bits, 0);
}

static int
big_compare(const big_integer *a, const big_integer *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->limbs[i] != b->limbs[i]) {
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
        }
    }
    return 0;
}

/* The digits as an integer times 10^*power. Digits that do not fit make it a little larger. */
static void
big_from_number(big_integer *self, const json_number *number, int64_t *power)
{
    uint8_t digits[DIGITS_LIMIT];
    json_digits found = json_number_digits(number, digits, DIGITS_LIMIT);
    self->count = 0;
    for (size_t i = 0; i < found.count;) {
        uint32_t factor = 1, group = 0;
        for (; factor < 1000000000 && i < found.count; i++) {
            factor *= 10;
            group = group * 10 + digits[i];
        }
        big_multiply(self, factor, group);
    }
    *power = found.power;
    if (found.is_cut) {
        big_multiply(self, 10, 1);
        --*power;
    }
}

/* Compares the number with mantissa * 2^exponent. */
static int
compare_exactly(const json_number *number, uint64_t mantissa, int exponent)
{
    big_integer left, right;
    int64_t power;
    big_from_number(&left, number, &power);
    right.count = 0;
    big_multiply(&right, 0, (uint32_t)(mantissa >> 32));
    big_shift(&right, 32);
    big_multiply(&right, 1, (uint32_t)mantissa);
    big_multiply_power_of_5(power >= 0 ? &left : &right, power >= 0 ? power : -power);
    int64_t shift = exponent - power;
    big_shift(shift >= 0 ? &right : &left, shift >= 0 ? shift : -shift);
    return big_compare(&left, &right);
}

/* ---- a number ---- */

static rounding
round_exactly(const json_number *number, rounding near)
{
    int order = compare_exactly(number, near.mantissa * 2 + 1, near.exponent - 1);
    near.is_up = order > 0 || (order == 0 && (near.mantissa & 1));
    return near;
}

static rounding
round_number(const json_number *number, const float_shape *shape)
{
    rounding result = round_wide(approximate(number->mantissa, (int)number->exponent), shape);
    if (number->is_cut && result.is_sure) {
        /* The number is between this mantissa, which has at least 19 digits, and the next. */
        rounding next = {.is_sure = false};
        if (number->mantissa < UINT64_MAX) {
            next = round_wide(approximate(number->mantissa + 1, (int)number->exponent), shape);
        }
        result.is_sure = next.is_sure
                         && next.mantissa + next.is_up == result.mantissa + result.is_up
                         && next.exponent == result.exponent;
    }
    return result.is_sure ? result : round_exactly(number, result);
}

/* The bits of the format without the sign; false if the number is too large. */
static bool
find_bits(const json_number *number, const float_shape *shape, uint64_t *bits)
{
    *bits = 0;
    /* 2^64 * 10^-343 is less than half of the smallest double. */
    if (number->mantissa == 0 || number->exponent < -342) {
        return true;
    }
    if (number->exponent > 308) {
        return false;
    }
    rounding result = round_number(number, shape);
    uint64_t mantissa = result.mantissa + result.is_up;
    if (mantissa >> shape->bits != 0) {
        mantissa >>= 1;
        result.exponent++;
    }
    if (result.exponent > shape->highest) {
        return false;
    }
    uint64_t hidden = (uint64_t)1 << (shape->bits - 1);
    *bits = mantissa;
    if (mantissa >= hidden) {
        uint64_t biased = (uint64_t)(result.exponent - shape->lowest + 1);
        *bits = biased << (shape->bits - 1) | (mantissa - hidden);
    }
    return true;
}

#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0
/* One operation on two exact doubles. */
static bool
is_simple(const json_number *number, double *value)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (number->mantissa >> 53 != 0 || number->exponent < -22 || number->exponent > 22) {
        return false;
    }
    double mantissa = (double)number->mantissa;
    *value = number->exponent < 0 ? mantissa / tens[-number->exponent]
                                  : mantissa * tens[number->exponent];
    *value = number->is_negative ? -*value : *value;
    return true;
}
#else
static bool
is_simple(const json_number *number, double *value)
{
    (void)number, (void)value;
    return false;
}
#endif

bool
json_number_double(const json_number *number, double *value)
{
    uint64_t bits;
    if (is_simple(number, value)) {
        return true;
    }
    if (!find_bits(number, &double_shape, &bits)) {
        return false;
    }
    bits |= (uint64_t)number->is_negative << 63;
    memcpy(value, &bits, sizeof(*value));
    return true;
}

bool
json_number_float(const json_number *number, float *value)
{
    uint64_t bits;
    if (!find_bits(number, &single_shape, &bits)) {
        return false;
    }
    uint32_t small = (uint32_t)bits | (uint32_t)number->is_negative << 31;
    memcpy(value, &small, sizeof(*value));
    return true;
}

#include "columns/shortest_float.h"

#include <stdbool.h>
#include <string.h>

#include "columns/digits.h"
#include "columns/powers_of_five.h"
#include "columns/words.h"

/*
 * Raffaello Giulietti, "The Schubfach way to render doubles" (2020): the interval of decimal
 * numbers that are read as this number is scaled by a power of ten, so that it contains one or two
 * whole numbers, or a multiple of ten. Products are rounded to odd, which keeps comparisons with
 * even numbers correct.
 */

/* ---- powers of ten ---- */

/* The 128 highest bits of 10^power, rounded up if there are more. */
static double_word
power_of_ten(int power)
{
    int place = (power - LOWEST_POWER) / POWER_STEP, rest = (power - LOWEST_POWER) % POWER_STEP;
    const power_of_five *step = &powers_of_five[place];
    uint64_t factor = small_powers_of_five[rest];
    factor <<= word_leading_zeros(factor);
    double_word high = word_multiply(step->high, factor);
    double_word middle = word_multiply(step->middle, factor);
    double_word low = word_multiply(step->low, factor);
    /* The words from the lowest on, and their carries. */
    uint64_t second = low.high + middle.low, carry = second < low.high;
    uint64_t third = middle.high + high.low, next = third < middle.high;
    third += carry;
    next += third < carry;
    double_word product = {high.high + next, third};
    if (product.high >> 63 == 0) {
        product.high = product.high << 1 | product.low >> 63;
        product.low = product.low << 1 | second >> 63;
        second <<= 1;
    }
    product.low += (second | low.low) != 0;
    product.high += (second | low.low) != 0 && product.low == 0;
    return product;
}

/* `number` * 10^e without the lowest 128 bits; the last bit is set if any of these is set. */
static uint64_t
multiply_to_odd(double_word power, uint64_t number)
{
    double_word low = word_multiply(power.low, number);
    double_word high = word_multiply(power.high, number);
    uint64_t rest = high.low + low.high;
    return (high.high + (rest < low.high)) | (rest > 1);
}

/* Rounded down; correct for all exponents of the formats. */
static int
floor_log2_of_power(int power_of_10)
{
    return (power_of_10 * 1741647) >> 19;
}

/* ---- the fewest digits ---- */

/* digits * 10^exponent */
typedef struct {
    uint64_t digits;
    int exponent;
} short_decimal;

/* The limits of the interval, times four; even limits belong to the interval. */
typedef struct {
    uint64_t lower, middle, upper;
} interval;

/* Tries one digit less: the candidate within the interval, if there is exactly one. */
static bool
take_one(const interval *of, uint64_t below, uint64_t step, uint64_t *digits)
{
    bool has_below = of->lower <= below * 4, has_above = (below + step) * 4 <= of->upper;
    *digits = below + (has_above ? step : 0);
    return has_below != has_above;
}

static short_decimal
choose(const interval *of, int exponent)
{
    uint64_t digits, whole = of->middle / 4;
    if (whole >= 10 && take_one(of, whole / 10 * 10, 10, &digits)) {
        return (short_decimal){digits / 10, exponent + 1};
    }
    if (take_one(of, whole, 1, &digits)) {
        return (short_decimal){digits, exponent};
    }
    uint64_t between = whole * 4 + 2;
    bool is_up = of->middle > between || (of->middle == between && (whole & 1));
    return (short_decimal){whole + is_up, exponent};
}

/* mantissa * 2^exponent, not zero. The lower neighbour of a power of two is twice as near. */
static short_decimal
shortest(uint64_t mantissa, int exponent, bool is_power)
{
    if (exponent <= 0 && exponent > -53 && (mantissa & (((uint64_t)1 << -exponent) - 1)) == 0) {
        return (short_decimal){mantissa >> -exponent, 0};
    }
    /* The largest power of ten that is less than the length of the interval. */
    int power = (exponent * 1262611 - (is_power ? 524031 : 0)) >> 22;
    int shift = exponent + floor_log2_of_power(-power) + 1;
    double_word scale = power_of_ten(-power);
    uint64_t is_odd = mantissa & 1, four = mantissa * 4;
    interval of = {
        multiply_to_odd(scale, (four - 2 + is_power) << shift) + is_odd,
        multiply_to_odd(scale, four << shift),
        multiply_to_odd(scale, (four + 2) << shift) - is_odd,
    };
    return choose(&of, power);
}

/* ---- text ---- */

/* From this power of ten on, and below the next one, numbers are written with an exponent. */
#define LARGEST_POINT 16
#define SMALLEST_POINT (-4)

static size_t
write_exponent(int exponent, uint8_t *to)
{
    uint8_t *start = to;
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    int magnitude = exponent < 0 ? -exponent : exponent;
    int count = magnitude < 100 ? 2 : 3;
    digits_write_padded((uint64_t)magnitude, count, to);
    return (size_t)(to - start) + (size_t)count;
}

/* Writes "d.ddde+dd". */
static size_t
write_scientific(const uint8_t *digits, int count, int exponent, uint8_t *to)
{
    uint8_t *start = to;
    *to++ = digits[0];
    if (count > 1) {
        *to++ = '.';
        memcpy(to, digits + 1, (size_t)count - 1);
        to += count - 1;
    }
    return (size_t)(to - start) + write_exponent(exponent, to);
}

/* Writes with a point after `before` digits, and at least one digit on each side. */
static size_t
write_with_point(const uint8_t *digits, int count, int before, uint8_t *to)
{
    uint8_t *start = to;
    int whole = before < 0 ? 0 : before < count ? before : count;
    memcpy(to, digits, (size_t)whole);
    to += whole;
    for (int zeros = whole; zeros < before || zeros == 0; zeros++) {
        *to++ = '0';
    }
    *to++ = '.';
    for (int zeros = before; zeros < 0; zeros++) {
        *to++ = '0';
    }
    memcpy(to, digits + whole, (size_t)(count - whole));
    to += count - whole;
    if (whole == count) {
        *to++ = '0';
    }
    return (size_t)(to - start);
}

static size_t
write_decimal(short_decimal number, uint8_t *to)
{
    uint8_t digits[DIGITS_LIMIT_64];
    int count = (int)digits_write(number.digits, digits);
    int highest = number.exponent + count - 1;
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    return highest < SMALLEST_POINT || highest >= LARGEST_POINT
               ? write_scientific(digits, count, highest, to)
               : write_with_point(digits, count, highest + 1, to);
}

/* Splits the format's bits without the sign; `size` of them are the fraction. */
static size_t
write_bits(uint64_t bits, int size, int lowest, uint8_t *to)
{
    uint64_t hidden = (uint64_t)1 << size, fraction = bits & (hidden - 1);
    int biased = (int)(bits >> size);
    if (bits == 0) {
        memcpy(to, "0.0", 3);
        return 3;
    }
    return write_decimal(biased == 0 ? shortest(fraction, lowest, false)
                                     : shortest(fraction | hidden, lowest + biased - 1,
                                                fraction == 0 && biased > 1),
                         to);
}

size_t
double_write(double value, uint8_t *to)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    size_t sign = bits >> 63;
    *to = '-';
    return sign + write_bits(bits & (UINT64_MAX >> 1), 52, -1074, to + sign);
}

size_t
float_write(float value, uint8_t *to)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    size_t sign = bits >> 31;
    *to = '-';
    return sign + write_bits(bits & (UINT32_MAX >> 1), 23, -149, to + sign);
}

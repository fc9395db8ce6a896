/*
 * Writes whole numbers as decimal text.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_DIGITS_H
#define CONFLUENT_KAFKA_COLUMNS_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The maximum number of digits of 64 bits. */
#define DIGITS_LIMIT_64 20

/* Writes exactly `count` digits, with leading zeros; higher digits are left out. */
static inline void
digits_write_padded(uint64_t value, int count, uint8_t *to)
{
    while (count > 0) {
        to[--count] = (uint8_t)('0' + value % 10);
        value /= 10;
    }
}

/* Writes all digits; returns how many. */
static inline size_t
digits_write(uint64_t value, uint8_t *to)
{
    static const char pairs[] = "0001020304050607080910111213141516171819"
                                "2021222324252627282930313233343536373839"
                                "4041424344454647484950515253545556575859"
                                "6061626364656667686970717273747576777879"
                                "8081828384858687888990919293949596979899";
    uint8_t digits[DIGITS_LIMIT_64];
    size_t at = sizeof(digits);
    for (; value >= 100; value /= 100) {
        at -= 2;
        memcpy(digits + at, pairs + value % 100 * 2, 2);
    }
    if (value >= 10) {
        at -= 2;
        memcpy(digits + at, pairs + value * 2, 2);
    }
    else {
        digits[--at] = (uint8_t)('0' + value);
    }
    memcpy(to, digits + at, sizeof(digits) - at);
    return sizeof(digits) - at;
}

#endif

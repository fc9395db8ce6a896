/*
 * Powers of five with many bits, for decimal numbers: a power of ten is a shifted power of five.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_POWERS_OF_FIVE_H
#define CONFLUENT_KAFKA_COLUMNS_POWERS_OF_FIVE_H

#include <stdint.h>

/* (high * 2^128 + middle * 2^64 + low) * 2^exponent, truncated; the highest bit is set. */
typedef struct {
    uint64_t high, middle, low;
    int exponent;
} power_of_five;

#define POWER_STEP 27
#define LOWEST_POWER (-13 * POWER_STEP)

/* 5^-351 to 5^324 in steps of 5^27. */
extern const power_of_five powers_of_five[];
/* 5^0 to 5^26, exact. */
extern const uint64_t small_powers_of_five[POWER_STEP];

#endif

/*
 * 64-bit words: loading eight bytes at once, and products of 128 bits.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_WORDS_H
#define CONFLUENT_KAFKA_COLUMNS_WORDS_H

#include <stdint.h>

#define WORD_ONES 0x0101010101010101u
#define WORD_HIGHS 0x8080808080808080u

/* Loads eight bytes; the first byte is the lowest. One load on little-endian processors. */
static inline uint64_t
word_load(const uint8_t *data)
{
    return (uint64_t)data[0] | (uint64_t)data[1] << 8 | (uint64_t)data[2] << 16
           | (uint64_t)data[3] << 24 | (uint64_t)data[4] << 32 | (uint64_t)data[5] << 40
           | (uint64_t)data[6] << 48 | (uint64_t)data[7] << 56;
}

/* The index of the first byte that is not zero; there must be one. */
static inline int
word_first_byte(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word) >> 3;
#else
    int place = 0;
    for (; (word & 0xff) == 0; word >>= 8) {
        place++;
    }
    return place;
#endif
}

/* The number of zeros before the highest bit; `word` is not zero. */
static inline int
word_leading_zeros(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_clzll(word);
#else
    int zeros = 0;
    for (; word >> 63 == 0; word <<= 1) {
        zeros++;
    }
    return zeros;
#endif
}

typedef struct {
    uint64_t high, low;
} double_word;

static inline double_word
word_multiply(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ unsigned __int128 product = (unsigned __int128)a * b;
    return (double_word){(uint64_t)(product >> 64), (uint64_t)product};
#else
    uint64_t a_low = (uint32_t)a, a_high = a >> 32, b_low = (uint32_t)b, b_high = b >> 32;
    uint64_t low = a_low * b_low, one = a_high * b_low, other = a_low * b_high;
    uint64_t middle = (low >> 32) + (uint32_t)one + (uint32_t)other;
    return (double_word){a_high * b_high + (one >> 32) + (other >> 32) + (middle >> 32),
                         middle << 32 | (uint32_t)low};
#endif
}

#endif

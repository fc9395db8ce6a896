/* Reads and writes numbers of several bytes at any address. */
#ifndef CONFLUENT_KAFKA_CODEC_BYTES_H
#define CONFLUENT_KAFKA_CODEC_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint32_t
little16(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}

static inline uint32_t
little32(const uint8_t *at)
{
    return little16(at) | little16(at + 2) << 16;
}

static inline void
put_little16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void
put_little32(uint8_t *at, uint32_t value)
{
    put_little16(at, value);
    put_little16(at + 2, value >> 16);
}

/* Whether four bytes are equal. */
static inline int
same4(const uint8_t *a, const uint8_t *b)
{
    return memcmp(a, b, 4) == 0;
}

/*
 * Copies `size` bytes from `distance` bytes before `to`. The two ranges may overlap; the bytes
 * between them are then repeated.
 */
static inline void
copy_back(uint8_t *to, size_t distance, size_t size)
{
    const uint8_t *from = to - distance;
    /* Copied bytes can be the source of the next step, so each step can be twice as long. */
    while (size > distance) {
        memcpy(to, from, distance);
        to += distance;
        size -= distance;
        distance *= 2;
    }
    memcpy(to, from, size);
}

#endif

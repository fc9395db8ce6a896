#include "codec/xxh32.h"

#include "codec/bytes.h"

#define PRIME_1 0x9e3779b1u
#define PRIME_2 0x85ebca77u
#define PRIME_3 0xc2b2ae3du
#define PRIME_4 0x27d4eb2fu
#define PRIME_5 0x165667b1u

static uint32_t
rotated(uint32_t value, int bits)
{
    return value << bits | value >> (32 - bits);
}

static uint32_t
lane(uint32_t sum, uint32_t value)
{
    return rotated(sum + value * PRIME_2, 13) * PRIME_1;
}

/* Hashes all whole stripes of 16 bytes. */
static uint32_t
stripes(const uint8_t **data, size_t *size)
{
    uint32_t sums[4] = {PRIME_1 + PRIME_2, PRIME_2, 0, 0u - PRIME_1};
    for (; *size >= 16; *data += 16, *size -= 16) {
        for (int i = 0; i < 4; i++) {
            sums[i] = lane(sums[i], little32(*data + 4 * i));
        }
    }
    return rotated(sums[0], 1) + rotated(sums[1], 7) + rotated(sums[2], 12)
           + rotated(sums[3], 18);
}

uint32_t
xxh32(const uint8_t *data, size_t size)
{
    uint32_t total = (uint32_t)size;
    uint32_t sum = (size >= 16 ? stripes(&data, &size) : PRIME_5) + total;
    for (; size >= 4; data += 4, size -= 4) {
        sum = rotated(sum + little32(data) * PRIME_3, 17) * PRIME_4;
    }
    for (; size > 0; data++, size--) {
        sum = rotated(sum + *data * PRIME_5, 11) * PRIME_1;
    }
    sum = (sum ^ sum >> 15) * PRIME_2;
    sum = (sum ^ sum >> 13) * PRIME_3;
    return sum ^ sum >> 16;
}

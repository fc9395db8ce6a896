/*
 * A block consists of the size of the original data, as a varint, and elements. The two low bits of
 * an element's first byte show whether it is a literal, or a copy of earlier bytes, whose distance
 * has 11, 16 or 32 bits.
 */
#include "codec/snappy.h"

#include <stdbool.h>

#include "codec/bytes.h"

enum element {
    LITERAL,
    COPY_11,
    COPY_16,
    COPY_32,
};

/* Three bytes can represent at most a copy of 64 bytes. */
#define HIGHEST_RATIO 22

/* ---- decompressing ---- */

typedef struct {
    const uint8_t *at, *end;
} input;

static size_t
left(const input *in)
{
    return (size_t)(in->end - in->at);
}

/* Reads a little-endian number of `width` bytes; false if there are fewer. */
static bool
read_little(input *in, unsigned width, uint32_t *value)
{
    if (left(in) < width) {
        return false;
    }
    *value = 0;
    for (unsigned i = 0; i < width; i++) {
        *value |= (uint32_t)*in->at++ << 8 * i;
    }
    return true;
}

static bool
read_size(input *in, uint32_t *size)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        if (in->at == in->end) {
            return false;
        }
        uint8_t byte = *in->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *size = (uint32_t)value;
            return value <= UINT32_MAX;
        }
    }
    return false;
}

/* Writes to the reserved room of `out`, because the size of the block is known. */
static bool
read_literal(input *in, uint8_t tag, output *out)
{
    uint32_t size = tag >> 2;
    if (size >= 60 && !read_little(in, size - 59, &size)) {
        return false;
    }
    /* The literal has size + 1 bytes. The sum may overflow, so `size` itself is compared. */
    if (size >= left(in) || size >= out->capacity - out->size) {
        return false;
    }
    memcpy(out->data + out->size, in->at, (size_t)size + 1);
    in->at += (size_t)size + 1;
    out->size += (size_t)size + 1;
    return true;
}

static bool
read_copy(input *in, uint8_t tag, output *out, size_t start)
{
    uint32_t size = (tag >> 2) + 1u, distance;
    switch (tag & 3) {
    case COPY_11:
        size = (tag >> 2 & 7) + 4u;
        if (!read_little(in, 1, &distance)) {
            return false;
        }
        distance |= (uint32_t)(tag >> 5) << 8;
        break;
    case COPY_16:
        if (!read_little(in, 2, &distance)) {
            return false;
        }
        break;
    default:
        if (!read_little(in, 4, &distance)) {
            return false;
        }
    }
    if (distance == 0 || distance > out->size - start || size > out->capacity - out->size) {
        return false;
    }
    copy_back(out->data + out->size, distance, size);
    out->size += size;
    return true;
}

enum codec_status
snappy_decompress(const uint8_t *data, size_t size, int option, output *out)
{
    (void)option;
    input in = {data, data + size};
    uint32_t claimed;
    if (!read_size(&in, &claimed) || claimed / HIGHEST_RATIO > size) {
        return CODEC_CORRUPT;
    }
    enum codec_status status = output_reserve(out, claimed);
    if (status != CODEC_OK) {
        return status;
    }
    size_t start = out->size;
    while (in.at < in.end) {
        uint8_t tag = *in.at++;
        bool right = (tag & 3) == LITERAL ? read_literal(&in, tag, out)
                                          : read_copy(&in, tag, out, start);
        if (!right) {
            return CODEC_CORRUPT;
        }
    }
    return out->size - start == claimed ? CODEC_OK : CODEC_CORRUPT;
}

/* ---- compressing ---- */

/* No copy reaches farther back than 16 bits. */
#define FRAGMENT 65536
#define HASH_BITS 13

static uint32_t
hash(const uint8_t *at)
{
    return little32(at) * 0x1e35a7bdu >> (32 - HASH_BITS);
}

static uint8_t *
put_literal(uint8_t *to, const uint8_t *from, size_t size)
{
    if (size == 0) {
        return to;
    }
    size_t code = size - 1;
    if (code < 60) {
        *to++ = (uint8_t)(code << 2 | LITERAL);
    }
    else if (code < 256) {
        *to++ = 60 << 2 | LITERAL;
        *to++ = (uint8_t)code;
    }
    else { /* the literal is within a fragment, so two bytes hold its size */
        *to++ = 61 << 2 | LITERAL;
        put_little16(to, (uint32_t)code);
        to += 2;
    }
    memcpy(to, from, size);
    return to + size;
}

/* Uses the fewest bytes: two for a short copy from nearby, otherwise three. */
static uint8_t *
put_copy(uint8_t *to, size_t distance, size_t size)
{
    while (size > 0) {
        size_t part = size > 64 ? 64 : size;
        if (distance < 2048 && part >= 4 && part <= 11) {
            *to++ = (uint8_t)(distance >> 8 << 5 | (part - 4) << 2 | COPY_11);
            *to++ = (uint8_t)distance;
        }
        else {
            *to++ = (uint8_t)((part - 1) << 2 | COPY_16);
            put_little16(to, (uint32_t)distance);
            to += 2;
        }
        size -= part;
    }
    return to;
}

/* Greedy: at each place, tries the last place whose four bytes have the same hash. */
static uint8_t *
compress_fragment(const uint8_t *from, size_t size, uint8_t *to)
{
    uint16_t places[1 << HASH_BITS] = {0};
    size_t at = 1, literal = 0, misses = 0;
    while (at + 4 <= size) {
        uint32_t slot = hash(from + at);
        size_t before = places[slot];
        places[slot] = (uint16_t)at;
        if (!same4(from + before, from + at)) {
            /* Data that does not compress is skipped faster and faster. */
            at += 1 + (misses++ >> 5);
            continue;
        }
        size_t length = 4;
        while (at + length < size && from[before + length] == from[at + length]) {
            length++;
        }
        to = put_literal(to, from + literal, at - literal);
        to = put_copy(to, at - before, length);
        literal = at += length;
        misses = 0;
    }
    return put_literal(to, from + literal, size - literal);
}

static uint8_t *
put_size(uint8_t *to, size_t size)
{
    for (; size > 0x7f; size >>= 7) {
        *to++ = (uint8_t)(size | 0x80);
    }
    *to++ = (uint8_t)size;
    return to;
}

enum codec_status
snappy_compress(const uint8_t *data, size_t size, int option, output *out)
{
    (void)option;
    if (size > UINT32_MAX) {
        return CODEC_TOO_LARGE;
    }
    /* A copy is never longer than the bytes that it represents. A literal takes three more bytes,
     * and a copy of at least four bytes follows it. */
    enum codec_status status = output_reserve(out, 32 + size + size / 4);
    if (status != CODEC_OK) {
        return status;
    }
    uint8_t *to = put_size(out->data + out->size, size);
    while (size > 0) {
        size_t part = size > FRAGMENT ? FRAGMENT : size;
        to = compress_fragment(data, part, to);
        data += part;
        size -= part;
    }
    out->size = (size_t)(to - out->data);
    return CODEC_OK;
}

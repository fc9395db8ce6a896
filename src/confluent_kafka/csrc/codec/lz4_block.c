/*
 * A block is a list of sequences. A sequence has a byte with two sizes of four bits, literal bytes,
 * and a copy of at least four earlier bytes, with its distance in 16 bits. A size of 15 continues
 * in bytes that are added to it, up to one that is not 255. The last sequence is only a literal.
 */
#include "codec/lz4_block.h"

#include "codec/bytes.h"

#define SHORTEST_COPY 4
/* The last bytes must be literals, and no copy may begin shortly before them. */
#define LAST_LITERALS 5
#define LAST_COPY 12

/* ---- decompressing ---- */

typedef struct {
    const uint8_t *at, *end;
} input;

/* Reads the rest of a size that was 15; CODEC_CORRUPT if the input ends. */
static enum codec_status
read_size(input *in, size_t *size)
{
    uint8_t byte;
    do {
        if (in->at == in->end) {
            return CODEC_CORRUPT;
        }
        byte = *in->at++;
        *size += byte;
    } while (byte == 255);
    return CODEC_OK;
}

static enum codec_status
read_literal(input *in, size_t size, size_t end, output *out)
{
    if (size == 15 && read_size(in, &size) != CODEC_OK) {
        return CODEC_CORRUPT;
    }
    if (size > (size_t)(in->end - in->at) || size > end - out->size) {
        return CODEC_CORRUPT;
    }
    enum codec_status status = output_put(out, in->at, size);
    in->at += size;
    return status;
}

static enum codec_status
read_copy(input *in, size_t size, size_t window, size_t end, output *out)
{
    if (in->end - in->at < 2) {
        return CODEC_CORRUPT;
    }
    size_t distance = little16(in->at);
    in->at += 2;
    if (size == 15 && read_size(in, &size) != CODEC_OK) {
        return CODEC_CORRUPT;
    }
    size += SHORTEST_COPY;
    if (distance == 0 || distance > out->size - window || size > end - out->size) {
        return CODEC_CORRUPT;
    }
    enum codec_status status = output_reserve(out, size);
    if (status == CODEC_OK) {
        copy_back(out->data + out->size, distance, size);
        out->size += size;
    }
    return status;
}

enum codec_status
lz4_block_decompress(const uint8_t *data, size_t size, size_t window, size_t most, output *out)
{
    input in = {data, data + size};
    size_t end = out->size + most;
    while (in.at < in.end) {
        uint8_t token = *in.at++;
        enum codec_status status = read_literal(&in, token >> 4, end, out);
        if (status != CODEC_OK || in.at == in.end) {
            return status;
        }
        status = read_copy(&in, token & 15, window, end, out);
        if (status != CODEC_OK) {
            return status;
        }
    }
    return CODEC_CORRUPT; /* the last sequence is missing */
}

/* ---- compressing ---- */

#define HASH_BITS 13

static uint32_t
hash(const uint8_t *at)
{
    return little32(at) * 0x9e3779b1u >> (32 - HASH_BITS);
}

static uint8_t *
put_size(uint8_t *to, size_t size)
{
    for (; size >= 255; size -= 255) {
        *to++ = 255;
    }
    *to++ = (uint8_t)size;
    return to;
}

/* Writes a sequence up to its copy, which has `copied` bytes; 0 for the last sequence. */
static uint8_t *
put_literal(uint8_t *to, const uint8_t *from, size_t size, size_t copied)
{
    size_t literal = size < 15 ? size : 15;
    size_t copy = copied == 0 ? 0 : copied - SHORTEST_COPY;
    *to++ = (uint8_t)(literal << 4 | (copy < 15 ? copy : 15));
    if (size >= 15) {
        to = put_size(to, size - 15);
    }
    memcpy(to, from, size);
    return to + size;
}

static uint8_t *
put_copy(uint8_t *to, size_t distance, size_t size)
{
    put_little16(to, (uint32_t)distance);
    to += 2;
    return size >= 15 + SHORTEST_COPY ? put_size(to, size - 15 - SHORTEST_COPY) : to;
}

size_t
lz4_block_compress(const uint8_t *data, size_t size, uint8_t *to)
{
    uint16_t places[1 << HASH_BITS] = {0};
    uint8_t *start = to;
    size_t at = 1, literal = 0, misses = 0;
    while (at + LAST_COPY <= size) {
        uint32_t slot = hash(data + at);
        size_t before = places[slot];
        places[slot] = (uint16_t)at;
        if (!same4(data + before, data + at)) {
            /* Data that does not compress is skipped faster and faster. */
            at += 1 + (misses++ >> 5);
            continue;
        }
        size_t length = SHORTEST_COPY;
        while (at + length < size - LAST_LITERALS
               && data[before + length] == data[at + length]) {
            length++;
        }
        to = put_literal(to, data + literal, at - literal, length);
        to = put_copy(to, at - before, length);
        literal = at += length;
        misses = 0;
    }
    return (size_t)(put_literal(to, data + literal, size - literal, 0) - start);
}

/*
 * A frame consists of a header with a checksum, blocks with their sizes, and a block of size 0.
 * Compressed data may consist of several frames.
 */
#include "codec/lz4.h"

#include <stdbool.h>

#include "codec/bytes.h"
#include "codec/lz4_block.h"
#include "codec/xxh32.h"

#define MAGIC 0x184d2204u
#define VERSION 0x40

/* Flags of the header's first byte. */
enum {
    DICTIONARY = 0x01,
    RESERVED = 0x02,
    CHECKSUM = 0x04,
    CONTENT_SIZE = 0x08,
    BLOCK_CHECKSUM = 0x10,
    INDEPENDENT = 0x20,
    VERSION_BITS = 0xc0,
};

/* A flag in a block's size. */
#define NOT_COMPRESSED 0x80000000u

/* The checksum of a header, which begins with the magic number. */
static uint8_t
header_checksum(const uint8_t *header, size_t size, bool of_format_0)
{
    size_t skipped = of_format_0 ? 0 : 4;
    return (uint8_t)(xxh32(header + skipped, size - skipped) >> 8);
}

/* ---- decompressing ---- */

typedef struct {
    const uint8_t *at, *end;
    uint8_t flags;
    size_t block_max;
    size_t start; /* where the frame begins in the output */
} frame;

/* The next `size` bytes, or NULL if there are fewer. */
static const uint8_t *
take(frame *in, size_t size)
{
    if ((size_t)(in->end - in->at) < size) {
        return NULL;
    }
    const uint8_t *taken = in->at;
    in->at += size;
    return taken;
}

static bool
read_header(frame *in, bool of_format_0)
{
    const uint8_t *header = take(in, 6);
    if (header == NULL || little32(header) != MAGIC) {
        return false;
    }
    in->flags = header[4];
    uint8_t block_code = header[5] >> 4;
    if ((in->flags & VERSION_BITS) != VERSION || (in->flags & (DICTIONARY | RESERVED))
        || (header[5] & 0x8f) || block_code < 4) {
        return false;
    }
    in->block_max = (size_t)1 << (2 * block_code + 8); /* 64 KiB to 4 MiB */
    if ((in->flags & CONTENT_SIZE) && take(in, 8) == NULL) {
        return false;
    }
    size_t size = (size_t)(in->at - header);
    const uint8_t *checksum = take(in, 1);
    return checksum != NULL
           && (of_format_0 || *checksum == header_checksum(header, size, false));
}

static bool
checksum_is_right(frame *in, const uint8_t *data, size_t size)
{
    const uint8_t *checksum = take(in, 4);
    return checksum != NULL && little32(checksum) == xxh32(data, size);
}

/* Reads a block, after its size. */
static enum codec_status
read_block(frame *in, uint32_t size, output *out)
{
    bool compressed = !(size & NOT_COMPRESSED);
    size &= ~NOT_COMPRESSED;
    const uint8_t *block = size > in->block_max ? NULL : take(in, size);
    if (block == NULL) {
        return CODEC_CORRUPT;
    }
    if ((in->flags & BLOCK_CHECKSUM) && !checksum_is_right(in, block, size)) {
        return CODEC_CORRUPT;
    }
    if (!compressed) {
        return output_put(out, block, size);
    }
    size_t window = in->flags & INDEPENDENT ? out->size : in->start;
    return lz4_block_decompress(block, size, window, in->block_max, out);
}

static enum codec_status
read_frame(frame *in, bool of_format_0, output *out)
{
    if (!read_header(in, of_format_0)) {
        return CODEC_CORRUPT;
    }
    in->start = out->size;
    for (;;) {
        const uint8_t *size = take(in, 4);
        if (size == NULL) {
            return CODEC_CORRUPT;
        }
        if (little32(size) == 0) {
            break;
        }
        enum codec_status status = read_block(in, little32(size), out);
        if (status != CODEC_OK) {
            return status;
        }
    }
    if (!(in->flags & CHECKSUM)) {
        return CODEC_OK;
    }
    size_t size = out->size - in->start;
    /* An empty frame may have no memory for `data` to point to. */
    const uint8_t *data = size == 0 ? in->at : out->data + in->start;
    return checksum_is_right(in, data, size) ? CODEC_OK : CODEC_CORRUPT;
}

enum codec_status
lz4_decompress(const uint8_t *data, size_t size, int option, output *out)
{
    frame in = {.at = data, .end = data + size};
    enum codec_status status;
    do {
        status = read_frame(&in, option, out);
    } while (status == CODEC_OK && in.at < in.end);
    return status;
}

/* ---- compressing ---- */

/* Writes a frame header as Java does: independent blocks of 64 KiB, without checksums. */
static uint8_t *
put_header(uint8_t *to, bool of_format_0)
{
    put_little32(to, MAGIC);
    to[4] = VERSION | INDEPENDENT;
    to[5] = 4 << 4;
    to[6] = header_checksum(to, 6, of_format_0);
    return to + 7;
}

static uint8_t *
put_block(uint8_t *to, const uint8_t *data, size_t size)
{
    size_t compressed = lz4_block_compress(data, size, to + 4);
    if (compressed < size) {
        put_little32(to, (uint32_t)compressed);
        return to + 4 + compressed;
    }
    put_little32(to, (uint32_t)size | NOT_COMPRESSED);
    memcpy(to + 4, data, size);
    return to + 4 + size;
}

enum codec_status
lz4_compress(const uint8_t *data, size_t size, int option, output *out)
{
    size_t blocks = size / LZ4_BLOCK_MAX + 1;
    /* If compression does not help, the block is stored; the compressed form may need more room. */
    size_t most = 7 + size + 4 * blocks + LZ4_BLOCK_BOUND(LZ4_BLOCK_MAX) + 4;
    enum codec_status status = output_reserve(out, most);
    if (status != CODEC_OK) {
        return status;
    }
    uint8_t *to = put_header(out->data + out->size, option);
    while (size > 0) {
        size_t part = size < LZ4_BLOCK_MAX ? size : LZ4_BLOCK_MAX;
        to = put_block(to, data, part);
        data += part;
        size -= part;
    }
    put_little32(to, 0);
    out->size = (size_t)(to + 4 - out->data);
    return CODEC_OK;
}

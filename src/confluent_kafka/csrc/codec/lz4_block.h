/* LZ4 blocks, of which the frames in lz4.c consist. */
#ifndef CONFLUENT_KAFKA_CODEC_LZ4_BLOCK_H
#define CONFLUENT_KAFKA_CODEC_LZ4_BLOCK_H

#include "codec/output.h"

/* The maximum size of `size` bytes after compression. */
#define LZ4_BLOCK_BOUND(size) ((size) + (size) / 255 + 16)

/* The maximum size for lz4_block_compress(), because no copy reaches farther back. */
#define LZ4_BLOCK_MAX 65536

/* Writes at most LZ4_BLOCK_BOUND(size) bytes; returns how many. */
size_t lz4_block_compress(const uint8_t *data, size_t size, uint8_t *to);

/* Appends at most `most` bytes. Copies may refer to `out` from `window` on. */
enum codec_status lz4_block_decompress(const uint8_t *data, size_t size, size_t window,
                                       size_t most, output *out);

#endif

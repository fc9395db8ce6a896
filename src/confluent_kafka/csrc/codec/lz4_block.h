/* LZ4's blocks: what the frames of lz4.c consist of. */
#ifndef CONFLUENT_KAFKA_CODEC_LZ4_BLOCK_H
#define CONFLUENT_KAFKA_CODEC_LZ4_BLOCK_H

#include "codec/output.h"

/* The most bytes that `size` can become. */
#define LZ4_BLOCK_BOUND(size) ((size) + (size) / 255 + 16)

/* The most that lz4_block_compress() takes: no copy reaches farther. */
#define LZ4_BLOCK_MAX 65536

/* Writes LZ4_BLOCK_BOUND(size) bytes at most; returns how many. */
size_t lz4_block_compress(const uint8_t *data, size_t size, uint8_t *to);

/* Appends at most `most` bytes. Copies may begin at `window` in `out`, or later. */
enum codec_status lz4_block_decompress(const uint8_t *data, size_t size, size_t window,
                                       size_t most, output *out);

#endif

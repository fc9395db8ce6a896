#ifndef CONFLUENT_KAFKA_CODEC_ZSTD_H
#define CONFLUENT_KAFKA_CODEC_ZSTD_H

#include "codec/output.h"

/*
 * Zstandard's frames, by libzstd: CODEC_UNAVAILABLE where setup.py did not find it. `option` is
 * the level; what is decompressed has none.
 */
codec_function zstd_compress, zstd_decompress;

#endif

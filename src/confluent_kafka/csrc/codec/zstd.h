#ifndef CONFLUENT_KAFKA_CODEC_ZSTD_H
#define CONFLUENT_KAFKA_CODEC_ZSTD_H

#include "codec/output.h"

/*
 * Zstandard frames, with libzstd: CODEC_UNAVAILABLE if setup.py did not find it. `option` is the
 * compression level; it is unused when decompressing.
 */
codec_function zstd_compress, zstd_decompress;

#endif

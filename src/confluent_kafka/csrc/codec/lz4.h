/* LZ4 frames, as Kafka uses them. */
#ifndef CONFLUENT_KAFKA_CODEC_LZ4_H
#define CONFLUENT_KAFKA_CODEC_LZ4_H

#include "codec/output.h"

/*
 * `option` is 1 for messages of format 0: until Kafka 0.10, clients wrote a wrong header checksum,
 * and this format kept it. Some clients wrote the right one, so decompressing such a frame ignores
 * the checksum.
 */
codec_function lz4_compress, lz4_decompress;

#endif

/* LZ4's frames, as Kafka has them. */
#ifndef CONFLUENT_KAFKA_CODEC_LZ4_H
#define CONFLUENT_KAFKA_CODEC_LZ4_H

#include "codec/output.h"

/*
 * `option` is 1 for messages of format 0: until Kafka 0.10, the checksum of the header was wrong,
 * and so it stays. Reading such a frame, the checksum does not count, as some are right.
 */
codec_function lz4_compress, lz4_decompress;

#endif

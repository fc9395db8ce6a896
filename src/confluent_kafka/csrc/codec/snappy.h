/* Snappy's own format, without framing. */
#ifndef CONFLUENT_KAFKA_CODEC_SNAPPY_H
#define CONFLUENT_KAFKA_CODEC_SNAPPY_H

#include "codec/output.h"

/* `option` is not used. */
codec_function snappy_compress, snappy_decompress;

#endif

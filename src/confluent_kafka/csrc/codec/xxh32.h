#ifndef CONFLUENT_KAFKA_CODEC_XXH32_H
#define CONFLUENT_KAFKA_CODEC_XXH32_H

#include <stddef.h>
#include <stdint.h>

/* The 32-bit xxHash with seed 0, as in LZ4 frames. */
uint32_t xxh32(const uint8_t *data, size_t size);

#endif

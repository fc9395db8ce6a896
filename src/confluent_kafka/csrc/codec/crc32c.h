#ifndef CONFLUENT_KAFKA_CODEC_CRC32C_H
#define CONFLUENT_KAFKA_CODEC_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli), as in record batches. `crc` is the CRC of the bytes before, or 0. */
uint32_t crc32c(uint32_t crc, const uint8_t *data, size_t size);

#endif

/*
 * The output of a codec: memory that grows as it is filled, up to a limit. Nothing here needs the
 * GIL.
 */
#ifndef CONFLUENT_KAFKA_CODEC_OUTPUT_H
#define CONFLUENT_KAFKA_CODEC_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

enum codec_status {
    CODEC_OK,
    CODEC_CORRUPT,   /* the input is not in the codec's format */
    CODEC_TOO_LARGE, /* the output would exceed the limit */
    CODEC_NO_MEMORY,
    CODEC_UNAVAILABLE, /* this build does not have the codec */
};

typedef struct {
    uint8_t *data; /* from malloc(); the creator of the output frees it */
    size_t size, capacity;
    size_t limit; /* the maximum size, in bytes */
} output;

/* Reserves `more` bytes after the current size: CODEC_OK, _TOO_LARGE or _NO_MEMORY. */
enum codec_status output_reserve(output *out, size_t more);

/* Appends `size` bytes. */
enum codec_status output_put(output *out, const void *data, size_t size);

/* Compresses or decompresses all of `in`, and appends to `out`. Each codec defines `option`. */
typedef enum codec_status codec_function(const uint8_t *in, size_t size, int option,
                                         output *out);

#endif

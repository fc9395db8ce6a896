/*
 * What a codec writes: memory that grows as it is filled, up to a limit. Nothing here needs the
 * GIL.
 */
#ifndef CONFLUENT_KAFKA_CODEC_OUTPUT_H
#define CONFLUENT_KAFKA_CODEC_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

enum codec_status {
    CODEC_OK,
    CODEC_CORRUPT,   /* the input is not what the codec writes */
    CODEC_TOO_LARGE, /* there is more than the limit */
    CODEC_NO_MEMORY,
    CODEC_UNAVAILABLE, /* this build has no such codec */
};

typedef struct {
    uint8_t *data; /* of malloc(); whoever made the output frees it */
    size_t size, capacity;
    size_t limit; /* of the size, in bytes */
} output;

/* Room for `more` bytes after the size, which stays: CODEC_OK, _TOO_LARGE or _NO_MEMORY. */
enum codec_status output_reserve(output *out, size_t more);

/* Appends `size` bytes. */
enum codec_status output_put(output *out, const void *data, size_t size);

/* Both ways of a codec: all of `in`, appended to `out`. `option` is the codec's own. */
typedef enum codec_status codec_function(const uint8_t *in, size_t size, int option,
                                         output *out);

#endif

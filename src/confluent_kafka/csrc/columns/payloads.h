/*
 * A column of payloads to decode: binary or string, from any Arrow library.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PAYLOADS_H
#define CONFLUENT_KAFKA_COLUMNS_PAYLOADS_H

#include <string.h>

#include "arrow/column.h"
#include "arrow/source.h"

typedef struct {
    struct ArrowArray array;
    arrow_bytes values; /* checked, so that reading them cannot fail */
    int64_t count;
    bool is_plain; /* the values have 32-bit offsets into one buffer, */
    const uint8_t *end; /* and end here */
} payload_chunk;

typedef struct {
    arrow_source source;
    payload_chunk *chunks;
    size_t chunk_count;
    int64_t count; /* the rows of all chunks */
    int64_t size;  /* the approximate size of all payloads, for reserving memory */
} payloads;

/* One payload of a chunk. */
typedef struct {
    const uint8_t *data; /* NULL: the payload is null */
    size_t size;
    const uint8_t *readable; /* the end of the memory that may be read, including other payloads */
} payload;

/* 0, or -1 with an exception. `self` must be zeroed before, and released after. No copy is made. */
int payloads_read(payloads *self, PyObject *object);
/* Call it with the GIL. It keeps the current exception. */
void payloads_release(payloads *self);

/* payload_at() for any layout. */
payload payload_at_any(const payload_chunk *chunk, int64_t row);

static inline payload
payload_at(const payload_chunk *chunk, int64_t row)
{
    const arrow_column *values = &chunk->values.values;
    if (!chunk->is_plain || values->validity != NULL) {
        return payload_at_any(chunk, row);
    }
    int32_t offsets[2];
    memcpy(offsets, (const int32_t *)values->slots + values->start + row, sizeof(offsets));
    return (payload){values->bytes + offsets[0], (size_t)(offsets[1] - offsets[0]), chunk->end};
}

#endif

/*
 * A column of payloads to decode: binary or string, of any Arrow library.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PAYLOADS_H
#define CONFLUENT_KAFKA_COLUMNS_PAYLOADS_H

#include <string.h>

#include "arrow/column.h"
#include "arrow/source.h"

typedef struct {
    struct ArrowArray array;
    arrow_bytes values; /* checked: reading them cannot fail */
    int64_t count;
    bool is_plain; /* offsets of 32 bits into one buffer, */
    const uint8_t *end; /* and where they end in it */
} payload_chunk;

typedef struct {
    arrow_source source;
    payload_chunk *chunks;
    size_t chunk_count;
    int64_t count; /* rows of all chunks */
    int64_t size;  /* about, of all payloads together: for reserving memory */
} payloads;

/* One of a chunk. */
typedef struct {
    const uint8_t *data; /* NULL: it is a null */
    size_t size;
    const uint8_t *readable; /* the end of what can be read, other payloads' bytes included */
} payload;

/* 0, or -1 with an exception; `self` is zero before, and is released either way. No copy. */
int payloads_read(payloads *self, PyObject *object);
/* With the GIL; keeps an exception that is set. */
void payloads_release(payloads *self);

/* payload_at() of any layout. */
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

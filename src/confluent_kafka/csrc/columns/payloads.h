/*
 * A column of payloads to decode: binary or string, of any Arrow library.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PAYLOADS_H
#define CONFLUENT_KAFKA_COLUMNS_PAYLOADS_H

#include "arrow/column.h"
#include "arrow/source.h"

typedef struct {
    struct ArrowArray array;
    arrow_bytes values; /* checked: reading them cannot fail */
    int64_t count;
} payload_chunk;

typedef struct {
    arrow_source source;
    payload_chunk *chunks;
    size_t chunk_count;
    int64_t count; /* rows of all chunks */
    int64_t size;  /* about, of all payloads together: for reserving memory */
} payloads;

/* 0, or -1 with an exception; `self` is zero before, and is released either way. No copy. */
int payloads_read(payloads *self, PyObject *object);
/* With the GIL; keeps an exception that is set. */
void payloads_release(payloads *self);

#endif

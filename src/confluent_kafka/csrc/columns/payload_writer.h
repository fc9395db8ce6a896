/*
 * Writes payloads, one after the other, into one column of bytes. Plain C: nothing here needs the
 * GIL.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PAYLOAD_WRITER_H
#define CONFLUENT_KAFKA_COLUMNS_PAYLOAD_WRITER_H

#include "columns/builder.h"

typedef struct {
    column *to;
    uint8_t *at;        /* where the next byte goes: after `to->size` and the current payload */
    const uint8_t *end; /* the end of the room */
} payload_writer;

payload_writer payload_writer_of(column *to);
/* Makes room for `size` additional bytes. */
enum build_status payload_grow(payload_writer *self, int64_t size);

/* Reserves `size` bytes at `at`. */
static inline enum build_status
payload_reserve(payload_writer *self, int64_t size)
{
    return size <= self->end - self->at ? BUILD_OK : payload_grow(self, size);
}

/* The number of bytes in the current payload so far. */
static inline int64_t
payload_size(const payload_writer *self)
{
    return self->at - (self->to->bytes + self->to->size);
}

/* Ends the current payload. */
static inline enum build_status
payload_end(payload_writer *self)
{
    column *to = self->to;
    if (column_reserve(to) != BUILD_OK) {
        return BUILD_NO_MEMORY;
    }
    to->size += payload_size(self);
    to->offsets[to->length + 1] = (int32_t)to->size;
    column_count_value(to);
    return BUILD_OK;
}

/* Drops the current payload. */
static inline void
payload_discard(payload_writer *self)
{
    self->at = self->to->bytes + self->to->size;
}

#endif

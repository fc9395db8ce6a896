/*
 * Payloads while they are written, one after the other, into one column of bytes. Plain C: nothing
 * here needs the GIL.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PAYLOAD_WRITER_H
#define CONFLUENT_KAFKA_COLUMNS_PAYLOAD_WRITER_H

#include "columns/builder.h"

typedef struct {
    column *to;
    uint8_t *at;        /* where the next byte goes: behind `to->size` bytes and what is written */
    const uint8_t *end; /* of the room */
} payload_writer;

payload_writer payload_writer_of(column *to);
/* Makes room for `size` bytes more than there is. */
enum build_status payload_grow(payload_writer *self, int64_t size);
/* What was written since the last one ended is a payload; payload_discard() forgets it. */
enum build_status payload_end(payload_writer *self);
void payload_discard(payload_writer *self);

/* Room for `size` bytes at `at`. */
static inline enum build_status
payload_reserve(payload_writer *self, int64_t size)
{
    return size <= self->end - self->at ? BUILD_OK : payload_grow(self, size);
}

/* Bytes of the payload that is being written. */
static inline int64_t
payload_size(const payload_writer *self)
{
    return self->at - (self->to->bytes + self->to->size);
}

#endif

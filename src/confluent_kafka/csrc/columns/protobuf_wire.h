/*
 * Protocol Buffers' wire format: tags, numbers and sizes, within the bytes that there are.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_WIRE_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns/words.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_64 = 1,
    WIRE_SIZED = 2,
    WIRE_GROUP = 3,
    WIRE_GROUP_END = 4,
    WIRE_32 = 5,
};

/* How deep groups may be nested: as deep as google.protobuf reads them. */
#define WIRE_GROUP_LIMIT 100

typedef struct {
    const uint8_t *at, *end;
    const char *problem; /* a constant, after a function that gave false */
} wire_input;

typedef struct {
    const uint8_t *data;
    size_t size;
} wire_range;

bool wire_read_long_varint(wire_input *self, uint64_t *value);
bool wire_read_long_number(wire_input *self, uint32_t *value, const char *problem);
/* The tag has been read: goes on to the next one, behind a whole group. */
bool wire_skip(wire_input *self, uint32_t tag);
/* The fields of a message, and goes on behind it: sized, or a group, as the tag says. */
bool wire_read_message(wire_input *self, uint32_t tag, wire_range *fields);

static inline size_t
wire_left(const wire_input *self)
{
    return (size_t)(self->end - self->at);
}

/* Of up to ten bytes; what is beyond 64 bits is cut off, as the specification wants it. */
static inline bool
wire_read_varint(wire_input *self, uint64_t *value)
{
    if (self->at < self->end && *self->at < 0x80) {
        *value = *self->at++;
        return true;
    }
    return wire_read_long_varint(self, value);
}

/* A field's number, which is never 0, and its wire type. */
static inline bool
wire_read_tag(wire_input *self, uint32_t *tag)
{
    if (self->at < self->end && *self->at < 0x80) {
        *tag = *self->at++;
    }
    else if (!wire_read_long_number(self, tag, "a field number of more than 29 bits")) {
        return false;
    }
    if (*tag >> 3 == 0) {
        self->problem = "a field number of 0";
        return false;
    }
    return true;
}

static inline bool
wire_read_bytes(wire_input *self, size_t size, const uint8_t **data)
{
    if (size > wire_left(self)) {
        self->problem = "the payload ends within a value";
        return false;
    }
    *data = self->at;
    self->at += size;
    return true;
}

/* Bytes, and how many of them come before. */
static inline bool
wire_read_sized(wire_input *self, wire_range *range)
{
    uint32_t size;
    if (self->at < self->end && *self->at < 0x80) {
        size = *self->at++;
    }
    else if (!wire_read_long_number(self, &size, "a size of more than 32 bits")) {
        return false;
    }
    range->size = size;
    return wire_read_bytes(self, size, &range->data);
}

static inline bool
wire_read_32(wire_input *self, uint32_t *value)
{
    const uint8_t *data;
    if (!wire_read_bytes(self, sizeof(*value), &data)) {
        return false;
    }
    *value = (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16
             | (uint32_t)data[3] << 24;
    return true;
}

static inline bool
wire_read_64(wire_input *self, uint64_t *value)
{
    const uint8_t *data;
    if (!wire_read_bytes(self, sizeof(*value), &data)) {
        return false;
    }
    *value = word_load(data);
    return true;
}

/* Bytes of the longest varint. */
#define VARINT_SIZE 10

/* Writes a number where there is room for VARINT_SIZE bytes; the place after it. */
static inline uint8_t *
wire_write_varint(uint8_t *to, uint64_t value)
{
    for (; value > 0x7f; value >>= 7) {
        *to++ = (uint8_t)(value | 0x80);
    }
    *to++ = (uint8_t)value;
    return to;
}

#endif

/*
 * Protocol Buffers' wire format: tags, numbers and sizes, within the given bytes.
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

/* How deep groups may be nested; google.protobuf has the same limit. */
#define WIRE_GROUP_LIMIT 100

typedef struct {
    const uint8_t *at, *end;
    const char *problem; /* a constant, set by a function that returns false */
} wire_input;

typedef struct {
    const uint8_t *data;
    size_t size;
} wire_range;

bool wire_read_long_varint(wire_input *self, uint64_t *value);
bool wire_read_long_number(wire_input *self, uint32_t *value, const char *problem);
/* Skips the value of a tag that has been read; a group is skipped as a whole. */
bool wire_skip(wire_input *self, uint32_t tag);
/* Finds the fields of a message and moves after it. The tag shows whether it has a size or is a
 * group. */
bool wire_read_message(wire_input *self, uint32_t tag, wire_range *fields);

static inline size_t
wire_left(const wire_input *self)
{
    return (size_t)(self->end - self->at);
}

/* Reads a number of up to ten bytes; bits beyond 64 are dropped, as the specification requires. */
static inline bool
wire_read_varint(wire_input *self, uint64_t *value)
{
    if (self->at < self->end && *self->at < 0x80) {
        *value = *self->at++;
        return true;
    }
    return wire_read_long_varint(self, value);
}

/* Reads a field's number, which is never 0, and its wire type. */
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

/* Reads bytes after their size. */
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

/* The maximum size of a varint in bytes. */
#define VARINT_SIZE 10

/* Writes a number; there must be room for VARINT_SIZE bytes. Returns the place after it. */
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

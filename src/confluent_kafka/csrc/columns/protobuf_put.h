/*
 * Functions for all steps that write Protocol Buffers: tags, and values after their size.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_PUT_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_PUT_H

#include "columns/protobuf_wire.h"
#include "columns/put_values.h"

/* The argument of a step: the tag (0 for a value without a tag) and flags. */
enum { PROTOBUF_TAG_BITS = 32 };
#define PROTOBUF_SKIP_DEFAULT ((int64_t)1 << PROTOBUF_TAG_BITS)
#define PROTOBUF_CLOSED_ENUM ((int64_t)2 << PROTOBUF_TAG_BITS)

static inline uint32_t
protobuf_tag(const put_instruction *at)
{
    return (uint32_t)at->argument;
}

/* Writes the tag, if there is one, and reserves `size` bytes after it. */
static inline bool
protobuf_put_tag(put_machine *machine, uint32_t tag, int64_t size)
{
    if (!put_reserve(machine, size + VARINT_SIZE)) {
        return false;
    }
    if (tag != 0) {
        machine->to.at = wire_write_varint(machine->to.at, tag);
    }
    return true;
}

/* Writes the tag of a message or of packed values, which follow. Returns a place for _close(), or
 * -1. */
int64_t protobuf_put_open(put_machine *machine, uint32_t tag);
/* Ends it: writes the size before it, or the end tag of a group after it. */
bool protobuf_put_close(put_machine *machine, uint32_t tag, int64_t place);

#endif

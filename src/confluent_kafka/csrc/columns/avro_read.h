/*
 * Reads the parts of a payload that come before values: numbers, sizes, and blocks of arrays and
 * maps. An error sets the failure and the status.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_READ_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_READ_H

#include "columns/avro_instruction.h"

/* Marks the row as bad; returns NULL. */
const avro_instruction *avro_fail(avro_machine *machine, const avro_instruction *at,
                                  const char *reason);
const avro_instruction *avro_ends_early(avro_machine *machine, const avro_instruction *at);

/* Reads a zigzag number of any size. */
bool avro_read_varint(avro_machine *machine, const avro_instruction *at, int64_t *value);
/* Reads a size, and checks that the payload has this number of bytes left. */
bool avro_read_size(avro_machine *machine, const avro_instruction *at, int64_t *size);
/* Reads the number of items in the next block; 0 is the end. `size` is -1 if it is not given. */
bool avro_read_block(avro_machine *machine, const avro_instruction *array, int64_t *count,
                     int64_t *size);
/* Whether the rest of the payload can contain this number of items. */
bool avro_can_have(avro_machine *machine, const avro_instruction *array, int64_t count);

static inline int64_t
avro_left(const avro_machine *machine)
{
    return machine->end - machine->at;
}

static inline bool
avro_read_long(avro_machine *machine, const avro_instruction *at, int64_t *value)
{
    if (machine->at < machine->end && *machine->at < 0x80) {
        uint8_t byte = *machine->at++;
        *value = (int64_t)(byte >> 1) ^ -(int64_t)(byte & 1);
        return true;
    }
    return avro_read_varint(machine, at, value);
}

#endif

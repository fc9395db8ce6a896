/*
 * What is read of a payload before there is a value: numbers, sizes, the blocks of arrays and maps.
 * What is bad sets the failure and the status.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_READ_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_READ_H

#include "columns/avro_instruction.h"

/* The row is bad: NULL. */
const avro_instruction *avro_fail(avro_machine *machine, const avro_instruction *at,
                                  const char *reason);
const avro_instruction *avro_ends_early(avro_machine *machine, const avro_instruction *at);

/* A zigzag number of any size. */
bool avro_read_varint(avro_machine *machine, const avro_instruction *at, int64_t *value);
/* How many of the next bytes belong together: so many are there. */
bool avro_read_size(avro_machine *machine, const avro_instruction *at, int64_t *size);
/* How many items the next block has; 0 is the end. `size` is -1 if it does not say. */
bool avro_read_block(avro_machine *machine, const avro_instruction *array, int64_t *count,
                     int64_t *size);
/* Whether what is left can have so many items. */
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

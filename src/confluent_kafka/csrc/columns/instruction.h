/*
 * The parts that the instructions of every program have: a name, and the data of its step.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_INSTRUCTION_H
#define CONFLUENT_KAFKA_COLUMNS_INSTRUCTION_H

#include "base/module_state.h"

typedef struct {
    const char *name; /* borrowed from the description */
    int32_t column, target;
    int64_t argument;
    int32_t *table;
    int32_t table_size;
    uint8_t *data;
    int64_t data_size;
    char *field; /* the path of the value, for error texts */
} instruction_parts;

/*
 * Reads a tuple (name, column, argument, target, table, data, field). 0, or -1 with an exception.
 * The caller must free() the memory of table, data and field, even on failure.
 */
int instruction_parts_read(instruction_parts *self, PyObject *description);
/* Raises a ValueError; returns -1. */
int instruction_refuse(const char *problem, const char *step);

#endif

/*
 * What the instructions of every program have: a name, and what the step of that name needs.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_INSTRUCTION_H
#define CONFLUENT_KAFKA_COLUMNS_INSTRUCTION_H

#include "base/module_state.h"

typedef struct {
    const char *name; /* of the description */
    int32_t column, target;
    int64_t argument;
    int32_t *table;
    int32_t table_size;
    uint8_t *data;
    int64_t data_size;
    char *field; /* the path of what is read or written, for messages */
} instruction_parts;

/*
 * From a tuple (name, column, argument, target, table, data, field). 0, or -1 with an exception.
 * The memory of table, data and field is the caller's to free(), also on failure.
 */
int instruction_parts_read(instruction_parts *self, PyObject *description);
/* A ValueError; -1. */
int instruction_refuse(const char *problem, const char *step);

#endif

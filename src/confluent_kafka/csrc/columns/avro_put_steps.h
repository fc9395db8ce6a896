/*
 * Programs that write rows of columns in Avro's binary encoding. The columns are matched with the
 * schema by confluent_kafka.columns, which writes the program: an instruction for each value, in
 * the order of the payload.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_PUT_STEPS_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_PUT_STEPS_H

#include "columns/payload_format.h"

typedef struct put_instruction put_instruction;

/* One row while it is written. */
typedef struct {
    const input_columns *from;
    int64_t row; /* in the domain that the instructions are in */
    payload_writer to;
    write_failure *failure;
    enum row_status status; /* of a step that gave NULL */
} put_machine;

/* Does what an instruction says: the one to go on with, or NULL. */
typedef const put_instruction *put_step(put_machine *machine, const put_instruction *instruction);

struct put_instruction {
    put_step *step;
    int32_t column;
    int64_t argument;
    const put_instruction *target; /* one after the block that begins here */
    int32_t *table;
    int32_t table_size;
    uint8_t *data;
    int64_t data_size;
    char *field; /* the path of what is written, for messages */
};

/* What an instruction does with the rows of the block that begins with it. */
enum put_block {
    PUT_NO_BLOCK, /* there is none: the target is not used */
    PUT_SAME,     /* the same rows */
    PUT_BELOW,    /* rows of the column below its own, which is run by a call */
    PUT_CASES,    /* the same rows; in it, for each child of its column in their order, a block */
    PUT_OWN,      /* of rows of its own column */
};

/* What the table of an instruction has. */
enum put_table {
    PUT_NO_TABLE,
    PUT_NUMBER,  /* one number */
    PUT_POWER,   /* the same, of ten; the data is the first magnitude that is too large */
    PUT_SYMBOLS, /* for each symbol, in their order, its place and size in the data, its number */
    PUT_COLUMNS, /* columns */
};

typedef struct {
    const char *name;
    put_step *step;
    int32_t layouts; /* of the column, 1 << enum input_layout each; 0: there is none */
    int32_t width;   /* of its values in bytes; 0: any */
    enum put_block block;
    enum put_table table;
    bool is_scaled; /* the argument multiplies, or divides if it is negative */
} put_step_kind;

extern const put_step_kind put_step_kinds[]; /* the last one has no name */

/* Steps over the instructions up to `end`; false with `machine->status` set. */
static inline bool
put_run(put_machine *machine, const put_instruction *from, const put_instruction *end)
{
    while (from != NULL && from < end) {
        from = from->step(machine, from);
    }
    return from != NULL;
}

#endif

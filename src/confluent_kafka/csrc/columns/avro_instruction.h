/*
 * Programs that read Avro's binary encoding into columns. confluent_kafka.columns resolves the
 * schemas of writer and reader, and writes the program: an instruction for each value, in the order
 * of the payload.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_INSTRUCTION_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_INSTRUCTION_H

#include "columns/row_format.h"

typedef struct avro_instruction avro_instruction;

/* The state while one row is read. */
typedef struct {
    const uint8_t *at, *end; /* the rest of the payload */
    const uint8_t *readable; /* the end of the memory that may be read */
    columns *set;
    row_failure *failure;
    enum row_status status; /* the status of a step that returned NULL */
    int64_t empty_items;    /* the number of items without bytes so far */
    int depth;              /* the nesting of arrays, and of records that are skipped recursively */
} avro_machine;

/* Executes an instruction. Returns the instruction to continue with, or NULL. */
typedef const avro_instruction *avro_step(avro_machine *machine,
                                          const avro_instruction *instruction);

/* Values that avro_run() itself reads in most cases. */
enum avro_shortcut {
    AVRO_NO_SHORTCUT,
    AVRO_INT,
    AVRO_LONG,
    AVRO_FLOAT,
    AVRO_DOUBLE,
    AVRO_BOOLEAN,
    AVRO_STRING,
    AVRO_RECORD,
    AVRO_OPTIONAL,
    AVRO_ARRAY, /* avro_run() reads the items; the step puts the list */
    AVRO_MAP,   /* likewise */
};

struct avro_instruction {
    avro_step *step;
    enum avro_shortcut shortcut;
    int32_t column;
    int64_t argument;
    const avro_instruction *target; /* the end of the block that begins here, or where to go */
    int32_t *table;
    int32_t table_size;
    uint8_t *data;
    int64_t data_size;
    char *field; /* the path of the value, for error texts */
};

/* How a step uses its target. */
enum avro_target {
    AVRO_NO_TARGET,
    AVRO_GOES_ON, /* it may go there */
    AVRO_RUNS,    /* it runs all instructions up to there by a call */
};

/* A kind of instruction: its step, and what the step requires. */
typedef struct {
    const char *name;
    avro_step *step;
    int32_t layout; /* an enum column_layout; or AVRO_NO_COLUMN, AVRO_ANY_COLUMN */
    int32_t width;  /* the width of its COLUMN_FIXED; AVRO_ANY_WIDTH: the argument;
                       AVRO_DECIMAL_WIDTH: the size of the data */
    enum avro_target target;
    enum avro_shortcut shortcut;
} avro_step_kind;

enum { AVRO_NO_COLUMN = -1, AVRO_ANY_COLUMN = -2 };
enum { AVRO_ANY_WIDTH = -1, AVRO_DECIMAL_WIDTH = -2 };

#endif

/*
 * Programs that read Avro's binary encoding into columns. The schemas of writer and reader are
 * resolved by confluent_kafka.columns, which writes the program: an instruction for each value, in
 * the order of the payload.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_INSTRUCTION_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_INSTRUCTION_H

#include "columns/row_format.h"

typedef struct avro_instruction avro_instruction;

/* One row while it is read. */
typedef struct {
    const uint8_t *at, *end; /* of the payload */
    const uint8_t *readable; /* the end of what can be read */
    columns *set;
    row_failure *failure;
    enum row_status status; /* of a step that gave NULL */
    int64_t empty_items;    /* items of no bytes so far */
    int depth;              /* of arrays, and of records that are skipped within themselves */
} avro_machine;

/* Does what an instruction says: the one to go on with, or NULL. */
typedef const avro_instruction *avro_step(avro_machine *machine,
                                          const avro_instruction *instruction);

/* What avro_run() does by itself with most values. */
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
    AVRO_ARRAY, /* avro_run() reads the items, and the step puts what has been read */
    AVRO_MAP,   /* likewise */
};

struct avro_instruction {
    avro_step *step;
    enum avro_shortcut shortcut;
    int32_t column;
    int64_t argument;
    const avro_instruction *target; /* one after the block that begins here, or where to go */
    int32_t *table;
    int32_t table_size;
    uint8_t *data;
    int64_t data_size;
    char *field; /* the path of what is read, for messages */
};

/* What a step does with the target. */
enum avro_target {
    AVRO_NO_TARGET,
    AVRO_GOES_ON, /* there, perhaps */
    AVRO_RUNS,    /* all up to there, by a call */
};

/* What the instructions of one name do, and what they need. */
typedef struct {
    const char *name;
    avro_step *step;
    int32_t layout; /* of the column, an enum column_layout; or AVRO_NO_COLUMN, AVRO_ANY_COLUMN */
    int32_t width;  /* of its COLUMN_FIXED; AVRO_ANY_WIDTH: as the argument, AVRO_DECIMAL_WIDTH: as the data */
    enum avro_target target;
    enum avro_shortcut shortcut;
} avro_step_kind;

enum { AVRO_NO_COLUMN = -1, AVRO_ANY_COLUMN = -2 };
enum { AVRO_ANY_WIDTH = -1, AVRO_DECIMAL_WIDTH = -2 };

#endif

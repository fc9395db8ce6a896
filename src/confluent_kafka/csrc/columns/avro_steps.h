/*
 * Programs that read Avro's binary encoding into columns. The schemas of writer and reader are
 * resolved by confluent_kafka.columns, which writes the program: an instruction for each value, in
 * the order of the payload.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_STEPS_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_STEPS_H

#include "columns/row_format.h"

typedef struct avro_instruction avro_instruction;

/* One row while it is read. */
typedef struct {
    const uint8_t *at, *end;
    columns *set;
    row_failure *failure;
    enum row_status status; /* of a step that gave NULL */
    int64_t empty_items;    /* items of no bytes so far */
} avro_machine;

/* Does what an instruction says: the one to go on with, or NULL. */
typedef const avro_instruction *avro_step(avro_machine *machine,
                                          const avro_instruction *instruction);

struct avro_instruction {
    avro_step *step;
    int32_t column;
    int64_t argument;
    const avro_instruction *target; /* one after the block that begins here, or where to go */
    int32_t *table;
    int32_t table_size;
    uint8_t *data;
    int64_t data_size;
    char *field; /* the path of what is read, for messages */
};

/* What the instructions of one name do, and what they need. */
typedef struct {
    const char *name;
    avro_step *step;
    int32_t layout; /* of the column, an enum column_layout; or AVRO_NO_COLUMN, AVRO_ANY_COLUMN */
    int32_t width;  /* of its COLUMN_FIXED; AVRO_ANY_WIDTH: as the argument, AVRO_DECIMAL_WIDTH: as the data */
    bool is_block;  /* the target is used */
} avro_step_kind;

enum { AVRO_NO_COLUMN = -1, AVRO_ANY_COLUMN = -2 };
enum { AVRO_ANY_WIDTH = -1, AVRO_DECIMAL_WIDTH = -2 };

extern const avro_step_kind avro_step_kinds[]; /* the last one has no name */

/* Steps over the instructions up to `end`; false with `machine->status` set. */
static inline bool
avro_run(avro_machine *machine, const avro_instruction *from, const avro_instruction *end)
{
    while (from != NULL && from < end) {
        from = from->step(machine, from);
    }
    return from != NULL;
}

#endif

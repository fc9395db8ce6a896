/*
 * Programs that write rows of columns as payloads. confluent_kafka.columns matches the columns with
 * the schema, and writes the program: an instruction for each value, in the order of the payload.
 * Each format has its own steps, in addition to the common steps in put_values.h.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PUT_STEPS_H
#define CONFLUENT_KAFKA_COLUMNS_PUT_STEPS_H

#include "columns/input_columns.h"
#include "columns/payload_writer.h"
#include "columns/row_format.h"

typedef struct put_instruction put_instruction;

/* Why a row cannot be written. */
typedef struct {
    const char *reason; /* a constant */
    const char *field;  /* its path; valid as long as the program exists */
} write_failure;

typedef struct put_source put_source;
typedef struct put_machine put_machine;

/* Runs the instructions up to `end`; false with `machine->status` set. */
typedef bool put_runner(put_machine *machine, const put_instruction *from,
                        const put_instruction *end);

/*
 * Writes payloads of whole rows that are not null, from `machine->row` up to `until`, each with the
 * prefix before it. It may stop before any row. A row that it does not finish leaves nothing in the
 * column of payloads.
 */
typedef void put_rows_runner(put_machine *machine, const put_instruction *end, const void *prefix,
                             int64_t prefix_size, int64_t until);

/* The state while one row is written. */
struct put_machine {
    put_runner *run; /* the format's runner */
    const put_instruction *program;
    const put_source *sources; /* one for each instruction of the program */
    const input_columns *from;
    int64_t row; /* in the domain of the current instructions */
    payload_writer to;
    write_failure *failure;
    enum row_status status; /* the status of a step that returned NULL */
    const void *prefix;     /* the prefix of each payload, for a runner of rows */
    int64_t prefix_size;
};

/* Executes an instruction. Returns the instruction to continue with, or NULL. */
typedef const put_instruction *put_step(put_machine *machine, const put_instruction *instruction);

/* Values that a format's runner itself may write in most cases. */
enum put_shortcut {
    PUT_NO_SHORTCUT,
    PUT_SHORT_INT,      /* four bytes */
    PUT_SHORT_LONG,     /* eight bytes */
    PUT_SHORT_FLOAT,
    PUT_SHORT_DOUBLE,
    PUT_SHORT_BOOLEAN,
    PUT_SHORT_STRING,
    PUT_SHORT_RECORD,
    PUT_SHORT_OPTIONAL,
    PUT_SHORT_ARRAY,
};

struct put_instruction {
    put_step *step;
    enum put_shortcut shortcut;
    int32_t column;
    int64_t argument;
    const put_instruction *target; /* the end of the block that begins here */
    int32_t *table;
    int32_t table_size;
    uint8_t *data;
    int64_t data_size;
    char *field; /* the path of the value, for error texts */
};

/* Where an instruction with a shortcut finds its values, so that it need not look at the column. */
struct put_source {
    const put_instruction *what;
    const put_source *target;
    enum put_shortcut shortcut; /* none, if these rows cannot be read in this way */
    uint8_t null, there; /* for PUT_SHORT_OPTIONAL: the branch as it is written */
    const uint8_t *slots; /* from row 0 on; bits start at the buffer's first bit */
    const uint8_t *bytes;
    const uint8_t *validity; /* NULL: no row is null */
    int64_t start; /* the index of row 0's bit */
};

/* For which rows an instruction runs the block that begins with it. */
enum put_block {
    PUT_NO_BLOCK, /* there is no block: the target is unused */
    PUT_SAME,     /* for the same rows */
    PUT_BELOW,    /* for rows of the child column; the block is run by a call */
    PUT_CASES,    /* for the same rows; it has a block for each child of its column, in order */
    PUT_OWN,      /* for rows of its own column */
};

/* The contents of an instruction's table. */
enum put_table {
    PUT_NO_TABLE,
    PUT_NUMBER,  /* one number */
    PUT_POWER,   /* a power of ten; the data begins with the first magnitude that is too large */
    PUT_SYMBOLS, /* for each symbol, in order: its place and size in the data, and its number */
    PUT_COLUMNS, /* columns */
};

typedef struct {
    const char *name;
    put_step *step;
    int32_t layouts; /* the allowed layouts, 1 << enum input_layout each; 0: no column */
    int32_t width;   /* the size of its values in bytes; 0: any */
    enum put_block block;
    enum put_table table;
    bool is_scaled; /* the argument is a factor, or a divisor if it is negative */
    enum put_shortcut shortcut;
} put_step_kind;

#define PUT_ONLY(layout) (1 << (layout))
#define PUT_ANY ((1 << INPUT_LAYOUT_COUNT) - 1 - PUT_ONLY(INPUT_OTHER))
#define PUT_INTEGER PUT_ONLY(INPUT_INTEGER)
#define PUT_REAL PUT_ONLY(INPUT_REAL)
#define PUT_DECIMAL PUT_ONLY(INPUT_DECIMAL)
#define PUT_WHOLE (PUT_INTEGER | PUT_DECIMAL)
#define PUT_FIXED PUT_ONLY(INPUT_FIXED)
#define PUT_BYTES (PUT_ONLY(INPUT_BYTES) | PUT_FIXED)
#define PUT_LIST                                                                               \
    (PUT_ONLY(INPUT_LIST) | PUT_ONLY(INPUT_LIST_VIEW) | PUT_ONLY(INPUT_FIXED_LIST))
#define PUT_UNION (PUT_ONLY(INPUT_SPARSE_UNION) | PUT_ONLY(INPUT_DENSE_UNION))

/* A runner that leaves each value to its step. */
put_runner put_run;

/* ---- for steps; functions that return NULL have set the status ---- */

/* Marks the row as bad; returns NULL. */
const put_instruction *put_fail(put_machine *machine, const put_instruction *at,
                                const char *reason);
const put_instruction *put_fail_null(put_machine *machine, const put_instruction *at);
bool put_stop(put_machine *machine, enum build_status status); /* returns false */

/* Reserves `size` additional bytes. */
static inline bool
put_reserve(put_machine *machine, int64_t size)
{
    enum build_status status = payload_reserve(&machine->to, size);
    return status == BUILD_OK || put_stop(machine, status);
}

static inline const arrow_column *
put_column(const put_machine *machine, const put_instruction *at)
{
    return &machine->from->columns[at->column];
}

/* Writes bytes, for which there must be room. */
static inline void
put_copy(put_machine *machine, const void *data, size_t size)
{
    if (size > 0) {
        memcpy(machine->to.at, data, size);
    }
    machine->to.at += size;
}

static inline const put_instruction *
put_raw(put_machine *machine, const put_instruction *at, const void *data, size_t size)
{
    if (!put_reserve(machine, (int64_t)size)) {
        return NULL;
    }
    put_copy(machine, data, size);
    return at + 1;
}

/* Writes `size` bytes of a number, little-endian. */
static inline const put_instruction *
put_bits(put_machine *machine, const put_instruction *at, uint64_t bits, int size)
{
    if (!put_reserve(machine, (int64_t)sizeof(bits))) {
        return NULL;
    }
    for (int i = 0; i < size; i++) {
        machine->to.at[i] = (uint8_t)(bits >> (8 * i));
    }
    machine->to.at += size;
    return at + 1;
}

#endif

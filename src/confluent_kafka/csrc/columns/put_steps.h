/*
 * Programs that write rows of columns as payloads. The columns are matched with the schema by
 * confluent_kafka.columns, which writes the program: an instruction for each value, in the order of
 * the payload. Each format has steps of its own, and those that all have: put_values.h.
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
    const char *field;  /* its path, as long as the program is there */
} write_failure;

typedef struct put_source put_source;
typedef struct put_machine put_machine;

/* Steps over the instructions up to `end`; false with `machine->status` set. */
typedef bool put_runner(put_machine *machine, const put_instruction *from,
                        const put_instruction *end);

/*
 * Writes payloads of whole rows, none of which is null, from `machine->row` up to `until`, each with
 * the prefix before it. May stop before any of them: a row that is not counted in the column of
 * payloads has left nothing in it.
 */
typedef void put_rows_runner(put_machine *machine, const put_instruction *end, const void *prefix,
                             int64_t prefix_size, int64_t until);

/* One row while it is written. */
struct put_machine {
    put_runner *run; /* the format's */
    const put_instruction *program;
    const put_source *sources; /* for each instruction of the program one */
    const input_columns *from;
    int64_t row; /* in the domain that the instructions are in */
    payload_writer to;
    write_failure *failure;
    enum row_status status; /* of a step that gave NULL */
    const void *prefix;     /* of each payload, for a runner of rows */
    int64_t prefix_size;
};

/* Does what an instruction says: the one to go on with, or NULL. */
typedef const put_instruction *put_step(put_machine *machine, const put_instruction *instruction);

/* What a format's runner may do by itself with most values. */
enum put_shortcut {
    PUT_NO_SHORTCUT,
    PUT_SHORT_INT,      /* of four bytes, */
    PUT_SHORT_LONG,     /* and of eight */
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
    const put_instruction *target; /* one after the block that begins here */
    int32_t *table;
    int32_t table_size;
    uint8_t *data;
    int64_t data_size;
    char *field; /* the path of what is written, for messages */
};

/* Where the values of an instruction with a shortcut are, which its column says in several steps. */
struct put_source {
    const put_instruction *what;
    const put_source *target;
    enum put_shortcut shortcut; /* none, if these rows cannot be read so */
    uint8_t null, there; /* of PUT_SHORT_OPTIONAL: the branch as it is written */
    const uint8_t *slots; /* from row 0 on; of bits, from the first on */
    const uint8_t *bytes;
    const uint8_t *validity; /* NULL: no row is null */
    int64_t start; /* the bit of row 0 */
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
    PUT_POWER,   /* the same, of ten; the data begins with the first magnitude that is too large */
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

/* ---- for steps; what gives NULL has set the status ---- */

/* The row is bad: NULL. */
const put_instruction *put_fail(put_machine *machine, const put_instruction *at,
                                const char *reason);
const put_instruction *put_fail_null(put_machine *machine, const put_instruction *at);
bool put_stop(put_machine *machine, enum build_status status); /* false */

/* Room for `size` bytes more. */
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

/* Bytes that there is room for. */
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

/* `size` bytes of a number, little-endian. */
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

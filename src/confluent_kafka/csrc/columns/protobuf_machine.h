/*
 * Programs that read Protocol Buffers' wire format into columns.
 *
 * Fields come in any order and any number of times. Each has a column of its own, so a value goes
 * there as soon as it is read: a later one takes the place of an earlier one, and a message that
 * comes again goes on where it was. What did not come is put when the row (or the item of a list)
 * is complete.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_MACHINE_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_MACHINE_H

#include "columns/protobuf_wire.h"
#include "columns/row_format.h"

typedef struct protobuf_field protobuf_field;
typedef struct protobuf_message protobuf_message;

/* One row while it is read. */
typedef struct {
    wire_input in;
    columns *set;
    row_failure *failure;
    enum row_status status; /* of a step that gave false */
    bool is_unknown_symbol; /* a closed enum did not take a number */
    bool has_parts;         /* JSON may come in parts: text is made when they are all there */
} protobuf_machine;

/* Reads one value into the slot `row` of the field's values, or of each that it has; a slot there
 * is replaced. False with the machine's status. */
typedef bool protobuf_step(protobuf_machine *machine, const protobuf_field *field, int64_t row);

/* Values of one kind on the wire, and the column that they need. */
typedef struct {
    const char *name;
    protobuf_step *read;
    enum wire_type wire;
    int32_t layout; /* of the column of values, an enum column_layout */
    int32_t width;  /* of its COLUMN_FIXED */
} protobuf_kind;

/* A number of an enum, and what is put for it: `place` itself, or the text there. */
typedef struct {
    int32_t number, place, size;
} protobuf_symbol;

enum protobuf_shape { PROTOBUF_SINGLE, PROTOBUF_LIST, PROTOBUF_MAP };

struct protobuf_field {
    uint32_t tag;
    enum protobuf_shape shape;
    int32_t column;             /* -1: nobody asked for it, but it is a member of a oneof */
    int32_t values;             /* the column of values: below the list, or the same */
    const protobuf_kind *kind;
    protobuf_step *read;        /* of `kind`, or of the message that wraps it */
    const protobuf_message *message; /* that it is, or that a map's entry is */
    int64_t argument;
    int32_t *rivals;            /* columns of the oneof's other members */
    int32_t rival_count;
    protobuf_symbol *symbols;   /* in the order of numbers */
    int32_t symbol_count;
    uint8_t *texts;             /* of symbols */
    int64_t texts_size;
    bool is_optional;           /* null is put if it did not come, else: */
    uint8_t *initial;           /* the default, as the column has it */
    int64_t initial_size;
    char *path;                 /* for what is said of bad rows */
};

struct protobuf_message {
    int32_t column;
    int32_t count;
    protobuf_field *fields; /* in the order of numbers */
    uint16_t *by_number;    /* of small numbers: 1 + the place of the field, 0 if there is none */
    uint32_t table_size;
    char *path;
};

/* ---- for steps ---- */

bool protobuf_fail(protobuf_machine *machine, const char *path, const char *reason);
bool protobuf_stop(protobuf_machine *machine, enum build_status status);

/* What the input said is wrong. */
static inline bool
protobuf_spoilt(protobuf_machine *machine, const protobuf_field *field)
{
    return protobuf_fail(machine, field->path, machine->in.problem);
}

static inline bool
protobuf_put(protobuf_machine *machine, enum build_status status)
{
    return status == BUILD_OK || protobuf_stop(machine, status);
}

/* Takes back members of the field's oneof. */
void protobuf_clear_rivals(protobuf_machine *machine, const protobuf_field *field, int64_t row);

/* The column to put a value into, as slot `row`. */
static inline column *
protobuf_target(protobuf_machine *machine, const protobuf_field *field, int64_t row)
{
    if (field->rival_count > 0) {
        protobuf_clear_rivals(machine, field, row);
    }
    column *to = &machine->set->columns[field->values];
    to->length = row;
    return to;
}

/* The input is the inside of a message until protobuf_leave(); `outside` is where to go on. */
static inline bool
protobuf_enter(protobuf_machine *machine, const protobuf_field *field, wire_input *outside)
{
    wire_range inside;
    if (!wire_read_message(&machine->in, field->tag, &inside)) {
        return protobuf_spoilt(machine, field);
    }
    *outside = machine->in;
    machine->in.at = inside.data;
    machine->in.end = inside.data + inside.size;
    return true;
}

static inline void
protobuf_leave(protobuf_machine *machine, const wire_input *outside)
{
    machine->in = *outside;
}

#endif

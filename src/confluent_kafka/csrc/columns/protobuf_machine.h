/*
 * Programs that read Protocol Buffers' wire format into columns.
 *
 * Fields may come in any order and any number of times. Each field has a column of its own, so that
 * a value is put as soon as it is read: a later value replaces an earlier one, and a message that
 * comes again is merged with the earlier one. Values for missing fields are put when the row (or
 * the item of a list) is complete.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_MACHINE_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_MACHINE_H

#include "columns/protobuf_wire.h"
#include "columns/row_format.h"

typedef struct protobuf_field protobuf_field;
typedef struct protobuf_message protobuf_message;

/* The state while one row is read. */
typedef struct {
    wire_input in;
    columns *set;
    row_failure *failure;
    enum row_status status; /* the status of a step that returned false */
    bool is_unknown_symbol; /* read a number that its closed enum does not have */
    bool has_parts;         /* JSON may come in parts; its text is made when all have been read */
} protobuf_machine;

/* Reads one value into slot `row` of the field's values, or of all its columns, and replaces the
 * slot. False with the machine's status. */
typedef bool protobuf_step(protobuf_machine *machine, const protobuf_field *field, int64_t row);

/* A kind of values on the wire, and the column that it needs. */
typedef struct {
    const char *name;
    protobuf_step *read;
    enum wire_type wire;
    int32_t layout; /* the layout of the values' column, an enum column_layout */
    int32_t width;  /* the width of its COLUMN_FIXED */
} protobuf_kind;

/* A number of an enum, and its symbol: `place` itself, or the text there. */
typedef struct {
    int32_t number, place, size;
} protobuf_symbol;

enum protobuf_shape { PROTOBUF_SINGLE, PROTOBUF_LIST, PROTOBUF_MAP };

struct protobuf_field {
    uint32_t tag;
    enum protobuf_shape shape;
    int32_t column;             /* -1: not read; it only replaces members of its oneof */
    int32_t values;             /* the column of its values: `column`, or below a list or map */
    const protobuf_kind *kind;
    protobuf_step *read;        /* the step of `kind`, or of the message that wraps it */
    const protobuf_message *message; /* the type of the message, or of a map's entry */
    int64_t argument;
    int32_t *rivals;            /* the columns of the oneof's other members */
    int32_t rival_count;
    protobuf_symbol *symbols;   /* ordered by number */
    int32_t symbol_count;
    uint8_t *texts;             /* the texts of symbols */
    int64_t texts_size;
    bool is_optional;           /* a missing field is null; otherwise it has this default: */
    uint8_t *initial;           /* the default in the form of the column */
    int64_t initial_size;
    char *path;                 /* for error texts */
};

struct protobuf_message {
    int32_t column;
    int32_t count;
    protobuf_field *fields; /* ordered by number */
    uint16_t *by_number;    /* for small numbers: 1 + the index of the field, 0 for none */
    uint32_t table_size;
    char *path;
};

/* ---- for steps ---- */

bool protobuf_fail(protobuf_machine *machine, const char *path, const char *reason);
bool protobuf_stop(protobuf_machine *machine, enum build_status status);

/* Fails with the problem of the input. */
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

/* Removes the values of other members of the field's oneof. */
void protobuf_clear_rivals(protobuf_machine *machine, const protobuf_field *field, int64_t row);

/* The column to put a value into, prepared for slot `row`. */
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

/* Makes the input the inside of a message until protobuf_leave(), which returns to `outside`. */
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

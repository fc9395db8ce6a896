#include <stdlib.h>

#include "columns/avro_run.h"
#include "columns/avro_steps.h"
#include "columns/instruction.h"
#include "columns/utf8.h"

typedef struct {
    int32_t count;
    avro_instruction instructions[];
} avro_program;

/* ---- reading the description ---- */

static const avro_step_kind *
find_kind(const char *name)
{
    for (const avro_step_kind *kind = avro_step_kinds; kind->name != NULL; kind++) {
        if (strcmp(kind->name, name) == 0) {
            return kind;
        }
    }
    instruction_refuse("is unknown", name);
    return NULL;
}

/* The kind of step with this name, or NULL with an exception. */
static const avro_step_kind *
read_instruction(PyObject *description, avro_instruction *first, int32_t count,
                 avro_instruction *self)
{
    instruction_parts parts;
    int read = instruction_parts_read(&parts, description);
    *self = (avro_instruction){
        .column = parts.column,
        .argument = parts.argument,
        .target = first,
        .table = parts.table,
        .table_size = parts.table_size,
        .data = parts.data,
        .data_size = parts.data_size,
        .field = parts.field,
    };
    const avro_step_kind *kind = read < 0 ? NULL : find_kind(parts.name);
    if (kind == NULL) {
        return NULL;
    }
    self->step = kind->step;
    self->shortcut = kind->shortcut;
    if (kind->target == AVRO_NO_TARGET) {
        return kind;
    }
    /* A target is a later instruction, so that each row ends. (Only "skip-again" goes back, by its
     * argument, and SKIP_DEPTH limits that.) */
    if (parts.target <= self - first || parts.target > count) {
        instruction_refuse("has a wrong target", kind->name);
        return NULL;
    }
    self->target = first + parts.target;
    return kind;
}

/* ---- checking it: no instruction may use memory outside its own, or make columns that readers
   cannot rely on ---- */

static bool
has_width(const avro_instruction *self, const avro_step_kind *kind, const column_type *type)
{
    switch (kind->width) {
    case AVRO_ANY_WIDTH:
        return type->width == self->argument;
    case AVRO_DECIMAL_WIDTH:
        return type->width >= 1 && type->width <= 32 && type->width == self->data_size
               && self->argument >= 0;
    default:
        return type->width == kind->width;
    }
}

static bool
fits_column(const avro_instruction *self, const avro_step_kind *kind,
            const column_types *types)
{
    if (kind->layout == AVRO_NO_COLUMN) {
        return true;
    }
    if (self->column < 0 || self->column >= types->count) {
        return false;
    }
    const column_type *type = &types->types[self->column];
    if (kind->layout == AVRO_ANY_COLUMN) {
        return type->flags & ARROW_FLAG_NULLABLE;
    }
    bool is_enum = strcmp(kind->name, "enum") == 0;
    bool is_text = strcmp(kind->name, "bytes") != 0;
    return (int32_t)type->layout == kind->layout && is_enum == (type->symbol_offsets != NULL)
           && (is_text || strcmp(type->format, "z") == 0)
           && (type->layout != COLUMN_FIXED || has_width(self, kind, type));
}

/* Checks where the instructions of each branch are. */
static bool
fits_union(const avro_instruction *self, int32_t left)
{
    for (int32_t i = 0; i < self->table_size; i++) {
        if (self->table[i] <= 0 || self->table[i] > left) {
            return false;
        }
    }
    return true;
}

/* Checks the place and the size of each symbol. */
static bool
fits_enum_text(const avro_instruction *self)
{
    for (int32_t i = 0; i + 1 < self->table_size; i += 2) {
        int32_t place = self->table[i], size = self->table[i + 1];
        if (size >= 0
            && (place < 0 || place > self->data_size - size
                || !utf8_is_valid(self->data + place, (size_t)size))) {
            return false;
        }
    }
    return true;
}

static bool
fits_enum(const avro_instruction *self, const column_type *type)
{
    for (int32_t i = 0; i < self->table_size; i++) {
        if (self->table[i] >= type->symbol_count) {
            return false;
        }
    }
    return true;
}

/* Checks that the column fits; `left` instructions remain, including this one. */
static bool
fits_table(const avro_instruction *self, const avro_step_kind *kind, int32_t left,
           const column_types *types)
{
    if (strcmp(kind->name, "union") == 0) {
        return fits_union(self, left);
    }
    if (strcmp(kind->name, "enum-text") == 0) {
        return fits_enum_text(self);
    }
    if (strcmp(kind->name, "enum") == 0) {
        return fits_enum(self, &types->types[self->column]);
    }
    if (strcmp(kind->name, "optional") == 0) {
        return self->argument == 0 || self->argument == 1;
    }
    if (strcmp(kind->name, "branch") == 0) {
        return self->argument >= 0
               && self->argument < types->types[self->column].child_count;
    }
    if (strcmp(kind->name, "long-scaled") == 0) {
        return self->argument != 0 && self->argument != INT64_MIN;
    }
    return strcmp(kind->name, "skip-fixed") != 0 || self->argument >= 0;
}

/* Whether instruction `i` goes back to an earlier "skip-record", to skip the same type again. */
static bool
fits_again(const avro_program *self, int32_t i)
{
    const avro_instruction *at = &self->instructions[i];
    return at->argument > 0 && at->argument <= i
           && at[-at->argument].step == find_kind("skip-record")->step;
}

/* Counts the nesting of instructions that run other instructions by a call. */
typedef struct {
    const avro_instruction *ends[COLUMN_DEPTH_LIMIT];
    int depth;
} nesting;

static int
enter(nesting *self, const avro_instruction *at, const avro_step_kind *kind)
{
    while (self->depth > 0 && self->ends[self->depth - 1] <= at) {
        self->depth--;
    }
    if (kind->target != AVRO_RUNS) {
        return 0;
    }
    if (self->depth == COLUMN_DEPTH_LIMIT) {
        PyErr_Format(PyExc_ValueError, "instructions are nested more than %d deep",
                     COLUMN_DEPTH_LIMIT);
        return -1;
    }
    self->ends[self->depth++] = at->target;
    return 0;
}

static void
avro_release(void *program)
{
    avro_program *self = program;
    for (int32_t i = 0; i < self->count; i++) {
        avro_instruction *at = &self->instructions[i];
        free(at->table);
        free(at->data);
        free(at->field);
    }
    free(self);
}

static int
read_program(PyObject *description, avro_program *self, const column_types *types)
{
    nesting blocks = {.depth = 0};
    for (int32_t i = 0; i < self->count; i++) {
        avro_instruction *at = &self->instructions[i];
        const avro_step_kind *kind = read_instruction(PyTuple_GET_ITEM(description, i),
                                                      self->instructions, self->count, at);
        if (kind == NULL || enter(&blocks, at, kind) < 0) {
            return -1;
        }
        if (!fits_column(at, kind, types)) {
            return instruction_refuse("does not fit its column", kind->name);
        }
        if (!fits_table(at, kind, self->count - i, types)
            || (strcmp(kind->name, "skip-again") == 0 && !fits_again(self, i))) {
            return instruction_refuse("does not fit its table or argument", kind->name);
        }
    }
    return 0;
}

static void *
avro_compile(PyObject *description, const column_types *types)
{
    if (!PyTuple_Check(description) || PyTuple_GET_SIZE(description) > INT32_MAX) {
        PyErr_Format(PyExc_TypeError, "instructions must be a tuple, not %.100s",
                     Py_TYPE(description)->tp_name);
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(description);
    avro_program *self =
        calloc(1, sizeof(avro_program) + (size_t)count * sizeof(avro_instruction));
    if (self == NULL) {
        return PyErr_NoMemory();
    }
    self->count = (int32_t)count;
    if (read_program(description, self, types) < 0) {
        avro_release(self);
        return NULL;
    }
    return self;
}

/* ---- a row ---- */

static enum row_status
avro_decode(const void *program, columns *set, payload from, row_failure *failure)
{
    const avro_program *self = program;
    avro_machine machine = {from.data, from.data + from.size, from.readable, set, failure, ROW_OK,
                            0,         0};
    if (!avro_run(&machine, self->instructions, self->instructions + self->count)) {
        return machine.status;
    }
    if (machine.at < machine.end) {
        *failure = (row_failure){"bytes after the value", "", machine.at};
        return ROW_BAD;
    }
    return ROW_OK;
}

const row_format avro_format = {"avro", avro_compile, avro_release, avro_decode};

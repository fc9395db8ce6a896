#include "columns/put_program.h"

#include <stdlib.h>

#include "columns/decimal.h"
#include "columns/instruction.h"

struct put_program {
    const payload_format *format;
    int32_t count;
    put_instruction instructions[];
};

/* ---- reading the description ---- */

static const put_step_kind *
find_kind(const put_step_kind *kinds, const char *name)
{
    for (const put_step_kind *kind = kinds; kind->name != NULL; kind++) {
        if (strcmp(kind->name, name) == 0) {
            return kind;
        }
    }
    instruction_refuse("is unknown", name);
    return NULL;
}

/* The kind of step with this name, or NULL with an exception. */
static const put_step_kind *
read_instruction(PyObject *description, const put_step_kind *kinds, put_program *program,
                 put_instruction *self)
{
    put_instruction *first = program->instructions;
    instruction_parts parts;
    int read = instruction_parts_read(&parts, description);
    *self = (put_instruction){
        .column = parts.column,
        .argument = parts.argument,
        .target = first,
        .table = parts.table,
        .table_size = parts.table_size,
        .data = parts.data,
        .data_size = parts.data_size,
        .field = parts.field,
    };
    const put_step_kind *kind = read < 0 ? NULL : find_kind(kinds, parts.name);
    if (kind == NULL) {
        return NULL;
    }
    self->step = kind->step;
    if (kind->block == PUT_NO_BLOCK) {
        return kind;
    }
    /* Forward only, so that each row ends. */
    if (parts.target <= self - first || parts.target > program->count) {
        instruction_refuse("has a wrong target", kind->name);
        return NULL;
    }
    self->target = first + parts.target;
    return kind;
}

/* ---- checking it: no instruction may use memory outside its own ---- */

/* Whether the column can be read for rows of this domain. */
static bool
is_column(const input_types *types, int32_t index, int32_t domain)
{
    return index >= 0 && index < types->count && types->types[index].layout != INPUT_OTHER
           && types->types[index].domain == domain;
}

/* The domain of a case is the domain of its column, which check_cases() checks. */
static bool
fits_column(const put_instruction *self, const put_step_kind *kind, const input_types *types,
            int32_t domain)
{
    if (kind->layouts == 0) {
        return true;
    }
    if (kind->block == PUT_OWN && self->column > 0 && self->column < types->count) {
        domain = types->types[self->column].domain;
    }
    if (!is_column(types, self->column, domain)) {
        return false;
    }
    const input_type *type = &types->types[self->column];
    return (kind->layouts >> type->layout & 1) != 0
           && (kind->width == 0 || type->storage.width == kind->width)
           && (!kind->is_scaled || (self->argument != 0 && self->argument > INT64_MIN));
}

static bool
fits_symbols(const put_instruction *self)
{
    for (int32_t i = 0; i + 2 < self->table_size; i += 3) {
        int32_t place = self->table[i], size = self->table[i + 1];
        if (place < 0 || size < 0 || place > self->data_size - size) {
            return false;
        }
    }
    return true;
}

static bool
fits_table(const put_instruction *self, const put_step_kind *kind, const input_types *types,
           int32_t domain)
{
    switch (kind->table) {
    case PUT_NUMBER:
        return self->table_size == 1;
    case PUT_POWER:
        return self->table_size == 1 && self->data_size >= DECIMAL_SIZE && self->argument >= 0
               && self->argument <= INT32_MAX;
    case PUT_SYMBOLS:
        return fits_symbols(self);
    case PUT_COLUMNS:
        for (int32_t i = 0; i < self->table_size; i++) {
            if (!is_column(types, self->table[i], domain)) {
                return false;
            }
        }
        return true;
    default:
        return true;
    }
}

/* The blocks that contain a place in the program. */
typedef struct {
    int depth;
    struct {
        const put_instruction *end;
        int32_t domain; /* the domain of its rows */
        bool is_union;  /* it contains only cases */
    } blocks[INPUT_DEPTH_LIMIT * 4];
} put_nesting;

static int
enter_block(put_nesting *self, const put_instruction *at, const put_step_kind *kind,
            const input_types *types)
{
    if (self->depth == (int)(sizeof(self->blocks) / sizeof(self->blocks[0]))) {
        return instruction_refuse("is nested too deep", kind->name);
    }
    int32_t domain = self->blocks[self->depth - 1].domain;
    if (at->target > self->blocks[self->depth - 1].end) {
        return instruction_refuse("goes beyond its block", kind->name);
    }
    if (kind->block == PUT_BELOW) {
        domain = types->types[at->column + 1].domain;
    }
    else if (kind->block == PUT_OWN) {
        domain = types->types[at->column].domain;
    }
    self->blocks[self->depth].end = at->target;
    self->blocks[self->depth].domain = domain;
    self->blocks[self->depth++].is_union = kind->block == PUT_CASES;
    return 0;
}

/* Checks that a union's block has a case for each child, in order, and nothing else. */
static bool
has_cases(const put_program *program, const put_instruction *at, const put_step_kind *kinds[],
          const input_types *types)
{
    const put_instruction *next = at + 1;
    int32_t end = types->types[at->column].end;
    for (int32_t child = at->column + 1; child < end; child = types->types[child].end) {
        if (next >= at->target || kinds[next - program->instructions]->block != PUT_OWN
            || next->column != child) {
            return false;
        }
        next = next->target;
    }
    return next == at->target;
}

static int
check_program(const put_program *self, const put_step_kind *kinds[], const input_types *types)
{
    put_nesting nesting = {.depth = 1};
    nesting.blocks[0].end = self->instructions + self->count;
    for (int32_t i = 0; i < self->count; i++) {
        const put_instruction *at = &self->instructions[i];
        while (nesting.depth > 1 && nesting.blocks[nesting.depth - 1].end <= at) {
            nesting.depth--;
        }
        int32_t domain = nesting.blocks[nesting.depth - 1].domain;
        bool is_case = kinds[i]->block == PUT_OWN;
        if (!fits_column(at, kinds[i], types, domain)
            || !fits_table(at, kinds[i], types, domain)
            || is_case != nesting.blocks[nesting.depth - 1].is_union
            || (kinds[i]->block == PUT_CASES && !has_cases(self, at, kinds, types))) {
            return instruction_refuse("does not fit its column", kinds[i]->name);
        }
        if (kinds[i]->block != PUT_NO_BLOCK
            && enter_block(&nesting, at, kinds[i], types) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The shortcut for the column, as far as it can be known without the data. */
static enum put_shortcut
shortcut_of(const put_instruction *at, const put_step_kind *kind, const input_types *types)
{
    if (kind->layouts == 0 || kind->shortcut == PUT_NO_SHORTCUT) {
        return PUT_NO_SHORTCUT;
    }
    enum input_layout layout = types->types[at->column].layout;
    bool fits = true;
    switch (kind->shortcut) {
    case PUT_SHORT_OPTIONAL: /* numbers of branches that fit into one byte */
        fits = layout != INPUT_DICTIONARY && layout != INPUT_NULLS && at->argument >= 0
               && at->argument < 64 && at->table[0] >= 0 && at->table[0] < 64;
        break;
    case PUT_SHORT_ARRAY:
        fits = layout == INPUT_LIST;
        break;
    case PUT_SHORT_STRING:
        fits = layout == INPUT_BYTES;
        break;
    default:
        break;
    }
    return fits ? kind->shortcut : PUT_NO_SHORTCUT;
}

/* ---- the program ---- */

void
put_program_release(put_program *self)
{
    for (int32_t i = 0; i < self->count; i++) {
        put_instruction *at = &self->instructions[i];
        free(at->table);
        free(at->data);
        free(at->field);
    }
    free(self);
}

static int
read_program(PyObject *description, const put_step_kind *known, put_program *self,
             const input_types *types)
{
    const put_step_kind **kinds = calloc((size_t)self->count + 1, sizeof(*kinds));
    int result = 0;
    if (kinds == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t i = 0; result == 0 && i < self->count; i++) {
        kinds[i] = read_instruction(PyTuple_GET_ITEM(description, i), known, self,
                                    &self->instructions[i]);
        result = kinds[i] == NULL ? -1 : 0;
    }
    if (result == 0) {
        result = check_program(self, kinds, types);
    }
    for (int32_t i = 0; result == 0 && i < self->count; i++) {
        self->instructions[i].shortcut = shortcut_of(&self->instructions[i], kinds[i], types);
    }
    free(kinds);
    return result;
}

put_program *
put_program_compile(PyObject *description, const payload_format *format, const input_types *types)
{
    if (!PyTuple_Check(description) || PyTuple_GET_SIZE(description) > INT32_MAX) {
        PyErr_Format(PyExc_TypeError, "instructions must be a tuple, not %.100s",
                     Py_TYPE(description)->tp_name);
        return NULL;
    }
    size_t count = (size_t)PyTuple_GET_SIZE(description);
    put_program *self = calloc(1, sizeof(put_program) + count * sizeof(put_instruction));
    if (self == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    self->format = format;
    self->count = (int32_t)count;
    if (read_program(description, format->kinds, self, types) < 0) {
        put_program_release(self);
        return NULL;
    }
    return self;
}

/* ---- a row ---- */

/* The size of the slots that a shortcut reads; 0 if it reads bits, or no slots. */
static int32_t
slot_width(enum put_shortcut shortcut)
{
    switch (shortcut) {
    case PUT_SHORT_INT:
    case PUT_SHORT_FLOAT:
    case PUT_SHORT_STRING: /* 32-bit offsets */
    case PUT_SHORT_ARRAY:  /* likewise */
        return 4;
    case PUT_SHORT_LONG:
    case PUT_SHORT_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

static void
bind_source(put_source *self, const put_instruction *what, const arrow_column *columns)
{
    if (what->shortcut == PUT_NO_SHORTCUT) {
        return;
    }
    const arrow_column *column = &columns[what->column];
    int32_t width = slot_width(what->shortcut);
    if (width > 0 && column->format.width != width) {
        return;
    }
    self->shortcut = what->shortcut;
    self->bytes = column->bytes;
    self->validity = column->validity;
    self->start = column->start;
    if (column->slots != NULL) {
        self->slots = (const uint8_t *)column->slots + column->start * width;
    }
    if (what->shortcut == PUT_SHORT_OPTIONAL) {
        self->null = (uint8_t)(what->argument << 1);
        self->there = (uint8_t)(what->table[0] << 1);
    }
}

put_source *
put_program_bind(const put_program *self, const input_columns *rows)
{
    put_source *sources = calloc((size_t)self->count + 1, sizeof(*sources));
    for (int32_t i = 0; sources != NULL && i < self->count; i++) {
        const put_instruction *what = &self->instructions[i];
        sources[i].what = what;
        sources[i].target = sources + (what->target - self->instructions);
        bind_source(&sources[i], what, rows->columns);
    }
    return sources;
}

put_machine
put_program_machine(const put_program *self, const input_columns *rows, const put_source *sources,
                    payload_writer to, write_failure *failure)
{
    return (put_machine){self->format->run, self->instructions, sources, rows, 0, to, failure,
                         ROW_OK, NULL, 0};
}

enum row_status
put_program_write(const put_program *self, put_machine *machine, int64_t row)
{
    machine->row = row;
    bool is_done = machine->run(machine, self->instructions, self->instructions + self->count);
    return is_done ? ROW_OK : machine->status;
}

void
put_program_write_rows(const put_program *self, put_machine *machine, const void *prefix,
                       int64_t prefix_size, int64_t row, int64_t until)
{
    if (self->format->run_rows != NULL && machine->from->columns[0].validity == NULL) {
        machine->row = row;
        self->format->run_rows(machine, self->instructions + self->count, prefix, prefix_size,
                               until);
    }
}

#include "columns/protobuf_steps.h"

#include <stdlib.h>

#include "columns/protobuf_times.h"

/* Fields with smaller numbers are found in a table. */
#define TABLE_LIMIT 1024

typedef struct {
    bool has_indexes;     /* payloads begin with the registry's message indexes */
    uint32_t *indexes;    /* the required indexes, or NULL: any */
    int32_t index_count;
    int32_t count;
    protobuf_message messages[]; /* the first is the row; each comes before the messages in it */
} protobuf_program;

/* ---- reading the description ---- */

static int
refuse(const char *problem, const char *path)
{
    PyErr_Format(PyExc_ValueError, "the field '%s' %s", path == NULL ? "" : path, problem);
    return -1;
}

/* Checks for a tuple of `count` items, or of any number for -1. */
static int
check_tuple(PyObject *object, Py_ssize_t count, const char *what)
{
    if (!PyTuple_Check(object) || (count >= 0 && PyTuple_GET_SIZE(object) != count)
        || PyTuple_GET_SIZE(object) > INT32_MAX) {
        PyErr_Format(PyExc_TypeError, "%s must be a tuple of the right size",
                     what);
        return -1;
    }
    return 0;
}

static int
read_int32(PyObject *object, int32_t *value)
{
    long wide = PyLong_AsLong(object);
    if (wide == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (wide < INT32_MIN || wide > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a number of more than 32 bits");
        return -1;
    }
    *value = (int32_t)wide;
    return 0;
}

/* A copy with a NUL after it, from malloc(), because any thread may free it. */
static void *
copy_bytes(const void *data, Py_ssize_t size)
{
    uint8_t *copy = data == NULL ? NULL : malloc((size_t)size + 1);
    if (copy == NULL) {
        if (data != NULL) {
            PyErr_NoMemory();
        }
        return NULL;
    }
    memcpy(copy, data, (size_t)size);
    copy[size] = '\0';
    return copy;
}

static int
read_bytes(PyObject *object, uint8_t **copy, int64_t *size)
{
    char *data;
    Py_ssize_t length;
    if (PyBytes_AsStringAndSize(object, &data, &length) < 0) {
        return -1;
    }
    *copy = copy_bytes(data, length);
    *size = length;
    return *copy == NULL ? -1 : 0;
}

static char *
read_text(PyObject *object)
{
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    return copy_bytes(text, text == NULL ? 0 : size);
}

/* Zeroed memory for as many items as the tuple has. */
static void *
room_for(PyObject *tuple, size_t size)
{
    void *room = calloc((size_t)PyTuple_GET_SIZE(tuple) + 1, size);
    return room == NULL ? PyErr_NoMemory() : room;
}

static int
read_rivals(PyObject *object, protobuf_field *self)
{
    if (check_tuple(object, -1, "rivals") < 0
        || (self->rivals = room_for(object, sizeof(*self->rivals))) == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); i++, self->rival_count++) {
        if (read_int32(PyTuple_GET_ITEM(object, i), &self->rivals[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

static int
read_symbols(PyObject *object, protobuf_field *self)
{
    if (check_tuple(object, -1, "symbols") < 0
        || (self->symbols = room_for(object, sizeof(*self->symbols))) == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); i++, self->symbol_count++) {
        PyObject *item = PyTuple_GET_ITEM(object, i);
        protobuf_symbol *symbol = &self->symbols[i];
        if (check_tuple(item, 3, "a symbol") < 0
            || read_int32(PyTuple_GET_ITEM(item, 0), &symbol->number) < 0
            || read_int32(PyTuple_GET_ITEM(item, 1), &symbol->place) < 0
            || read_int32(PyTuple_GET_ITEM(item, 2), &symbol->size) < 0) {
            return -1;
        }
        if (i > 0 && symbol->number <= symbol[-1].number) {
            return refuse("has symbols that are not in order", self->path);
        }
    }
    return 0;
}

static const char wrapper_prefix[] = "wrapper-";

static int
read_kind(PyObject *object, protobuf_field *self)
{
    const char *name = PyUnicode_AsUTF8(object);
    if (name == NULL) {
        return -1;
    }
    size_t prefix = strlen(wrapper_prefix);
    bool is_wrapper = strncmp(name, wrapper_prefix, prefix) == 0;
    for (const protobuf_kind *kind = protobuf_kinds; kind->name != NULL; kind++) {
        if (strcmp(kind->name, name + (is_wrapper ? prefix : 0)) == 0) {
            self->kind = kind;
            self->read = is_wrapper ? protobuf_read_wrapper : kind->read;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "there is no kind '%s'", name);
    return -1;
}

enum {
    F_PATH,
    F_NUMBER,
    F_KIND,
    F_WIRE,
    F_SHAPE,
    F_COLUMN,
    F_ARGUMENT,
    F_MESSAGE,
    F_RIVALS,
    F_SYMBOLS,
    F_TEXTS,
    F_INITIAL,
    F_OPTIONAL,
    F_COUNT,
};

static int
read_numbers(PyObject *description, protobuf_field *self)
{
    int32_t number, wire, shape;
    if (read_int32(PyTuple_GET_ITEM(description, F_NUMBER), &number) < 0
        || read_int32(PyTuple_GET_ITEM(description, F_WIRE), &wire) < 0
        || read_int32(PyTuple_GET_ITEM(description, F_SHAPE), &shape) < 0
        || read_int32(PyTuple_GET_ITEM(description, F_COLUMN), &self->column) < 0) {
        return -1;
    }
    self->argument = PyLong_AsLongLong(PyTuple_GET_ITEM(description, F_ARGUMENT));
    if (self->argument == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (number < 1 || number >= 1 << 29 || wire < 0 || wire > WIRE_32
        || shape < PROTOBUF_SINGLE || shape > PROTOBUF_MAP) {
        return refuse("has a wrong number, wire type or shape", self->path);
    }
    self->tag = (uint32_t)number << 3 | (uint32_t)wire;
    self->shape = (enum protobuf_shape)shape;
    self->values = self->shape == PROTOBUF_SINGLE ? self->column : self->column + 1;
    return 0;
}

static int
read_field(PyObject *description, protobuf_program *program, protobuf_field *self)
{
    if (check_tuple(description, F_COUNT, "a field") < 0
        || (self->path = read_text(PyTuple_GET_ITEM(description, F_PATH))) == NULL
        || read_kind(PyTuple_GET_ITEM(description, F_KIND), self) < 0
        || read_numbers(description, self) < 0
        || read_rivals(PyTuple_GET_ITEM(description, F_RIVALS), self) < 0
        || read_symbols(PyTuple_GET_ITEM(description, F_SYMBOLS), self) < 0
        || read_bytes(PyTuple_GET_ITEM(description, F_TEXTS), &self->texts,
                      &self->texts_size) < 0) {
        return -1;
    }
    PyObject *message = PyTuple_GET_ITEM(description, F_MESSAGE);
    int is_optional = PyObject_IsTrue(PyTuple_GET_ITEM(description, F_OPTIONAL));
    int32_t place = 0;
    self->is_optional = is_optional > 0;
    if (is_optional < 0
        || read_bytes(PyTuple_GET_ITEM(description, F_INITIAL), &self->initial,
                      &self->initial_size) < 0
        || (message != Py_None && read_int32(message, &place) < 0)) {
        return -1;
    }
    if (place < 0 || place >= program->count) {
        return refuse("has a message that does not exist", self->path);
    }
    self->message = message == Py_None ? NULL : &program->messages[place];
    return 0;
}

/* ---- checking it: no field may use memory outside its own ---- */

static bool
fits_column(const protobuf_field *self, const protobuf_message *message,
            const column_types *types)
{
    if (self->kind->layout == COLUMN_NULLS) {
        return self->column == -1 && self->shape == PROTOBUF_SINGLE;
    }
    if (self->column < 1 || self->column >= types->count
        || types->types[self->column].parent != message->column
        || (self->shape != PROTOBUF_SINGLE
            && types->types[self->column].layout != COLUMN_LIST)) {
        return false;
    }
    const column_type *values = &types->types[self->values];
    return (int32_t)values->layout == self->kind->layout
           && (values->layout != COLUMN_FIXED || values->width == self->kind->width);
}

/* The columns of a message are below the field's, so calls are nested no deeper than columns. */
static bool
fits_message(const protobuf_field *self)
{
    bool needs_one = self->kind->layout == COLUMN_STRUCT;
    if (!needs_one || self->message == NULL) {
        return needs_one == (self->message != NULL);
    }
    return self->message->column == self->values;
}

/* A map compares its keys, the first column of its entries. */
static bool
fits_map(const protobuf_field *self, const column_types *types)
{
    if (self->shape != PROTOBUF_MAP) {
        return true;
    }
    if (self->kind->layout != COLUMN_STRUCT || types->types[self->values].child_count != 2) {
        return false;
    }
    enum column_layout keys = types->types[self->values + 1].layout;
    return keys == COLUMN_BITS || keys == COLUMN_FIXED || keys == COLUMN_BYTES;
}

/* An enum puts texts of the program, or numbers that are in its dictionary. */
static bool
fits_symbols(const protobuf_field *self, const column_type *type)
{
    bool is_text = self->kind->layout == COLUMN_BYTES;
    bool is_dictionary = !is_text && type->symbol_offsets != NULL;
    for (int32_t i = 0; i < self->symbol_count; i++) {
        int32_t place = self->symbols[i].place, size = self->symbols[i].size;
        if (is_text && (place < 0 || size < 0 || place > self->texts_size - size)) {
            return false;
        }
        if (is_dictionary && (place < 0 || place >= type->symbol_count)) {
            return false;
        }
    }
    return true;
}

static bool
fits_initial(const protobuf_field *self, const column_type *type)
{
    int64_t least = self->kind->layout == COLUMN_FIXED  ? self->kind->width
                    : self->kind->layout == COLUMN_BITS ? 1
                                                        : 0;
    if (self->initial_size < least) {
        return false;
    }
    if (type->symbol_offsets == NULL) {
        return true;
    }
    int32_t place;
    memcpy(&place, self->initial, sizeof(place));
    return strcmp(self->kind->name, "enum") == 0 && place >= 0 && place < type->symbol_count;
}

/* The keys of a map must not be null, so no field may put null for a missing or unknown key. */
static bool
fits_nulls(const protobuf_field *self, const column_type *type)
{
    bool may_put_null = self->is_optional || strcmp(self->kind->name, "enum") == 0;
    return !may_put_null || (type->flags & ARROW_FLAG_NULLABLE);
}

static bool
fits_data(const protobuf_field *self, const column_types *types)
{
    bool is_time = self->kind->read == protobuf_read_timestamp
                   || self->kind->read == protobuf_read_duration;
    if (is_time && self->argument != 1000 && self->argument != 1000000
        && self->argument != 1000000000) {
        return false;
    }
    if (self->column < 0) {
        return self->read == self->kind->read; /* a wrapper would have no column for its value */
    }
    const column_type *type = &types->types[self->values];
    return fits_symbols(self, type) && fits_initial(self, type) && fits_nulls(self, type);
}

static bool
fits_rivals(const protobuf_field *self, const protobuf_message *message,
            const column_types *types)
{
    for (int32_t i = 0; i < self->rival_count; i++) {
        int32_t column = self->rivals[i];
        if (column < 1 || column >= types->count || column == self->column
            || types->types[column].parent != message->column) {
            return false;
        }
    }
    return true;
}

/* Checks that each column below the message's column is filled by exactly one field. */
static int
check_columns(const protobuf_message *self, const column_types *types)
{
    uint8_t *is_filled = calloc((size_t)types->count, 1);
    if (is_filled == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    int32_t filled = 0;
    bool is_twice = false;
    for (int32_t i = 0; i < self->count; i++) {
        int32_t column = self->fields[i].column;
        if (column >= 0) {
            is_twice |= is_filled[column];
            is_filled[column] = 1;
            filled++;
        }
    }
    free(is_filled);
    if (is_twice || filled != types->types[self->column].child_count) {
        PyErr_Format(PyExc_ValueError, "the message '%s' does not fill its columns",
                     self->path);
        return -1;
    }
    return 0;
}

static int
check_message(const protobuf_message *self, const column_types *types)
{
    for (int32_t i = 0; i < self->count; i++) {
        const protobuf_field *field = &self->fields[i];
        if (i > 0 && field->tag >> 3 <= self->fields[i - 1].tag >> 3) {
            return refuse("is not in the order of numbers", field->path);
        }
        if (!fits_column(field, self, types) || !fits_message(field)
            || !fits_map(field, types) || !fits_data(field, types)
            || !fits_rivals(field, self, types)) {
            return refuse("does not fit its column", field->path);
        }
    }
    return check_columns(self, types);
}

/* ---- messages ---- */

static int
make_table(protobuf_message *self)
{
    uint32_t last = self->count == 0 ? 0 : self->fields[self->count - 1].tag >> 3;
    self->table_size = last < TABLE_LIMIT ? last + 1 : TABLE_LIMIT;
    self->by_number = calloc(self->table_size, sizeof(*self->by_number));
    if (self->by_number == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t i = 0; i < self->count; i++) {
        uint32_t number = self->fields[i].tag >> 3;
        if (number < self->table_size) {
            self->by_number[number] = (uint16_t)(i + 1);
        }
    }
    return 0;
}

enum { M_COLUMN, M_PATH, M_FIELDS, M_COUNT };

static int
read_message(PyObject *description, protobuf_program *program, protobuf_message *self,
             const column_types *types)
{
    if (check_tuple(description, M_COUNT, "a message") < 0
        || read_int32(PyTuple_GET_ITEM(description, M_COLUMN), &self->column) < 0
        || (self->path = read_text(PyTuple_GET_ITEM(description, M_PATH))) == NULL) {
        return -1;
    }
    PyObject *fields = PyTuple_GET_ITEM(description, M_FIELDS);
    if (check_tuple(fields, -1, "fields") < 0
        || (self->fields = room_for(fields, sizeof(*self->fields))) == NULL) {
        return -1;
    }
    if (PyTuple_GET_SIZE(fields) >= UINT16_MAX || self->column < 0
        || self->column >= types->count
        || types->types[self->column].layout != COLUMN_STRUCT) {
        return refuse("is a message without a column", self->path);
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); i++) {
        self->count++;
        if (read_field(PyTuple_GET_ITEM(fields, i), program, &self->fields[i]) < 0) {
            return -1;
        }
    }
    return make_table(self);
}

static void
release_message(protobuf_message *self)
{
    for (int32_t i = 0; i < self->count; i++) {
        protobuf_field *field = &self->fields[i];
        free(field->rivals);
        free(field->symbols);
        free(field->texts);
        free(field->initial);
        free(field->path);
    }
    free(self->fields);
    free(self->by_number);
    free(self->path);
}

/* ---- the program ---- */

static void
protobuf_release(void *program)
{
    protobuf_program *self = program;
    for (int32_t i = 0; i < self->count; i++) {
        release_message(&self->messages[i]);
    }
    free(self->indexes);
    free(self);
}

/* None: there are no indexes. An empty tuple: any indexes are allowed. */
static int
read_indexes(PyObject *object, protobuf_program *self)
{
    self->has_indexes = object != Py_None;
    if (!self->has_indexes) {
        return 0;
    }
    if (check_tuple(object, -1, "indexes") < 0) {
        return -1;
    }
    if (PyTuple_GET_SIZE(object) == 0) {
        return 0;
    }
    self->indexes = room_for(object, sizeof(*self->indexes));
    if (self->indexes == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); i++, self->index_count++) {
        int32_t index;
        if (read_int32(PyTuple_GET_ITEM(object, i), &index) < 0) {
            return -1;
        }
        self->indexes[i] = (uint32_t)index;
    }
    return 0;
}

static int
read_program(PyObject *description, protobuf_program *self, const column_types *types)
{
    PyObject *messages = PyTuple_GET_ITEM(description, 1);
    if (read_indexes(PyTuple_GET_ITEM(description, 0), self) < 0) {
        return -1;
    }
    for (int32_t i = 0; i < self->count; i++) {
        if (read_message(PyTuple_GET_ITEM(messages, i), self, &self->messages[i], types) < 0) {
            return -1;
        }
    }
    for (int32_t i = 0; i < self->count; i++) {
        if (check_message(&self->messages[i], types) < 0) {
            return -1;
        }
    }
    if (self->count == 0 || self->messages[0].column != 0) {
        PyErr_SetString(PyExc_ValueError, "the first message must be the row");
        return -1;
    }
    return 0;
}

static void *
protobuf_compile(PyObject *description, const column_types *types)
{
    if (check_tuple(description, 2, "a program") < 0
        || check_tuple(PyTuple_GET_ITEM(description, 1), -1, "messages") < 0) {
        return NULL;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(PyTuple_GET_ITEM(description, 1));
    protobuf_program *self =
        calloc(1, sizeof(protobuf_program) + (size_t)count * sizeof(protobuf_message));
    if (self == NULL) {
        return PyErr_NoMemory();
    }
    self->count = (int32_t)count;
    if (read_program(description, self, types) < 0) {
        protobuf_release(self);
        return NULL;
    }
    return self;
}

/* ---- a row ---- */

/* Reads the message indexes: their number, then each index, as zigzag varints. */
static bool
check_indexes(const protobuf_program *self, protobuf_machine *machine)
{
    uint64_t number;
    if (!wire_read_varint(&machine->in, &number)) {
        return protobuf_fail(machine, "", machine->in.problem);
    }
    uint64_t count = number >> 1;
    /* For the first message in the file, the indexes are left out. */
    bool is_ours = self->indexes == NULL
                   || (count == 0 ? self->index_count == 1 && self->indexes[0] == 0
                                  : count == (uint64_t)self->index_count);
    if ((number & 1) != 0 || count > wire_left(&machine->in)) {
        return protobuf_fail(machine, "", "no message indexes at the start");
    }
    for (uint64_t i = 0; i < count; i++) {
        if (!wire_read_varint(&machine->in, &number)) {
            return protobuf_fail(machine, "", machine->in.problem);
        }
        is_ours = is_ours && (self->indexes == NULL || number == (uint64_t)self->indexes[i] << 1);
    }
    return is_ours || protobuf_fail(machine, "", "message indexes of another message");
}

static enum row_status
decode_row(const protobuf_program *self, protobuf_machine *machine)
{
    int64_t row = machine->set->columns[0].length;
    if (self->has_indexes && !check_indexes(self, machine)) {
        return machine->status;
    }
    if (!protobuf_put(machine, column_put_slot(&machine->set->columns[0]))
        || !protobuf_read_fields(machine, self->messages)
        || !protobuf_complete(machine, self->messages, row)) {
        return machine->status;
    }
    return ROW_OK;
}

static enum row_status
protobuf_decode(const void *program, columns *set, payload from, row_failure *failure)
{
    const wire_input in = {from.data, from.data + from.size, NULL};
    int64_t row = set->columns[0].length;
    protobuf_machine machine = {in, set, failure, ROW_OK, false, false};
    enum row_status status = decode_row(program, &machine);
    if (status == ROW_BAD && machine.has_parts) {
        /* Serializers do not write this, but concatenated messages must be merged. */
        columns_truncate(set, row);
        machine = (protobuf_machine){in, set, failure, ROW_OK, false, true};
        status = decode_row(program, &machine);
    }
    return status;
}

const row_format protobuf_format = {"protobuf", protobuf_compile, protobuf_release,
                                    protobuf_decode};

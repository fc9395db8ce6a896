#include "columns/protobuf_steps.h"

#include <stdio.h>
#include <stdlib.h>

#include "columns/keep.h"
#include "columns/protobuf_json.h"
#include "columns/protobuf_times.h"
#include "columns/utf8.h"

typedef protobuf_machine machine;
typedef const protobuf_field field;

/* ---- numbers ---- */

#define PUT(value) \
    protobuf_put(self, column_put_fixed(protobuf_target(self, at, row), &(value), sizeof(value)))

/* int32, uint32: bits beyond 32 are dropped, as the specification requires. */
static bool
read_varint32(machine *self, field *at, int64_t row)
{
    uint64_t wide;
    if (!wire_read_varint(&self->in, &wide)) {
        return protobuf_spoilt(self, at);
    }
    uint32_t value = (uint32_t)wide;
    return PUT(value);
}

static bool
read_varint64(machine *self, field *at, int64_t row)
{
    uint64_t value;
    return wire_read_varint(&self->in, &value) ? PUT(value) : protobuf_spoilt(self, at);
}

static bool
read_zigzag32(machine *self, field *at, int64_t row)
{
    uint64_t wide;
    if (!wire_read_varint(&self->in, &wide)) {
        return protobuf_spoilt(self, at);
    }
    uint32_t bits = (uint32_t)wide, value = bits >> 1 ^ (0 - (bits & 1));
    return PUT(value);
}

static bool
read_zigzag64(machine *self, field *at, int64_t row)
{
    uint64_t bits;
    if (!wire_read_varint(&self->in, &bits)) {
        return protobuf_spoilt(self, at);
    }
    uint64_t value = bits >> 1 ^ (0 - (bits & 1));
    return PUT(value);
}

static bool
read_bool(machine *self, field *at, int64_t row)
{
    uint64_t value;
    if (!wire_read_varint(&self->in, &value)) {
        return protobuf_spoilt(self, at);
    }
    return protobuf_put(self, column_put_bool(protobuf_target(self, at, row), value != 0));
}

static bool
read_fixed32(machine *self, field *at, int64_t row)
{
    uint32_t value;
    return wire_read_32(&self->in, &value) ? PUT(value) : protobuf_spoilt(self, at);
}

static bool
read_fixed64(machine *self, field *at, int64_t row)
{
    uint64_t value;
    return wire_read_64(&self->in, &value) ? PUT(value) : protobuf_spoilt(self, at);
}

/* ---- bytes ---- */

static bool
put_text(machine *self, field *at, int64_t row, const void *data, size_t size)
{
    column *to = protobuf_target(self, at, row);
    to->size = to->offsets[row];
    return protobuf_put(self, column_put_bytes(to, data, (int64_t)size));
}

static bool
read_bytes(machine *self, field *at, int64_t row)
{
    wire_range value;
    return wire_read_sized(&self->in, &value) ? put_text(self, at, row, value.data, value.size)
                                              : protobuf_spoilt(self, at);
}

static bool
read_string(machine *self, field *at, int64_t row)
{
    wire_range value;
    if (!wire_read_sized(&self->in, &value)) {
        return protobuf_spoilt(self, at);
    }
    if (!utf8_is_valid(value.data, value.size)) {
        return protobuf_fail(self, at->path, "a string that is not UTF-8");
    }
    return put_text(self, at, row, value.data, value.size);
}

/* ---- enums ---- */

static int
compare_symbols(const void *a, const void *b)
{
    int32_t left = ((const protobuf_symbol *)a)->number;
    int32_t right = ((const protobuf_symbol *)b)->number;
    return left < right ? -1 : left > right;
}

static const protobuf_symbol *
find_symbol(field *at, int32_t number)
{
    /* Most enums have numbers from 0 on. */
    if (number >= 0 && number < at->symbol_count && at->symbols[number].number == number) {
        return &at->symbols[number];
    }
    protobuf_symbol key = {.number = number};
    return bsearch(&key, at->symbols, (size_t)at->symbol_count, sizeof(key), compare_symbols);
}

enum { IS_CLOSED = 1 };

/* A number and its symbol, or NULL: for a closed enum, an unknown number is an unknown field. */
static bool
read_symbol(machine *self, field *at, int32_t *number, const protobuf_symbol **symbol)
{
    uint64_t wide;
    if (!wire_read_varint(&self->in, &wide)) {
        return protobuf_spoilt(self, at);
    }
    *number = (int32_t)(uint32_t)wide;
    *symbol = find_symbol(at, *number);
    self->is_unknown_symbol |= *symbol == NULL && at->argument == IS_CLOSED;
    return true;
}

/* Puts the `place` of the symbol: its index in the dictionary, or the number itself. */
static bool
read_enum(machine *self, field *at, int64_t row)
{
    int32_t number;
    const protobuf_symbol *symbol;
    if (!read_symbol(self, at, &number, &symbol)) {
        return false;
    }
    if (symbol != NULL) {
        return PUT(symbol->place);
    }
    if (at->argument == IS_CLOSED) {
        return true;
    }
    protobuf_target(self, at, row);
    return protobuf_put(self, columns_put_null(self->set, at->values));
}

/* Puts the name of its symbol; a number without a name is written in digits. */
static bool
read_enum_text(machine *self, field *at, int64_t row)
{
    int32_t number;
    const protobuf_symbol *symbol;
    if (!read_symbol(self, at, &number, &symbol)) {
        return false;
    }
    if (symbol != NULL) {
        return put_text(self, at, row, at->texts + symbol->place, (size_t)symbol->size);
    }
    if (at->argument == IS_CLOSED) {
        return true;
    }
    char digits[16];
    int size = snprintf(digits, sizeof(digits), "%d", (int)number);
    return put_text(self, at, row, digits, (size_t)size);
}

/* Reads a member of a oneof that has no column: it only removes the other members. */
static bool
read_rival(machine *self, field *at, int64_t row)
{
    if (!wire_skip(&self->in, at->tag)) {
        return protobuf_spoilt(self, at);
    }
    protobuf_clear_rivals(self, at, row);
    return true;
}

static bool
read_rival_enum(machine *self, field *at, int64_t row)
{
    int32_t number;
    const protobuf_symbol *symbol;
    if (!read_symbol(self, at, &number, &symbol)) {
        return false;
    }
    if (symbol != NULL) {
        protobuf_clear_rivals(self, at, row);
    }
    return true;
}

/* ---- messages ---- */

/* Merges with a message that came before: its columns already have a slot. */
static bool
read_message(machine *self, field *at, int64_t row)
{
    column *to = &self->set->columns[at->values];
    protobuf_clear_rivals(self, at, row);
    if (to->length == row && !protobuf_put(self, column_put_slot(to))) {
        return false;
    }
    wire_input outside;
    if (!protobuf_enter(self, at, &outside)
        || !protobuf_read_fields(self, at->message)) {
        return false;
    }
    protobuf_leave(self, &outside);
    return true;
}

/* Puts the value of a missing field. */
static bool
put_initial(machine *self, field *at)
{
    column *to = &self->set->columns[at->values];
    switch (to->layout) {
    case COLUMN_BITS:
        return protobuf_put(self, column_put_bool(to, at->initial[0]));
    case COLUMN_FIXED:
        return protobuf_put(self, column_put_fixed(to, at->initial, (size_t)to->width));
    case COLUMN_BYTES:
        return protobuf_put(self, column_put_bytes(to, at->initial, at->initial_size));
    default:
        return protobuf_put(self, column_put_slot(to))
               && protobuf_complete(self, at->message, to->length - 1);
    }
}

/* Reads a wrapper: its field 1 has the kind of `at`. Without field 1, the value is the default. */
bool
protobuf_read_wrapper(machine *self, field *at, int64_t row)
{
    uint32_t value_tag = 1 << 3 | (uint32_t)at->kind->wire, tag;
    wire_input outside;
    bool is_there = self->set->columns[at->values].length > row;
    if (!protobuf_enter(self, at, &outside)) {
        return false;
    }
    while (self->in.at < self->in.end) {
        if (!wire_read_tag(&self->in, &tag)) {
            return protobuf_spoilt(self, at);
        }
        if (tag == value_tag) {
            if (!at->kind->read(self, at, row)) {
                return false;
            }
            is_there = true;
        }
        else if (!wire_skip(&self->in, tag)) {
            return protobuf_spoilt(self, at);
        }
    }
    protobuf_leave(self, &outside);
    if (is_there) {
        return true;
    }
    protobuf_target(self, at, row);
    return put_initial(self, at);
}

/* ---- repeated fields ---- */

static bool
read_item(machine *self, field *at)
{
    column *items = &self->set->columns[at->values];
    int64_t row = items->length;
    self->is_unknown_symbol = false;
    if (!at->read(self, at, row)) {
        return false;
    }
    if (at->message == NULL) {
        return true;
    }
    if (at->shape == PROTOBUF_MAP && at->argument == IS_CLOSED && self->is_unknown_symbol) {
        columns_truncate_column(self->set, at->values, row);
        return true;
    }
    return protobuf_complete(self, at->message, row);
}

static bool
read_packed(machine *self, field *at)
{
    wire_range inside;
    if (!wire_read_sized(&self->in, &inside)) {
        return protobuf_spoilt(self, at);
    }
    wire_input outside = self->in;
    self->in.at = inside.data;
    self->in.end = inside.data + inside.size;
    const column *items = &self->set->columns[at->values];
    while (self->in.at < self->in.end) {
        if (!at->read(self, at, items->length)) {
            return false;
        }
    }
    protobuf_leave(self, &outside);
    return true;
}

/* Puts the slot of a list, with all items that were read. */
static bool
complete_list(machine *self, field *at)
{
    column *list = &self->set->columns[at->column];
    if (at->shape == PROTOBUF_MAP) {
        enum build_status status = columns_keep_last_keys(self->set, at->column, NULL);
        if (status != BUILD_OK) {
            return protobuf_stop(self, status);
        }
    }
    return protobuf_put(self, column_put_list(list, &self->set->columns[at->values]));
}

/* ---- a message's fields ---- */

static int
compare_numbers(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a >> 3, right = ((field *)b)->tag >> 3;
    return left < right ? -1 : left > right;
}

static inline field *
find_field(const protobuf_message *self, uint32_t tag)
{
    uint32_t number = tag >> 3;
    if (number < self->table_size) {
        uint16_t place = self->by_number[number];
        return place == 0 ? NULL : &self->fields[place - 1];
    }
    return bsearch(&tag, self->fields, (size_t)self->count, sizeof(*self->fields),
                   compare_numbers);
}

static inline bool
is_packed(field *at, uint32_t tag)
{
    return at->shape == PROTOBUF_LIST && (tag & 7) == WIRE_SIZED
           && (at->tag & 7) != WIRE_GROUP;
}

/* Reads a value or values of a field; `tag` is the field's own, or the tag of packed values. */
static inline bool
read_known(machine *self, field *at, uint32_t tag, int64_t row)
{
    if (tag != at->tag) {
        return read_packed(self, at);
    }
    return at->shape == PROTOBUF_SINGLE ? at->read(self, at, row) : read_item(self, at);
}

bool
protobuf_read_fields(machine *self, const protobuf_message *message)
{
    int64_t row = self->set->columns[message->column].length - 1;
    field *next = message->fields, *end = next + message->count;
    while (self->in.at < self->in.end) {
        uint32_t tag;
        if (!wire_read_tag(&self->in, &tag)) {
            return protobuf_fail(self, message->path, self->in.problem);
        }
        /* Most fields are in order. */
        field *at = next < end && next->tag == tag ? next : find_field(message, tag);
        if (at != NULL && (tag == at->tag || is_packed(at, tag))) {
            if (!read_known(self, at, tag, row)) {
                return false;
            }
            next = at + 1;
        }
        else if (!wire_skip(&self->in, tag)) {
            return protobuf_fail(self, message->path, self->in.problem);
        }
    }
    return true;
}

/* Reads a field that is in the payload. */
static bool
complete_field(machine *self, field *at, int64_t row)
{
    return at->message == NULL ? protobuf_complete_json(self, at, row)
                               : protobuf_complete(self, at->message, row);
}

bool
protobuf_complete(machine *self, const protobuf_message *message, int64_t row)
{
    bool is_done = true;
    for (int32_t i = 0; is_done && i < message->count; i++) {
        field *at = &message->fields[i];
        if (at->column < 0) {
            continue;
        }
        if (at->shape != PROTOBUF_SINGLE) {
            is_done = complete_list(self, at);
        }
        else if (self->set->columns[at->column].length > row) {
            bool is_ready = at->message == NULL && !self->has_parts;
            is_done = is_ready || complete_field(self, at, row);
        }
        else if (at->is_optional) {
            is_done = protobuf_put(self, columns_put_null(self->set, at->column));
        }
        else {
            is_done = put_initial(self, at);
        }
    }
    return is_done;
}

/* The layouts and widths of the columns; a rival has no column. */
const protobuf_kind protobuf_kinds[] = {
    {"varint32", read_varint32, WIRE_VARINT, COLUMN_FIXED, 4},
    {"varint64", read_varint64, WIRE_VARINT, COLUMN_FIXED, 8},
    {"zigzag32", read_zigzag32, WIRE_VARINT, COLUMN_FIXED, 4},
    {"zigzag64", read_zigzag64, WIRE_VARINT, COLUMN_FIXED, 8},
    {"bool", read_bool, WIRE_VARINT, COLUMN_BITS, 0},
    {"fixed32", read_fixed32, WIRE_32, COLUMN_FIXED, 4},
    {"fixed64", read_fixed64, WIRE_64, COLUMN_FIXED, 8},
    {"bytes", read_bytes, WIRE_SIZED, COLUMN_BYTES, 0},
    {"string", read_string, WIRE_SIZED, COLUMN_BYTES, 0},
    {"enum", read_enum, WIRE_VARINT, COLUMN_FIXED, 4},
    {"enum-text", read_enum_text, WIRE_VARINT, COLUMN_BYTES, 0},
    {"message", read_message, WIRE_SIZED, COLUMN_STRUCT, 0},
    {"timestamp", protobuf_read_timestamp, WIRE_SIZED, COLUMN_FIXED, 8},
    {"duration", protobuf_read_duration, WIRE_SIZED, COLUMN_FIXED, 8},
    {"struct", protobuf_read_struct, WIRE_SIZED, COLUMN_BYTES, 0},
    {"value", protobuf_read_value, WIRE_SIZED, COLUMN_BYTES, 0},
    {"list-value", protobuf_read_list_value, WIRE_SIZED, COLUMN_BYTES, 0},
    {"rival", read_rival, WIRE_VARINT, COLUMN_NULLS, 0},
    {"rival-enum", read_rival_enum, WIRE_VARINT, COLUMN_NULLS, 0},
    {NULL, NULL, 0, 0, 0},
};

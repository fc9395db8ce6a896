#include "columns/protobuf_json.h"

#include <math.h>
#include <stdlib.h>

#include "columns/json_escape.h"
#include "columns/last_keys.h"
#include "columns/protobuf_struct.h"
#include "columns/shortest_float.h"
#include "columns/utf8.h"

typedef protobuf_machine machine;
typedef const protobuf_field field;

/* The state of one text while it is written, after the last slot of its column. */
typedef struct {
    machine *machine;
    field *field;
    column *to;
    wire_range origin; /* its source in the payload */
    int depth;
} writer;

static bool write_value(writer *self, wire_range value);
static bool write_struct(writer *self, wire_range value);
static bool write_list(writer *self, wire_range value);

/* ---- text ---- */

/* Joined parts are not in the payload; then the place of an error is the field itself. */
static bool
fail_at(writer *self, const uint8_t *at, const char *reason)
{
    uintptr_t place = (uintptr_t)at, from = (uintptr_t)self->origin.data;
    bool is_inside = place >= from && place - from <= self->origin.size;
    self->machine->in.at = is_inside ? at : self->origin.data;
    return protobuf_fail(self->machine, self->field->path, reason);
}

static bool
spoilt(writer *self, const wire_input *in)
{
    return fail_at(self, in->at, in->problem);
}

static bool
put(writer *self, const void *text, size_t size)
{
    column *to = self->to;
    if ((int64_t)size > to->room - to->size
        && !protobuf_put(self->machine, column_grow_bytes(to, (int64_t)size))) {
        return false;
    }
    memcpy(to->bytes + to->size, text, size);
    to->size += (int64_t)size;
    return true;
}

static bool
write_escape(writer *self, uint8_t byte)
{
    uint8_t text[JSON_ESCAPE_SIZE];
    return put(self, text, json_escape(byte, text));
}

/* Copies runs of plain bytes, and escapes the others. */
static bool
write_string(writer *self, wire_range value)
{
    if (!utf8_is_valid(value.data, value.size)) {
        return fail_at(self, value.data, "a string that is not UTF-8");
    }
    const uint8_t *run = value.data, *end = value.data + value.size;
    bool is_written = put(self, "\"", 1);
    for (const uint8_t *at = run; is_written && at < end; at++) {
        if (json_must_escape(*at)) {
            is_written = put(self, run, (size_t)(at - run)) && write_escape(self, *at);
            run = at + 1;
        }
    }
    return is_written && put(self, run, (size_t)(end - run)) && put(self, "\"", 1);
}

/* Writes whole numbers without a point. */
static bool
write_number(writer *self, double value, const uint8_t *at)
{
    uint8_t text[FLOAT_TEXT_SIZE];
    if (!isfinite(value)) {
        return fail_at(self, at, "a number that is not finite, which JSON does not have");
    }
    size_t size = double_write(value, text);
    bool has_point = size > 2 && text[size - 2] == '.' && text[size - 1] == '0';
    return put(self, text, has_point ? size - 2 : size);
}

/* ---- messages in parts, which mean the same as one message with all bytes ---- */

typedef struct {
    wire_range range;
    uint8_t *memory; /* the memory of the range, if it has several parts */
    size_t room;
} joined;

static bool
join(writer *self, joined *whole, wire_range part)
{
    if (whole->range.size == 0) {
        whole->range = part;
        return true;
    }
    size_t size = whole->range.size + part.size;
    if (size > whole->room) {
        uint8_t *memory = malloc(size * 2);
        if (memory == NULL) {
            return protobuf_stop(self->machine, BUILD_NO_MEMORY);
        }
        memcpy(memory, whole->range.data, whole->range.size);
        free(whole->memory);
        whole->memory = memory;
        whole->room = size * 2;
    }
    else if (whole->range.data != whole->memory) {
        memcpy(whole->memory, whole->range.data, whole->range.size);
    }
    memcpy(whole->memory + whole->range.size, part.data, part.size);
    whole->range = (wire_range){whole->memory, size};
    return true;
}

/* ---- values ---- */

typedef struct {
    uint32_t kind; /* the number of the last field, or 0 */
    uint64_t bits;
    wire_range text;
    joined inside; /* the contents of a struct or list */
} value_parts;

static bool
read_inside(writer *self, wire_input *in, value_parts *parts, bool is_first)
{
    wire_range part;
    if (!wire_read_sized(in, &part)) {
        return spoilt(self, in);
    }
    if (is_first) {
        parts->inside.range.size = 0;
    }
    return join(self, &parts->inside, part);
}

static bool
read_value_field(writer *self, wire_input *in, uint32_t tag, value_parts *parts)
{
    uint32_t before = parts->kind;
    parts->kind = tag;
    switch (tag) {
    case NULL_VALUE:
    case BOOL_VALUE:
        return wire_read_varint(in, &parts->bits) || spoilt(self, in);
    case NUMBER_VALUE:
        return wire_read_64(in, &parts->bits) || spoilt(self, in);
    case STRING_VALUE:
        return wire_read_sized(in, &parts->text) || spoilt(self, in);
    case STRUCT_VALUE:
    case LIST_VALUE:
        return read_inside(self, in, parts, before != tag);
    default:
        parts->kind = before;
        return wire_skip(in, tag) || spoilt(self, in);
    }
}

static bool
write_parts(writer *self, const value_parts *parts, const uint8_t *at)
{
    double number;
    switch (parts->kind) {
    case NUMBER_VALUE:
        memcpy(&number, &parts->bits, sizeof(number));
        return write_number(self, number, at);
    case STRING_VALUE:
        return write_string(self, parts->text);
    case BOOL_VALUE:
        return parts->bits != 0 ? put(self, "true", 4) : put(self, "false", 5);
    case STRUCT_VALUE:
        return write_struct(self, parts->inside.range);
    case LIST_VALUE:
        return write_list(self, parts->inside.range);
    default:
        return put(self, "null", 4);
    }
}

static bool
read_value(writer *self, wire_range value, value_parts *parts)
{
    wire_input in = {value.data, value.data + value.size, NULL};
    while (in.at < in.end) {
        uint32_t tag;
        if (!wire_read_tag(&in, &tag)) {
            return spoilt(self, &in);
        }
        if (!read_value_field(self, &in, tag, parts)) {
            return false;
        }
    }
    return true;
}

static bool
write_value(writer *self, wire_range value)
{
    value_parts parts = {0};
    if (self->depth == JSON_DEPTH_LIMIT) {
        return fail_at(self, value.data, "a Value that is nested more than 64 deep");
    }
    self->depth++;
    bool is_written =
        read_value(self, value, &parts) && write_parts(self, &parts, value.data);
    self->depth--;
    free(parts.inside.memory);
    return is_written;
}

/* ---- containers of values: messages whose field 1 is repeated ---- */

/* Reads the next item, if there is one. */
static bool
next_item(writer *self, wire_input *in, wire_range *item, bool *is_there)
{
    for (*is_there = false; !*is_there && in->at < in->end;) {
        uint32_t tag;
        if (!wire_read_tag(in, &tag)) {
            return spoilt(self, in);
        }
        *is_there = tag == STRUCT_ITEM;
        if (!(*is_there ? wire_read_sized(in, item) : wire_skip(in, tag))) {
            return spoilt(self, in);
        }
    }
    return true;
}

static bool
write_list(writer *self, wire_range value)
{
    wire_input in = {value.data, value.data + value.size, NULL};
    wire_range item;
    bool is_there, is_written = put(self, "[", 1);
    for (bool is_first = true; is_written; is_first = false) {
        if (!next_item(self, &in, &item, &is_there)) {
            return false;
        }
        if (!is_there) {
            break;
        }
        is_written = (is_first || put(self, ",", 1)) && write_value(self, item);
    }
    return is_written && put(self, "]", 1);
}

/* ---- structs: maps in which the last entry of a key is used ---- */

typedef struct {
    keyed_entry *keys;
    joined *values;
    size_t count, capacity;
} struct_entries;

static void
release_entries(struct_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        free(entries->values[i].memory);
    }
    free(entries->keys);
    free(entries->values);
}

static bool
reserve_entry(writer *self, struct_entries *entries)
{
    if (entries->count < entries->capacity) {
        return true;
    }
    size_t capacity = entries->capacity * 2 + 8;
    keyed_entry *keys = realloc(entries->keys, capacity * sizeof(*keys));
    entries->keys = keys == NULL ? entries->keys : keys;
    joined *values = keys == NULL ? NULL
                                  : realloc(entries->values, capacity * sizeof(*values));
    if (values == NULL) {
        return protobuf_stop(self->machine, BUILD_NO_MEMORY);
    }
    entries->values = values;
    entries->capacity = capacity;
    return true;
}

/* Reads the key and the value; a missing value is a google.protobuf.Value without a kind. */
static bool
read_entry(writer *self, wire_range item, keyed_entry *entry, joined *value)
{
    static const uint8_t nothing[1];
    wire_input in = {item.data, item.data + item.size, NULL};
    wire_range key = {nothing, 0}, part;
    while (in.at < in.end) {
        uint32_t tag;
        if (!wire_read_tag(&in, &tag)) {
            return spoilt(self, &in);
        }
        if (!(tag == ENTRY_KEY     ? wire_read_sized(&in, &key)
              : tag == ENTRY_VALUE ? wire_read_sized(&in, &part)
                                   : wire_skip(&in, tag))) {
            return spoilt(self, &in);
        }
        if (tag == ENTRY_VALUE && !join(self, value, part)) {
            return false;
        }
    }
    *entry = (keyed_entry){key.data, key.size, false};
    return true;
}

static bool
read_entries(writer *self, wire_range value, struct_entries *entries)
{
    wire_input in = {value.data, value.data + value.size, NULL};
    wire_range item;
    bool is_there;
    while (next_item(self, &in, &item, &is_there)) {
        if (!is_there) {
            return true;
        }
        if (!reserve_entry(self, entries)) {
            return false;
        }
        size_t place = entries->count++;
        entries->values[place] = (joined){{item.data, 0}, NULL, 0};
        if (!read_entry(self, item, &entries->keys[place], &entries->values[place])) {
            return false;
        }
    }
    return false;
}

static bool
write_entries(writer *self, const struct_entries *entries)
{
    bool is_written = put(self, "{", 1), is_first = true;
    for (size_t i = 0; is_written && i < entries->count; i++) {
        const keyed_entry *entry = &entries->keys[i];
        if (entry->is_replaced) {
            continue;
        }
        is_written = (is_first || put(self, ",", 1))
                     && write_string(self, (wire_range){entry->key, entry->size})
                     && put(self, ":", 1) && write_value(self, entries->values[i].range);
        is_first = false;
    }
    return is_written && put(self, "}", 1);
}

static bool
write_struct(writer *self, wire_range value)
{
    struct_entries entries = {0};
    size_t replaced;
    bool is_written = read_entries(self, value, &entries);
    if (is_written && mark_replaced(entries.keys, entries.count, &replaced) < 0) {
        is_written = protobuf_stop(self->machine, BUILD_NO_MEMORY);
    }
    is_written = is_written && write_entries(self, &entries);
    release_entries(&entries);
    return is_written;
}

/* ---- fields ---- */

typedef bool write_message(writer *self, wire_range value);

static write_message *
writer_of(field *at)
{
    return at->kind->read == protobuf_read_struct       ? write_struct
           : at->kind->read == protobuf_read_value      ? write_value
           : at->kind->read == protobuf_read_list_value ? write_list
                                                        : NULL;
}

/* Adds a slot for the bytes that no slot contains yet. */
static bool
put_written(machine *self, column *to)
{
    if (column_reserve(to) != BUILD_OK) {
        return protobuf_stop(self, BUILD_NO_MEMORY);
    }
    to->offsets[to->length + 1] = (int32_t)to->size;
    column_count_value(to);
    return true;
}

static bool
put_json(machine *self, field *at, column *to, wire_range value, wire_range origin)
{
    writer text = {self, at, to, origin, 0};
    to->size = to->offsets[to->length];
    return writer_of(at)(&text, value) && put_written(self, to);
}

/* Appends the bytes to those of earlier parts; protobuf_complete_json() makes text from them. */
static bool
put_part(machine *self, field *at, int64_t row, wire_range part)
{
    column *to = &self->set->columns[at->values];
    bool is_there = to->length > row;
    int64_t size = is_there ? to->size : to->offsets[row];
    to = protobuf_target(self, at, row);
    to->size = size;
    writer text = {self, at, to, part, 0};
    return put(&text, part.data, part.size) && put_written(self, to);
}

static bool
read_json(machine *self, field *at, int64_t row)
{
    wire_range value;
    bool is_single = at->shape == PROTOBUF_SINGLE;
    if (!wire_read_message(&self->in, at->tag, &value)) {
        return protobuf_spoilt(self, at);
    }
    if (is_single && self->has_parts) {
        return put_part(self, at, row, value);
    }
    if (self->set->columns[at->values].length > row) {
        self->has_parts = true;
        return protobuf_fail(self, at->path, "a message in parts");
    }
    return put_json(self, at, protobuf_target(self, at, row), value, value);
}

bool
protobuf_complete_json(machine *self, field *at, int64_t row)
{
    column *to = &self->set->columns[at->values];
    if (!self->has_parts || writer_of(at) == NULL) {
        return true;
    }
    size_t size = (size_t)(to->size - to->offsets[row]);
    uint8_t *copy = malloc(size + 1);
    if (copy == NULL) {
        return protobuf_stop(self, BUILD_NO_MEMORY);
    }
    memcpy(copy, to->bytes + to->offsets[row], size);
    to->length = row;
    bool is_put = put_json(self, at, to, (wire_range){copy, size}, (wire_range){self->in.at, 0});
    free(copy);
    return is_put;
}

bool
protobuf_read_struct(machine *self, field *at, int64_t row)
{
    return read_json(self, at, row);
}

bool
protobuf_read_value(machine *self, field *at, int64_t row)
{
    return read_json(self, at, row);
}

bool
protobuf_read_list_value(machine *self, field *at, int64_t row)
{
    return read_json(self, at, row);
}

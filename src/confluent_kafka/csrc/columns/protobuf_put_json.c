#include "columns/protobuf_put_json.h"

#include "columns/json_float.h"
#include "columns/json_text.h"
#include "columns/protobuf_put.h"
#include "columns/protobuf_struct.h"

/*
 * Struct, Value and ListValue: field 1 of Struct is a map of Values, field 1 of ListValue a list.
 */

typedef put_machine machine;
typedef const put_instruction instruction;

/* The state of one text while it is read. */
typedef struct {
    machine *machine;
    instruction *at;
    json_text text;
    int depth;
} reader;

static bool read_value(reader *self);

static bool
fail(reader *self, const char *reason)
{
    put_fail(self->machine, self->at, reason);
    return false;
}

static bool
put_byte(reader *self, uint8_t byte)
{
    if (!put_reserve(self->machine, 1)) {
        return false;
    }
    *self->machine->to.at++ = byte;
    return true;
}

/* Writes a value after its size. */
static bool
put_sized(reader *self, uint32_t tag, bool (*read)(reader *self))
{
    int64_t place = protobuf_put_open(self->machine, tag);
    return place >= 0 && read(self) && protobuf_put_close(self->machine, tag, place);
}

/* ---- values ---- */

static bool
read_string(reader *self)
{
    json_string string;
    if (!json_take(&self->text, '"')) {
        return fail(self, "JSON with a key that is not a string");
    }
    const char *problem = json_read_string(&self->text, &string);
    if (problem != NULL) {
        return fail(self, problem);
    }
    if (!put_reserve(self->machine, (int64_t)string.size)) {
        return false;
    }
    if (string.has_escapes) {
        self->machine->to.at += json_unescape(&string, self->machine->to.at);
    }
    else {
        put_copy(self->machine, string.data, string.size);
    }
    return true;
}

static bool
read_number(reader *self)
{
    json_number number;
    double value;
    const char *problem = json_read_number(&self->text, &number);
    if (problem != NULL) {
        return fail(self, problem);
    }
    if (!json_number_double(&number, &value)) {
        return fail(self, "JSON with a number that is too large for a double");
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return put_byte(self, NUMBER_VALUE)
           && put_bits(self->machine, self->at, bits, sizeof(bits)) != NULL;
}

/* Reads the contents of brackets; `read` reads one of the items between commas. */
static bool
read_all(reader *self, uint8_t opening, uint8_t closing, bool (*read)(reader *self))
{
    if (!json_take(&self->text, opening)) {
        return fail(self, opening == '{' ? "JSON that is not an object"
                                         : "JSON that is not an array");
    }
    json_skip_space(&self->text);
    if (json_take(&self->text, closing)) {
        return true;
    }
    do {
        json_skip_space(&self->text);
        if (!put_sized(self, STRUCT_ITEM, read)) {
            return false;
        }
        json_skip_space(&self->text);
    } while (json_take(&self->text, ','));
    return json_take(&self->text, closing)
           || fail(self, "JSON with neither a comma nor the end after a value");
}

static bool
read_entry(reader *self)
{
    if (!put_sized(self, ENTRY_KEY, read_string)) {
        return false;
    }
    json_skip_space(&self->text);
    if (!json_take(&self->text, ':')) {
        return fail(self, "JSON with a key without a colon after it");
    }
    json_skip_space(&self->text);
    return put_sized(self, ENTRY_VALUE, read_value);
}

static bool
read_object(reader *self)
{
    return read_all(self, '{', '}', read_entry);
}

static bool
read_array(reader *self)
{
    return read_all(self, '[', ']', read_value);
}

static bool
read_word(reader *self)
{
    if (json_take_word(&self->text, "null", 4)) {
        return put_byte(self, NULL_VALUE) && put_byte(self, 0);
    }
    bool value = json_take_word(&self->text, "true", 4);
    if (!value && !json_take_word(&self->text, "false", 5)) {
        return read_number(self);
    }
    return put_byte(self, BOOL_VALUE) && put_byte(self, value);
}

static bool
read_value(reader *self)
{
    if (self->depth == JSON_DEPTH_LIMIT) {
        return fail(self, "JSON that is nested more than 64 deep");
    }
    self->depth++;
    uint8_t first = self->text.at < self->text.end ? *self->text.at : 0;
    bool is_read = first == '{'   ? put_sized(self, STRUCT_VALUE, read_object)
                   : first == '[' ? put_sized(self, LIST_VALUE, read_array)
                   : first == '"' ? put_sized(self, STRING_VALUE, read_string)
                                  : read_word(self);
    self->depth--;
    return is_read;
}

/* ---- fields ---- */

/* Reads a whole text. */
static instruction *
put_text(machine *self, instruction *at, bool (*read)(reader *self))
{
    size_t size;
    const uint8_t *data = put_load_bytes(self, at, &size);
    if (data == NULL) {
        return NULL;
    }
    reader text = {self, at, {data, data + size}, 0};
    json_skip_space(&text.text);
    if (!put_sized(&text, protobuf_tag(at), read)) {
        return NULL;
    }
    json_skip_space(&text.text);
    return text.text.at == text.text.end ? at + 1
                                         : put_fail(self, at, "JSON with more after its value");
}

instruction *
protobuf_put_struct(machine *self, instruction *at)
{
    return put_text(self, at, read_object);
}

instruction *
protobuf_put_value(machine *self, instruction *at)
{
    return put_text(self, at, read_value);
}

instruction *
protobuf_put_list_value(machine *self, instruction *at)
{
    return put_text(self, at, read_array);
}

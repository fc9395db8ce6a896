#include "columns/protobuf_wire.h"

static bool
refuse(wire_input *self, const char *problem)
{
    self->problem = problem;
    return false;
}

static bool
ends_early(wire_input *self)
{
    return refuse(self, "the payload ends within a value");
}

/* Joins eight groups of seven bits, the lowest first, to one number. */
static uint64_t
join_groups(uint64_t word)
{
    word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
    word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
    return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

bool
wire_read_long_varint(wire_input *self, uint64_t *value)
{
    if (wire_left(self) >= sizeof(uint64_t)) {
        uint64_t word = word_load(self->at), ends = ~word & WORD_HIGHS;
        if (ends != 0) {
            int last = word_first_byte(ends);
            *value = join_groups(word & ~0ull >> (56 - 8 * last));
            self->at += last + 1;
            return true;
        }
    }
    *value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (self->at == self->end) {
            return ends_early(self);
        }
        uint8_t byte = *self->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return refuse(self, "a number of more than ten bytes");
}

bool
wire_read_long_number(wire_input *self, uint32_t *value, const char *problem)
{
    uint64_t wide = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        if (self->at == self->end) {
            return ends_early(self);
        }
        uint8_t byte = *self->at++;
        wide |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = (uint32_t)wide;
            return wide <= UINT32_MAX || refuse(self, problem);
        }
    }
    return refuse(self, problem);
}

/* Skips a value that is not a group. */
static bool
skip_value(wire_input *self, uint32_t type)
{
    uint64_t number;
    const uint8_t *data;
    wire_range range;
    switch (type) {
    case WIRE_VARINT:
        return wire_read_varint(self, &number);
    case WIRE_64:
        return wire_read_bytes(self, 8, &data);
    case WIRE_SIZED:
        return wire_read_sized(self, &range);
    case WIRE_32:
        return wire_read_bytes(self, 4, &data);
    default:
        return refuse(self, "an unknown wire type");
    }
}

/* Skips a group, from after its start tag to after its end tag, which is at `fields_end`. */
static bool
skip_group(wire_input *self, uint32_t number, const uint8_t **fields_end)
{
    uint32_t open[WIRE_GROUP_LIMIT] = {number};
    int depth = 1;
    while (depth > 0) {
        uint32_t tag;
        *fields_end = self->at;
        if (!wire_read_tag(self, &tag)) {
            return false;
        }
        if ((tag & 7) == WIRE_GROUP) {
            if (depth == WIRE_GROUP_LIMIT) {
                return refuse(self, "groups are nested more than 100 deep");
            }
            open[depth++] = tag >> 3;
        }
        else if ((tag & 7) == WIRE_GROUP_END) {
            if (open[--depth] != tag >> 3) {
                return refuse(self, "the end of a group that is not open");
            }
        }
        else if (!skip_value(self, tag & 7)) {
            return false;
        }
    }
    return true;
}

bool
wire_skip(wire_input *self, uint32_t tag)
{
    const uint8_t *fields_end;
    if ((tag & 7) == WIRE_GROUP) {
        return skip_group(self, tag >> 3, &fields_end);
    }
    if ((tag & 7) == WIRE_GROUP_END) {
        return refuse(self, "the end of a group that is not open");
    }
    return skip_value(self, tag & 7);
}

bool
wire_read_message(wire_input *self, uint32_t tag, wire_range *fields)
{
    if ((tag & 7) != WIRE_GROUP) {
        return wire_read_sized(self, fields);
    }
    const uint8_t *end;
    fields->data = self->at;
    if (!skip_group(self, tag >> 3, &end)) {
        return false;
    }
    fields->size = (size_t)(end - fields->data);
    return true;
}

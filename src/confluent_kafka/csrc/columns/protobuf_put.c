#include "columns/protobuf_put.h"

typedef put_machine machine;

static inline bool
is_group(uint32_t tag)
{
    return (tag & 7) == WIRE_GROUP;
}

/* Leaves one byte for the size, which is mostly enough. */
int64_t
protobuf_put_open(machine *self, uint32_t tag)
{
    if (!protobuf_put_tag(self, tag, 1)) {
        return -1;
    }
    self->to.at += !is_group(tag);
    return payload_size(&self->to);
}

static bool
put_size(machine *self, int64_t place)
{
    uint8_t text[VARINT_SIZE];
    int64_t size = payload_size(&self->to) - place;
    int64_t more = wire_write_varint(text, (uint64_t)size) - text - 1;
    if (!put_reserve(self, more)) {
        return false;
    }
    uint8_t *value = self->to.at - size;
    if (more > 0) {
        memmove(value + more, value, (size_t)size);
    }
    memcpy(value - 1, text, (size_t)more + 1);
    self->to.at += more;
    return true;
}

bool
protobuf_put_close(machine *self, uint32_t tag, int64_t place)
{
    return is_group(tag) ? protobuf_put_tag(self, tag - WIRE_GROUP + WIRE_GROUP_END, 0)
                         : put_size(self, place);
}

#include "columns/payload_writer.h"

payload_writer
payload_writer_of(column *to)
{
    return (payload_writer){to, to->bytes + to->size, to->bytes + to->room};
}

enum build_status
payload_grow(payload_writer *self, int64_t size)
{
    int64_t written = payload_size(self);
    if (size > INT32_MAX - written) {
        return BUILD_TOO_LARGE;
    }
    enum build_status status = column_grow_bytes(self->to, written + size);
    *self = payload_writer_of(self->to);
    self->at += written;
    return status;
}

enum build_status
payload_end(payload_writer *self)
{
    column *to = self->to;
    if (column_reserve(to) != BUILD_OK) {
        return BUILD_NO_MEMORY;
    }
    to->size += payload_size(self);
    to->offsets[to->length + 1] = (int32_t)to->size;
    column_count_value(to);
    return BUILD_OK;
}

void
payload_discard(payload_writer *self)
{
    self->at = self->to->bytes + self->to->size;
}

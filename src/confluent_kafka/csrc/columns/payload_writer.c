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

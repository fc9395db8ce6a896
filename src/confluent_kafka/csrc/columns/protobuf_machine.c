#include "columns/protobuf_machine.h"

bool
protobuf_fail(protobuf_machine *self, const char *path, const char *reason)
{
    *self->failure = (row_failure){reason, path, self->in.at};
    self->status = ROW_BAD;
    return false;
}

bool
protobuf_stop(protobuf_machine *self, enum build_status status)
{
    self->status = status == BUILD_TOO_LARGE ? ROW_TOO_LARGE : ROW_NO_MEMORY;
    return false;
}

void
protobuf_clear_rivals(protobuf_machine *self, const protobuf_field *at, int64_t row)
{
    for (int32_t i = 0; i < at->rival_count; i++) {
        if (self->set->columns[at->rivals[i]].length > row) {
            columns_truncate_column(self->set, at->rivals[i], row);
        }
    }
}

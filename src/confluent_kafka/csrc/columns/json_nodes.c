#include "columns/json_nodes.h"

#include <stdlib.h>

typedef json_machine machine;
typedef const json_node node;

bool
json_fail(machine *self, node *of, const char *reason)
{
    *self->failure = (row_failure){reason, of->field, self->text.at};
    self->status = ROW_BAD;
    return false;
}

bool
json_put(machine *self, enum build_status status)
{
    if (status != BUILD_OK) {
        self->status = status == BUILD_TOO_LARGE ? ROW_TOO_LARGE : ROW_NO_MEMORY;
    }
    return status == BUILD_OK;
}

bool
json_put_null(machine *self, node *of)
{
    if (!(of->flags & JSON_NULLABLE)) {
        self->text.at -= 4;
        return json_fail(self, of, "null, where the schema has none");
    }
    return json_put(self, columns_put_null(self->set, of->column));
}

bool
json_need_scratch(machine *self, size_t size)
{
    if (size <= self->scratch_size) {
        return true;
    }
    uint8_t *scratch = realloc(self->scratch, size);
    if (scratch == NULL) {
        self->status = ROW_NO_MEMORY;
        return false;
    }
    self->scratch = scratch;
    self->scratch_size = size;
    return true;
}

bool
json_read_characters(machine *self, node *of, json_string *string)
{
    if (!json_take(&self->text, '"')) {
        return json_fail(self, of, "not a string");
    }
    const char *problem = json_read_string(&self->text, string);
    if (problem != NULL) {
        return json_fail(self, of, problem);
    }
    if (string->has_escapes) {
        if (!json_need_scratch(self, string->size)) {
            return false;
        }
        string->size = json_unescape(string, self->scratch);
        string->data = self->scratch;
    }
    return true;
}

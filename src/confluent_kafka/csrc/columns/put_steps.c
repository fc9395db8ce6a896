#include "columns/put_steps.h"

typedef put_machine machine;
typedef const put_instruction instruction;

bool
put_run(machine *self, instruction *from, instruction *end)
{
    while (from != NULL && from < end) {
        from = from->step(self, from);
    }
    return from != NULL;
}

instruction *
put_fail(machine *self, instruction *at, const char *reason)
{
    *self->failure = (write_failure){reason, at->field};
    self->status = ROW_BAD;
    return NULL;
}

instruction *
put_fail_null(machine *self, instruction *at)
{
    return put_fail(self, at, "a null, which the schema does not allow here");
}

bool
put_stop(machine *self, enum build_status status)
{
    self->status = status == BUILD_TOO_LARGE ? ROW_TOO_LARGE : ROW_NO_MEMORY;
    return false;
}

#include "client/failure.h"

#include <stdio.h>
#include <stdlib.h>

#include "client/callbacks.h"
#include "client/core.h"
#include "client/exceptions.h"
#include "client/log_ring.h"
#include "client/serve.h"

static bool
is_without_cause(rd_kafka_resp_err_t code)
{
    return is_timeout(code) || is_lost_broker(code)
           || code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN
           || code == RD_KAFKA_RESP_ERR__WAIT_COORD;
}

void
raise_with_cause(module_state *state, const client_core *core, PyObject *error)
{
    char *cause = NULL;
    if (error != NULL && is_without_cause(kafka_error_code(error))) {
        cause = log_ring_last_failure(core->logs);
    }
    if (cause != NULL && kafka_error_add_cause(error, cause) < 0) {
        Py_CLEAR(error);
    }
    free(cause);
    raise_kafka_error_object(state, error);
}

/*
 * Some failures, such as a missing token, are not logged by librdkafka but only reported as
 * events. This serves these events, unless that would call the application's callbacks.
 */
static void
note_waiting_errors(Client *self, rd_kafka_resp_err_t code)
{
    serving_lock lock;
    if (!is_without_cause(code) || self->kind->note_errors == NULL
        || callbacks_are_there(self)) {
        return;
    }
    if (serve_lock(self, &lock) < 0) {
        client_park_exception(self); /* the exception of a signal handler must not be lost */
        return;
    }
    self->kind->note_errors(self);
    serve_unlock(self, &lock);
}

void
client_raise_error(Client *self, rd_kafka_resp_err_t code, const char *what)
{
    char reason[1024];
    note_waiting_errors(self, code);
    snprintf(reason, sizeof(reason), "%s: %s", what, rd_kafka_err2str(code));
    raise_with_cause(self->state, self->core,
                     kafka_error_new(self->state, code, reason));
}

int
client_raise_if_error(Client *self, rd_kafka_error_t *error)
{
    if (error == NULL) {
        return 0;
    }
    note_waiting_errors(self, rd_kafka_error_code(error));
    raise_with_cause(self->state, self->core, kafka_error_from(self->state, error));
    rd_kafka_error_destroy(error);
    return -1;
}

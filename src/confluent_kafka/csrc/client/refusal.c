#include "client/refusal.h"

#include "client/client.h"

/* The next attempts follow within reconnect.backoff.max.ms, 10 seconds by default. */
#define REMEMBERED_SECONDS 15

void
refusal_note(Client *client, rd_kafka_resp_err_t code, const char *reason)
{
    refusal *last = &client->refusal;
    if (atomic_load(&client->phase) != CLIENT_OPEN) {
        return; /* close() does what it can without brokers: nobody asked for more */
    }
    if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL) {
        Py_XSETREF(last->error, kafka_error_new(client->state, code, reason));
        last->until = deadline_after(REMEMBERED_SECONDS);
    }
    else if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && last->error != NULL) {
        PyObject *error = last->error;
        last->error = NULL;
        if (deadline_passed(&last->until)) {
            Py_DECREF(error);
            return;
        }
        raise_kafka_error_object(client->state, error);
    }
    if (PyErr_Occurred()) {
        client_park_exception(client);
    }
}

#include "client/core.h"

#include <stdlib.h>
#ifndef _WIN32
#include <unistd.h>

#include "client/log_ring.h"
#endif

client_core *
core_new(void)
{
    client_core *core = calloc(1, sizeof(*core));
    if (core == NULL) {
        return NULL;
    }
    core->logs = log_ring_new();
    if (core->logs == NULL) {
        free(core);
        return NULL;
    }
    atomic_init(&core->references, 1);
    core->owner_pid = process_id();
    core->event_fd = -1;
    return core;
}

client_core *
core_retain(client_core *core)
{
    atomic_fetch_add(&core->references, 1);
    return core;
}

bool
core_owned_by_this_process(const client_core *core)
{
    return core->owner_pid == process_id();
}

void
core_set_event_fd(client_core *core, int fd)
{
#ifndef _WIN32
    if (core->event_fd != -1) {
        close(core->event_fd);
    }
#endif
    core->event_fd = fd;
}

void
core_wake(client_core *core)
{
    rd_kafka_queue_yield(core->queue);
    if (core->callbacks != NULL) {
        rd_kafka_queue_yield(core->callbacks);
    }
}

WITHOUT_GIL void
core_release(client_core *core)
{
    if (atomic_fetch_sub(&core->references, 1) != 1) {
        return;
    }
    /* In a forked child, locks of the handle may be held by threads that do not exist here, so
     * that using it could hang. It is left until the process ends. */
    if (core->rk != NULL && core_owned_by_this_process(core)) {
        if (core->queue != NULL) {
            rd_kafka_queue_destroy(core->queue);
        }
        if (core->callbacks != NULL) {
            rd_kafka_queue_destroy(core->callbacks);
        }
        rd_kafka_destroy_flags(core->rk, core->destroy_flags);
        core->rk = NULL;
        core_set_event_fd(core, -1);
    }
    if (core->rk == NULL) {
        log_ring_free(core->logs);
        free(core);
    }
}

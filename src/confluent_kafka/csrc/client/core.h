/*
 * The part of a client that must outlive its Python object: the librdkafka handle, and the data
 * that librdkafka's own threads write to.
 *
 * Its reference count needs no GIL, because a worker thread (request.h) can still be inside
 * librdkafka after the Python object has been freed. The thread that drops the last reference
 * destroys the handle.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CORE_H
#define CONFLUENT_KAFKA_CLIENT_CORE_H

#include "base/module_state.h"

#include <stdatomic.h>

#include "client/log_ring.h"

struct Client;

typedef struct {
    atomic_int references;
    rd_kafka_t *rk;          /* NULL until rd_kafka_new() succeeded */
    rd_kafka_queue_t *queue; /* the queue that poll() serves; NULL if rk is NULL */
    rd_kafka_queue_t *callbacks; /* another queue that calls may wait on, or NULL */
    int destroy_flags;       /* for rd_kafka_destroy_flags() */
    int event_fd;            /* librdkafka's threads write to it, see io_event.c; or -1 */
    long owner_pid;          /* the handle's threads exist in this process only */
    log_ring *logs;
    atomic_bool token_wanted; /* librdkafka asked for an OAUTHBEARER token, see oauth.h */
    atomic_bool token_failing; /* the last call of oauth_cb failed */
    /*
     * The Python object, borrowed. Callbacks use it; librdkafka runs them only inside a call
     * that holds a reference to it. NULL after the object has been freed.
     */
    struct Client *client;
} client_core;

/* NULL if there is no memory (no exception is set). */
client_core *core_new(void);
client_core *core_retain(client_core *core);

/*
 * Drops a reference. The last one destroys the handle, which can take as long as a broker
 * thread needs to react. Needs no GIL, and should be called without it.
 */
void core_release(client_core *core);

/* Takes ownership of the descriptor that librdkafka now writes to, and closes the former one. */
void core_set_event_fd(client_core *core, int fd);

/* Makes a call that waits on one of the queues return, now or as soon as it begins. */
void core_wake(client_core *core);

/* False in a forked child, where the handle's threads do not exist. */
bool core_owned_by_this_process(const client_core *core);

#endif

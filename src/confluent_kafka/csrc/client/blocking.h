/*
 * Blocking requests of librdkafka that can be interrupted.
 *
 * Calls such as rd_kafka_metadata() wait for a broker inside librdkafka for as long as
 * their timeout says. They run on a thread of their own (without Python) while the calling
 * thread waits in short slices, serves signals and can be woken; a call that is given up
 * goes on alone and frees itself.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_BLOCKING_H
#define CONFLUENT_KAFKA_CLIENT_BLOCKING_H

#include "client/client.h"

typedef struct blocking_call {
    /* On the worker thread, without Python: does the request and keeps its result. */
    void (*run)(struct blocking_call *call);
    /* Frees arguments, result and the call itself; on either thread, without Python. */
    void (*destroy)(struct blocking_call *call);
    /* Filled in by blocking_call_run(). */
    rd_kafka_t *rk;
    client_core *core;
    PyThread_type_lock changed; /* released when it has run, and by wakeup() */
    atomic_bool has_run;
    atomic_int parties; /* the caller and the worker; the last one frees it */
    struct blocking_call *next_waiting;
} blocking_call;

/*
 * For run(): a request without limit (`timeout_ms` -1) is made again and again with a long
 * timeout instead, until it is answered or nobody waits for it any more; with -1 it would
 * hold the handle for ever on a cluster that is gone. Returns what `attempt` returned last.
 */
rd_kafka_resp_err_t blocking_call_attempts(blocking_call *call, int timeout_ms,
                                           rd_kafka_resp_err_t (*attempt)(blocking_call *call,
                                                                          int timeout_ms));

/* For run(), before it asks again: waits a little. False: nobody waits any more. */
bool blocking_call_pause(blocking_call *call, deadline *until);

/*
 * Runs `call` (allocated by the caller, with run and destroy set) and waits for it. 0: it
 * has run and the caller reads its result and then calls blocking_call_end(). -1: an
 * exception is set, the call is no longer the caller's.
 */
int blocking_call_run(Client *self, blocking_call *call, const char *what);
void blocking_call_end(blocking_call *call);

/*
 * The same for a request that needs the calling thread meanwhile: `meanwhile` is called
 * again and again until the call has run: 0 to go on, 1 to be called again after a while, -1
 * with an exception. It must return soon, or wait on the client's queue, which is woken at
 * the end.
 */
int blocking_call_run_while(Client *self, blocking_call *call, const char *what,
                            int (*meanwhile)(Client *self));

/* wakeup(): makes the threads that wait in blocking_call_run() look up. */
void blocking_calls_wake(Client *self);

#endif

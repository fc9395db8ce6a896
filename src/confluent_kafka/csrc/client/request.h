/*
 * Blocking requests of librdkafka that can be interrupted.
 *
 * Calls such as rd_kafka_metadata() wait for a broker inside librdkafka for as long as
 * their timeout says. They run on a thread of their own (without Python) while the calling
 * thread waits in short slices, serves signals and can be woken; a request that is given up
 * goes on alone and frees itself.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_REQUEST_H
#define CONFLUENT_KAFKA_CLIENT_REQUEST_H

#include "client/client.h"

struct request;

/*
 * Asks once, on the worker thread, and keeps what it gets in the request. NULL, or an error,
 * which is the caller's. A request without limit is made again and again with a long timeout,
 * until it is answered or nobody waits for it any more: with -1 it would hold the handle for
 * ever on a cluster that is gone.
 */
typedef rd_kafka_error_t *request_attempt(struct request *self, int timeout_ms);

typedef struct request {
    request_attempt *attempt;
    rd_kafka_t *rk; /* set by request_wait() */
    int timeout_ms; /* -1: without limit */
    /* -1 means something to librdkafka itself, which ends by itself: asked once. */
    bool asks_once;
    /* Who keeps it if the thread that waits is interrupted; NULL: it frees itself. */
    struct request **left;

    /* What it takes, and in part fills in; owned. */
    char *name; /* of a topic or group; NULL: none, or all */
    rd_kafka_topic_partition_list_t *partitions;
    rd_kafka_consumer_group_metadata_t *group;
    int flags;
    void *input; /* what else it takes; freed with free() */

    /* What it gives. */
    rd_kafka_error_t *error;
    rd_kafka_resp_err_t code; /* of what was asked for, in an answer */
    int64_t low, high;
    void *answer; /* freed by `free_answer` */
    void (*free_answer)(void *answer);

    /* request.c's own. */
    client_core *core;
    PyThread_type_lock changed; /* released when it has run, and by wakeup() */
    atomic_bool has_run;
    atomic_int parties; /* the caller and the worker; the last one frees it */
    struct request *next_waiting;
} request;

/* NULL with a MemoryError. `name` is copied; NULL: none. */
request *request_new(request_attempt *attempt, int timeout_ms, const char *name);

/* Lets go of a request: one that has run, or was never made. */
void request_end(request *self);

/*
 * Makes the request (taken over on failure) and waits for it. 0: it has run without an error,
 * and the caller reads its result and then calls request_end(). -1: an exception is set; for an
 * error of the request it is a KafkaException.
 */
int request_run(Client *client, request *self, const char *what);

/*
 * The same, but the error is the caller's to look at; `meanwhile` (or NULL) is called again and
 * again until the request has run: 0 to go on, 1 to be called again after a while, -1 with an
 * exception. It must return soon, or wait on the client's queue, which is woken at the end.
 */
int request_wait(Client *client, request *self, const char *what,
                 int (*meanwhile)(Client *client));

/* Waits for a request that an interrupted thread has left, as request_wait(): it stays left on -1. */
int request_wait_again(Client *client, request *self, const char *what,
                       int (*meanwhile)(Client *client));

/* The exception of a request that wakeup() or close() has ended: -1. */
int request_raise_interrupted(Client *client, const char *what);

/* Nobody waits for it any more. */
bool request_is_given_up(request *self);

/* For an attempt, before it asks again: waits a little. False: nobody waits any more. */
bool request_pause(request *self, deadline *until);

/* NULL for no error; else "what: text of the code". For an attempt to return. */
rd_kafka_error_t *request_error(rd_kafka_resp_err_t code, const char *what);

/* wakeup(): makes the threads that wait in request_wait() look up. */
void requests_wake(Client *client);

#endif

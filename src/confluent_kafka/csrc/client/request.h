/*
 * Blocking requests of librdkafka that can be interrupted.
 *
 * Calls such as rd_kafka_metadata() wait inside librdkafka for a broker until their timeout. They
 * run on a thread of their own (without Python). The calling thread waits in short slices, serves
 * signals and can be woken. A request that is given up does not begin any more. If it has begun, it
 * continues alone and frees itself.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_REQUEST_H
#define CONFLUENT_KAFKA_CLIENT_REQUEST_H

#include "client/client.h"

struct request;

/*
 * Asks once, on the worker thread, and keeps the result in the request. Returns NULL, or an error
 * that the caller owns. A request without limit is repeated with a long timeout until it is
 * answered or nobody waits for it: with a timeout of -1 it would hold the handle for ever if the
 * cluster does not come back.
 */
typedef rd_kafka_error_t *request_attempt(struct request *self, int timeout_ms);

typedef struct request {
    request_attempt *attempt;
    rd_kafka_t *rk; /* set by request_wait() */
    int timeout_ms; /* -1: no limit */
    /* Asks once even without a limit: librdkafka limits this request itself, or it must not be
     * carried out twice. */
    bool asks_once;
    /* Where the request is kept if the waiting thread is interrupted; NULL: it frees itself. */
    struct request **left;

    /* The input, parts of which are filled in; owned. */
    char *name; /* of a topic or group; NULL: none, or all */
    rd_kafka_topic_partition_list_t *partitions;
    rd_kafka_consumer_group_metadata_t *group;
    int flags;
    void *input; /* more input; freed with free() */

    /* The result. */
    rd_kafka_error_t *error;
    rd_kafka_resp_err_t code; /* the error code of the requested item in an answer */
    int64_t low, high;
    void *answer; /* freed by `free_answer` */
    void (*free_answer)(void *answer);

    /* Used by request.c only. */
    client_core *core;
    PyThread_type_lock changed; /* released when it has run, and by wakeup() */
    atomic_bool claimed; /* by the worker that begins it, or the caller that cancels it */
    atomic_bool has_run;
    atomic_int parties; /* the caller and the worker; the last one frees it */
    struct request *next_waiting;
} request;

/* NULL with a MemoryError. `name` is copied; it may be NULL. */
request *request_new(request_attempt *attempt, int timeout_ms, const char *name);

/* Releases a request that has run or was never started. */
void request_end(request *self);

/*
 * Makes the request (consumed on failure) and waits for it. 0: it has run without an error; the
 * caller reads its result and then calls request_end(). -1: an exception is set, for an error of
 * the request a KafkaException.
 */
int request_run(Client *client, request *self, const char *what);

/*
 * The same, but the caller handles the request's error. `meanwhile` (or NULL) is called repeatedly
 * until the request has run. It returns 0 to be called again, 1 to be called again after a pause,
 * -1 with an exception. It must return soon, or wait on the client's queue, which is woken at the
 * end.
 */
int request_wait(Client *client, request *self, const char *what,
                 int (*meanwhile)(Client *client));

/* As request_wait(), for a request that an interrupted thread left. After -1, a later call may wait
 * for it again. */
int request_wait_again(Client *client, request *self, const char *what,
                       int (*meanwhile)(Client *client));

/* Raises the error of a request that wakeup() or close() has ended; returns -1. */
int request_raise_interrupted(Client *client, const char *what);

/* Whether nobody waits for the request any more. */
bool request_is_given_up(request *self);

/* For an attempt: pauses before it asks again. False: nobody waits any more. */
bool request_pause(request *self, deadline *until);

/* The error for an attempt to return, "what: text of the code"; NULL if the code is no error. */
rd_kafka_error_t *request_error(rd_kafka_resp_err_t code, const char *what);

/* wakeup(): makes the threads that wait in request_wait() check for it. */
void requests_wake(Client *client);

#endif

/*
 * Consumer: the type (type.c), what it fetches (fetch.c, awaited.c, by_partition.c,
 * handing_out.c), what is assigned to it (assignment.c, rebalance.c, pause.c) and where it stands
 * (offsets.c, positions.c, lag.c).
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_CONSUMER_H
#define CONFLUENT_KAFKA_CONSUMER_CONSUMER_H

#include "client/client.h"
#include "consumer/fence.h"
#include "consumer/in_flight.h"
#include "consumer/read_ahead.h"
#include "consumer/shelves.h"

/* A rebalance whose callback has not ended when it returns: a coroutine. */
typedef struct {
    bool allowed; /* inside a rebalance callback */
    bool wanted;  /* by the callback that runs */
    int32_t number;
    rd_kafka_resp_err_t code;
    rd_kafka_topic_partition_list_t *partitions; /* NULL: no step waits to be taken */
} deferral;

typedef struct {
    Client client;
    PyObject *on_commit;
    PyObject *on_assign, *on_revoke, *on_lost; /* of the subscription */
    bool subscribed;    /* since the last unsubscribe() */
    bool unsubscribing; /* unsubscribe() was called, and the revocation was not served yet */
    bool auto_offset_store; /* enable.auto.offset.store, which is off in librdkafka */
    read_ahead read_ahead;
    shelves shelves; /* of calls for certain partitions */
    rd_kafka_topic_partition_list_t *rewound; /* see consumer_rewind() */
    rd_kafka_topic_partition_list_t *revoked; /* during a fetch, see drop_revoked() */
    in_flight in_flight; /* taken, and not handed out yet */
    fence fence; /* pause_while() */
    bool assigned; /* the rebalance callback has changed the assignment itself */
    bool answered_revocation; /* and that was the last rebalance: something may be assigned */
    deferral deferral;
    rd_kafka_queue_t *closing_queue; /* close() is leaving the group, served through this */
} Consumer;

int consumer_type_add(PyObject *module, module_state *state);

/* ---- fetch.c ---- */

extern PyMethodDef consumer_fetch_methods[];
PyObject *consumer_iter_next(PyObject *self);
/* Client.serve: a message that comes meanwhile is the next that poll() returns. */
int consumer_serve_once(Client *client, int timeout_ms);

/* What the calls around share, under the serving lock. */

#define MAX_MESSAGES 1000000
/* A call must not keep an event loop for longer: it is repeated while the queue has more. */
#define LONGEST_STEP 10000

/*
 * Fetches up to `wanted` messages (at most READ_AHEAD_SIZE) for which there is room in
 * `read_ahead`: how many there were, before a rebalance took some of them away. Callbacks may run.
 */
size_t consumer_fetch_ahead(Consumer *self, int timeout_ms, size_t wanted);
/*
 * What becomes of messages that a call returns: LEFT_UNSTORED and STORED hand them out, without and
 * with their offsets; any greater number is the take in which they are in flight.
 */
typedef int64_t handing;
#define LEFT_UNSTORED 0
#define STORED 1
/* The argument: 0, or -1 with an exception. */
int consumer_handing_from_arg(PyObject *object, const char *name, handing *store);

/* What is made of a message that is handed out: new reference, or NULL with an exception. */
typedef PyObject *message_converter(Consumer *self, rd_kafka_message_t *message, void *opaque);
/*
 * Fetches one message and serves callbacks, like poll(): 1 with a new object, 0 if none came in
 * time, -1 with an exception. Takes the serving lock itself.
 */
int consumer_poll_object(Consumer *self, deadline *until, message_converter *convert, void *opaque,
                         handing store, PyObject **result);
/* The same with a Message. */
int consumer_poll_message(Consumer *self, deadline *until, handing store, PyObject **result);
/* Calls librdkafka if it has not been called for a while, so that callbacks run. */
void consumer_serve_if_stale(Consumer *self);
/* Without waiting, until so many messages are read ahead, or there are no more. 0 or -1. */
int consumer_gather(Consumer *self, size_t wanted);
/*
 * Up to so many messages without waiting; with `all`, none if there are fewer. New reference of a
 * list, or NULL with an exception.
 */
PyObject *consumer_consume_now(Consumer *self, int32_t wanted, bool all, handing store);
/* Argument `num_messages`: 0, or -1 with an exception. */
int consumer_count_from_arg(PyObject *object, int32_t *count);

/* ---- awaited.c, by_partition.c ---- */

extern PyMethodDef consumer_awaited_methods[];
extern PyMethodDef consumer_by_partition_methods[];

/* ---- assignment.c ---- */

extern PyMethodDef consumer_assignment_methods[];

/* ---- rebalance.c ---- */

extern PyMethodDef consumer_rebalance_methods[];
void consumer_rebalance_cb(rd_kafka_t *rk, rd_kafka_resp_err_t code,
                           rd_kafka_topic_partition_list_t *partitions, void *opaque);

/* Whether the group's assignment changes in steps; it asks librdkafka's thread. */
WITHOUT_GIL bool consumer_is_cooperative(rd_kafka_t *rk);

/*
 * True while a callback that has not ended holds a step up: nothing is handed out then, since
 * it may be of partitions that go away.
 */
bool consumer_is_deferring(const Consumer *self);
/* Takes the step that a callback has put off, if there is one; exceptions are parked. */
void consumer_finish_deferred(Consumer *self);
/* Notes that the partitions were taken away, or that they were assigned (again). */
void consumer_note_revoked(Consumer *self, const rd_kafka_topic_partition_list_t *partitions,
                           bool revoked);

/*
 * For what a callback that close() runs cannot do: 0, or -1 with a KafkaException (_DESTROY) that
 * begins with `what`.
 */
int consumer_refuse_while_leaving(Consumer *self, const char *what);
/* Raises that the subscription failed with `code`, and which topic is wrong and why. */
void consumer_raise_subscription(Consumer *self, rd_kafka_resp_err_t code,
                                 const rd_kafka_topic_partition_list_t *topics);

/* ---- offsets.c, positions.c, lag.c ---- */

extern PyMethodDef consumer_offsets_methods[];
extern PyMethodDef consumer_positions_methods[];
extern PyMethodDef consumer_lag_methods[];
void consumer_commit_cb(rd_kafka_t *rk, rd_kafka_resp_err_t code,
                        rd_kafka_topic_partition_list_t *offsets, void *opaque);

/* Fills in the positions, while this thread holds the serving lock: 0, or -1 with an exception. */
int consumer_positions(Consumer *self, rd_kafka_topic_partition_list_t *partitions);

/* ---- pause.c ---- */

extern PyMethodDef consumer_pause_methods[];

/* ---- handing_out.c ---- */

extern PyMethodDef consumer_handing_out_methods[];

/* Before messages are returned: room for those of a take. 0, or -1 with an exception. */
int consumer_may_return(Consumer *self, size_t count, handing store);
/*
 * Notes that messages have been returned. STORED: unless enable.auto.offset.store is off, their
 * offsets are what the next commit commits. Those of a take are taken over, and their places become
 * NULL.
 */
void consumer_returned(Consumer *self, rd_kafka_message_t **messages, size_t count, handing store);
/* Destroys messages, of which some may be NULL. */
void consumer_destroy_messages(rd_kafka_message_t **messages, size_t count);

/*
 * Takes back messages that were fetched and not handed out: the next fetch returns them
 * again, or raises if it was an error. For a call that must raise instead.
 */
void consumer_rewind_messages(Consumer *self, rd_kafka_message_t **messages, size_t count);
/* The same with an exception set. */
void consumer_rewind_raising(Consumer *self, rd_kafka_message_t **messages, size_t count);
/* The error that `message` is will be raised by the next call that serves callbacks. */
void consumer_park_error(Consumer *self, const rd_kafka_message_t *message);

/*
 * Fetches from these offsets again. They are the partitions' position() until a message is
 * handed out: to librdkafka, seeking forgets the position.
 */
void consumer_rewind(Consumer *self, rd_kafka_topic_partition_list_t *offsets);
/* Where consumer_rewind() went, until then; RD_KAFKA_OFFSET_INVALID also if the topic was deleted
 * and created again since. */
int64_t consumer_rewound_to(Consumer *self, const char *topic, int32_t partition);

/* The offset of the first message fetched ahead of the partition; RD_KAFKA_OFFSET_INVALID: none. */
int64_t consumer_first_ahead(const Consumer *self, const char *topic, int32_t partition);

/* Puts what was given back where the next fetch finds it, but for paused partitions. */
void consumer_take_back(Consumer *self);

/* These partitions (NULL: all) begin elsewhere, or are gone: drops what was taken of them, too. */
void consumer_moved(Consumer *self, const rd_kafka_topic_partition_list_t *partitions);

/* Drops what was fetched ahead of these partitions (NULL: of all). */
void consumer_drop_read_ahead(Consumer *self,
                              const rd_kafka_topic_partition_list_t *partitions);

/* What was fetched ahead of partitions to be paused comes again when they are resumed. */
void consumer_rewind_read_ahead(Consumer *self,
                                  const rd_kafka_topic_partition_list_t *partitions);

#endif

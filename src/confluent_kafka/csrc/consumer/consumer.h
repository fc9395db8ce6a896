/*
 * Consumer: the type (type.c), fetching (fetch.c, awaited.c, by_partition.c, handing_out.c),
 * assignments (assignment.c, rebalance.c, pause.c), and offsets (offsets.c, positions.c,
 * lag.c).
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_CONSUMER_H
#define CONFLUENT_KAFKA_CONSUMER_CONSUMER_H

#include "client/client.h"
#include "consumer/fence.h"
#include "consumer/in_flight.h"
#include "consumer/read_ahead.h"
#include "consumer/shelves.h"

/* A rebalance whose callback is a coroutine, which has not ended when the callback returns. */
typedef struct {
    bool allowed; /* inside a rebalance callback */
    bool wanted;  /* the running callback has requested it */
    int32_t number;
    rd_kafka_resp_err_t code;
    rd_kafka_topic_partition_list_t *partitions; /* NULL: no step is pending */
} deferral;

typedef struct {
    Client client;
    PyObject *on_commit;
    PyObject *on_assign, *on_revoke, *on_lost; /* the callbacks of the subscription */
    bool subscribed;    /* subscribe() was called since the last unsubscribe() */
    bool unsubscribing; /* unsubscribe() was called, but the revocation has not been served */
    bool auto_offset_store; /* enable.auto.offset.store; librdkafka's own setting is off */
    read_ahead read_ahead;
    shelves shelves; /* for calls that want certain partitions */
    rd_kafka_topic_partition_list_t *rewound; /* see consumer_rewind() */
    rd_kafka_topic_partition_list_t *revoked; /* during a fetch, see drop_revoked() */
    in_flight in_flight; /* messages that were taken and not handed out yet */
    fence fence; /* pause_while() */
    bool assigned; /* the rebalance callback has changed the assignment itself */
    bool answered_revocation; /* the callback of the last revocation did so, see leave() */
    deferral deferral;
    rd_kafka_queue_t *closing_queue; /* while close() leaves the group, it serves this queue */
} Consumer;

int consumer_type_add(PyObject *module, module_state *state);

/* ---- fetch.c ---- */

extern PyMethodDef consumer_fetch_methods[];
PyObject *consumer_iter_next(PyObject *self);
/* Client.serve: a message that arrives is kept as the next one that poll() returns. */
int consumer_serve_once(Client *client, int timeout_ms);

/* For calls that hold the serving lock. */

#define MAX_MESSAGES 1000000
/* The maximum number of messages in one call for an event loop, which must not block for long. */
#define LONGEST_STEP 10000

/*
 * Fetches up to `wanted` messages (at most READ_AHEAD_SIZE), for which `read_ahead` has room.
 * Returns how many were fetched, before a rebalance removed some of them. Callbacks may run.
 */
size_t consumer_fetch_ahead(Consumer *self, int timeout_ms, size_t wanted);
/*
 * How a call returns messages: LEFT_UNSTORED and STORED hand them out, without and with storing
 * their offsets. A greater number is the take in which they are in flight.
 */
typedef int64_t handing;
#define LEFT_UNSTORED 0
#define STORED 1
/* Reads the argument: 0, or -1 with an exception. */
int consumer_handing_from_arg(PyObject *object, const char *name, handing *store);

/* Makes an object from a message that is handed out: new reference, or NULL with an exception. */
typedef PyObject *message_converter(Consumer *self, rd_kafka_message_t *message, void *opaque);
/*
 * Fetches one message and serves callbacks, like poll(): 1 with a new object; 0 if no message
 * arrived in time; -1 with an exception. It takes the serving lock itself.
 */
int consumer_poll_object(Consumer *self, deadline *until, message_converter *convert, void *opaque,
                         handing store, PyObject **result);
/* The same with a Message. */
int consumer_poll_message(Consumer *self, deadline *until, handing store, PyObject **result);
/* Calls librdkafka if it has not been called for a while, so that callbacks run. */
void consumer_serve_if_stale(Consumer *self);
/* Fetches without waiting until this number of messages is buffered, or no more are there. */
int consumer_gather(Consumer *self, size_t wanted);
/*
 * Up to `wanted` messages without waiting. If `all` is set and there are fewer, the list is empty.
 * New reference to a list, or NULL with an exception.
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

/* Whether the group's protocol is cooperative; it asks librdkafka's thread. */
WITHOUT_GIL bool consumer_is_cooperative(rd_kafka_t *rk);

/*
 * True while a coroutine of a callback delays the step after it. Meanwhile no message is handed
 * out, because its partition may be about to be revoked.
 */
bool consumer_is_deferring(const Consumer *self);
/* Takes the step that a callback has deferred, if there is one; exceptions are parked. */
void consumer_finish_deferred(Consumer *self);
/* Records that partitions were revoked, or that they were assigned (again). */
void consumer_note_revoked(Consumer *self, const rd_kafka_topic_partition_list_t *partitions,
                           bool revoked);

/*
 * For operations that a callback run by close() cannot do: 0, or -1 with a KafkaException
 * (_DESTROY) that begins with `what`.
 */
int consumer_refuse_while_leaving(Consumer *self, const char *what);
/* Raises that the subscription failed with `code`, which topic is wrong, and why. */
void consumer_raise_subscription(Consumer *self, rd_kafka_resp_err_t code,
                                 const rd_kafka_topic_partition_list_t *topics);

/* ---- offsets.c, positions.c, lag.c ---- */

extern PyMethodDef consumer_offsets_methods[];
extern PyMethodDef consumer_positions_methods[];
extern PyMethodDef consumer_lag_methods[];
void consumer_commit_cb(rd_kafka_t *rk, rd_kafka_resp_err_t code,
                        rd_kafka_topic_partition_list_t *offsets, void *opaque);

/* Fills in the positions; the caller holds the serving lock: 0, or -1 with an exception. */
int consumer_positions(Consumer *self, rd_kafka_topic_partition_list_t *partitions);

/* ---- pause.c ---- */

extern PyMethodDef consumer_pause_methods[];

/* ---- handing_out.c ---- */

extern PyMethodDef consumer_handing_out_methods[];

/* Before messages are returned: reserves room if they belong to a take. 0, or -1 with exception. */
int consumer_may_return(Consumer *self, size_t count, handing store);
/*
 * Records that messages have been returned. STORED: the next commit commits their offsets, unless
 * enable.auto.offset.store is off. For a take, takes ownership of the messages and sets their
 * places to NULL.
 */
void consumer_returned(Consumer *self, rd_kafka_message_t **messages, size_t count, handing store);
/* Destroys messages; some may be NULL. */
void consumer_destroy_messages(rd_kafka_message_t **messages, size_t count);

/*
 * Takes back messages that were fetched and not handed out: the next fetch returns them again,
 * or raises if one is an error. For a call that must raise instead of returning them.
 */
void consumer_rewind_messages(Consumer *self, rd_kafka_message_t **messages, size_t count);
/* The same with an exception set. */
void consumer_rewind_raising(Consumer *self, rd_kafka_message_t **messages, size_t count);
/* Keeps the error in `message`; the next call that serves callbacks raises it. */
void consumer_park_error(Consumer *self, const rd_kafka_message_t *message);

/*
 * Fetches from these offsets again. Until a message is handed out, position() returns these
 * offsets: librdkafka itself forgets the position when it seeks.
 */
void consumer_rewind(Consumer *self, rd_kafka_topic_partition_list_t *offsets);
/* The offset of a consumer_rewind() since which no message was handed out. RD_KAFKA_OFFSET_INVALID
 * if there is none, or if the topic was deleted and created again. */
int64_t consumer_rewound_to(Consumer *self, const char *topic, int32_t partition);

/* The offset of the first message fetched ahead of the partition; RD_KAFKA_OFFSET_INVALID: none. */
int64_t consumer_first_ahead(const Consumer *self, const char *topic, int32_t partition);

/* Moves messages that were given back to where the next fetch finds them, unless their partition is
 * paused. */
void consumer_take_back(Consumer *self);

/* These partitions (NULL: all) were moved or revoked: drops their taken messages as well. */
void consumer_moved(Consumer *self, const rd_kafka_topic_partition_list_t *partitions);

/* Drops buffered messages of these partitions (NULL: of all). */
void consumer_drop_read_ahead(Consumer *self,
                              const rd_kafka_topic_partition_list_t *partitions);

/* For partitions that are about to be paused: buffered messages are fetched again on resume. */
void consumer_rewind_read_ahead(Consumer *self,
                                  const rd_kafka_topic_partition_list_t *partitions);

#endif

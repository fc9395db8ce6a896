/*
 * Producer: the type, its way in (produce*.c) and its way out (delivery.c, settle.c).
 */
#ifndef CONFLUENT_KAFKA_PRODUCER_PRODUCER_H
#define CONFLUENT_KAFKA_PRODUCER_PRODUCER_H

#include "client/client.h"

/*
 * A delivery report event that is being served. Its messages are freed, and no longer
 * counted as outstanding, only when the whole event is destroyed.
 */
typedef struct delivery {
    rd_kafka_event_t *event;
    size_t popped; /* messages taken out of the event */
    int active;    /* calls that are inside a callback for one of its messages */
    bool exhausted;
    struct delivery *next;
} delivery;

typedef struct {
    Client client;
    PyObject *on_delivery;   /* for messages without a callback of their own */
    bool report_only_errors; /* delivery.report.only.error */
    PyObject *topics;        /* dict: name to address of its rd_kafka_topic_t */
    PyObject *last_topic;    /* the str of the topic used last, and its handle */
    rd_kafka_topic_t *last_handle;
    delivery *deliveries;    /* events not finished yet */
    PyObject *unsettled;     /* list of what futures wait to be told, see settle.c */
    PyTypeObject *future_type; /* of the future that _send() got last; its loop's thread sets it */
    PyObject *record_type, *partition_type, *failure; /* see _settle_as(); or NULL */
    struct request *left_step; /* of a transaction, whose thread was interrupted */
    bool in_loop;            /* the serving thread is in _settle(): futures are settled at once */
    /* The sum of their `popped`; len() reads it without the serving lock. */
    _Atomic Py_ssize_t popped;
} Producer;

int producer_type_add(PyObject *module, module_state *state);

/* ---- who gets a message's delivery report: its opaque pointer ---- */

/*
 * Either NULL (the client's on_delivery), a reference to a callback, or, with the lowest bit set,
 * one to a future: objects are aligned, so that bit is free.
 */
static inline void *
recipient_future(PyObject *future)
{
    return (void *)((uintptr_t)future | 1);
}

static inline bool
recipient_is_future(const void *recipient)
{
    return ((uintptr_t)recipient & 1) != 0;
}

/* Borrowed; NULL for the client's on_delivery. */
static inline PyObject *
recipient_object(const void *recipient)
{
    return (PyObject *)((uintptr_t)recipient & ~(uintptr_t)1);
}

/* ---- produce.c, produce_batch.c, produce_arrow.c ---- */

/* The handle of a topic given as argument `topic`; owned by the producer. */
rd_kafka_topic_t *producer_topic(Producer *self, PyObject *name);
/* Lets go of all topic handles; must come before the client's handle is dropped. */
void producer_release_topics(Producer *self);

/* One message for librdkafka; pointers are borrowed until it has been enqueued. */
typedef struct {
    rd_kafka_topic_t *topic;
    int32_t partition;
    const void *value, *key;
    size_t value_size, key_size;
    int64_t timestamp_ms;        /* 0: now */
    rd_kafka_headers_t *headers; /* taken over when the message is enqueued */
    void *recipient;             /* a reference is taken when the message is enqueued */
} outgoing;

/* Enqueues without waiting; the GIL is held. Takes over headers only on success. */
rd_kafka_resp_err_t producer_enqueue(Producer *self, outgoing *message);

/*
 * The same, but while the queue is full serves callbacks until `until`. 0 with the result in
 * `*code`, or -1 with an exception of a callback or signal handler.
 */
int producer_enqueue_within(Producer *self, outgoing *message, deadline *until,
                            rd_kafka_resp_err_t *code);

/* Raises BufferError for _QUEUE_FULL and KafkaException for anything else. */
void raise_produce_error(Producer *self, rd_kafka_resp_err_t code, size_t size);

/* Reads `callback` and its alias `on_delivery`, borrowed or NULL. */
int delivery_callback_from_args(PyObject *callback, PyObject *on_delivery, PyObject **result);

/* What the messages of a batch have in common. */
typedef struct {
    Producer *producer;
    rd_kafka_topic_t *topic; /* NULL: each has its own */
    int32_t partition;
    void *recipient; /* borrowed */
    deadline until;  /* to wait while the queue is full */
    /* A step of an event loop does not wait: it ends at a full queue, and when `turn` is over. */
    bool stepwise;
    deadline turn;
    PyObject *wrap; /* makes what the loop settles of a message's own callback; or NULL */
} batch_defaults;

/* Asked before each message: the clock is not read each time. */
static inline bool
batch_step_is_over(batch_defaults *defaults, int64_t index)
{
    return defaults->stepwise && index % 64 == 63 && deadline_passed(&defaults->turn);
}

PyObject *producer_produce(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames);
PyObject *producer_send(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
/*
 * _send() for a recipient that is known: `fields` are its arguments but for the future. 1 enqueued,
 * 0 the queue is full, -1 with an exception.
 */
int producer_send_to(Producer *self, void *recipient, PyObject *const *fields);
PyObject *producer_produce_batch(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                 PyObject *kwnames);
PyObject *producer_produce_arrow(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                                 PyObject *kwnames);
PyObject *producer_send_batch(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *producer_import_rows(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
PyObject *producer_send_rows(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
extern const char producer_produce_doc[], producer_send_doc[], producer_produce_batch_doc[],
    producer_send_batch_doc[], producer_produce_arrow_doc[], producer_import_rows_doc[],
    producer_send_rows_doc[];

/* ---- transactions.c ---- */

/* Before the handle ends. */
void producer_forget_step(Producer *self);

extern PyMethodDef producer_transaction_methods[];
/* Aborts the transaction that is open, if one is: 0, or -1 with an exception. */
int producer_abort_open_transaction(Producer *self, int timeout_ms);

/* ---- settle.c ---- */

/*
 * Reads argument `future`: what can be settled gives a recipient, borrowed, and None gives NULL.
 * 0, or -1 with a TypeError. For the thread of the loop.
 */
int producer_recipient_from_arg(Producer *self, PyObject *future, void **recipient);

/* Settles the future that waits for a report, now or in its loop: 0, or -1 with an exception. */
int producer_settle(Producer *self, PyObject *future, const rd_kafka_message_t *report);
/* Lets the loop settle what has been put off: 0, or -1 with an exception. */
int producer_wake_loop(Producer *self);
/* In the loop's thread: settles what has been put off; how many, or -1 with an exception. */
Py_ssize_t producer_settle_put_off(Producer *self);

/* ---- outcome.c ---- */

/*
 * What a report's future is settled with: an exception if the message failed. New reference;
 * without memory for it, the MemoryError: a future is settled in any case.
 */
PyObject *producer_outcome(Producer *self, const rd_kafka_message_t *report);

extern const char producer_settle_as_doc[];
PyObject *producer_settle_as(PyObject *object, PyObject *const *args, Py_ssize_t nargs);

/* ---- awaited.c ---- */

extern PyMethodDef producer_awaited_methods[];

/* ---- delivery.c ---- */

/* Messages not delivered yet, without those whose callback has been run, and events to serve. */
int producer_outstanding(Producer *self);
/* The same without the events: exact between serve_begin() and serve_end(). */
int producer_messages(Producer *self);

/*
 * Serves what is there, waiting for it until `until`: the number of reports and callbacks
 * served, or -1. Must be called between serve_begin() and serve_end().
 */
Py_ssize_t producer_serve(Producer *self, deadline *until);
/*
 * The same, but waits once, and less when someone yields the queue. -1 when a callback raised,
 * which is parked: the rest is kept, unless the client closes.
 */
Py_ssize_t producer_serve_once(Producer *self, int timeout_ms);

/*
 * Serves one event, or what an exception left of one, without waiting; adds to `*reports` how many
 * were served. False when there was none, or an exception ends the call.
 */
bool producer_serve_event(Producer *self, Py_ssize_t *reports);

/* Serves what is there but for reports, which poll() serves later; no wait, no exception. */
void producer_note_errors(Producer *self);

/* Frees what nobody will serve any more, without running callbacks. */
void producer_discard_deliveries(Producer *self);

#endif

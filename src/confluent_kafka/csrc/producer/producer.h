/*
 * Producer: the type, enqueueing (produce*.c), and delivery reports (delivery.c, settle.c).
 */
#ifndef CONFLUENT_KAFKA_PRODUCER_PRODUCER_H
#define CONFLUENT_KAFKA_PRODUCER_PRODUCER_H

#include "client/client.h"

/*
 * A delivery report event that is being served. Only when the whole event is destroyed are its
 * messages freed and no longer counted as outstanding.
 */
typedef struct delivery {
    rd_kafka_event_t *event;
    size_t popped; /* the number of messages taken from the event */
    int active;    /* the number of calls inside a callback for one of its messages */
    bool exhausted;
    struct delivery *next;
} delivery;

typedef struct {
    Client client;
    PyObject *on_delivery;   /* for messages that have no callback of their own */
    bool report_only_errors; /* delivery.report.only.error */
    PyObject *topics;        /* dict: name to the address of its rd_kafka_topic_t */
    PyObject *last_topic;    /* the str of the last topic; its handle follows */
    rd_kafka_topic_t *last_handle;
    delivery *deliveries;    /* events that are not finished */
    PyObject *unsettled;     /* list of outcomes for futures that wait for them, see settle.c */
    PyTypeObject *future_type; /* of the last future of _send(); set by its loop's thread */
    PyObject *record_type, *partition_type, *failure; /* see _settle_as(); or NULL */
    struct request *left_step; /* a step of a transaction whose thread was interrupted */
    bool in_loop;            /* the serving thread is in _settle(): futures are settled at once */
    /* The sum of `popped` in `deliveries`; len() reads it without the serving lock. */
    _Atomic Py_ssize_t popped;
} Producer;

int producer_type_add(PyObject *module, module_state *state);

/* ---- the recipient of a message's delivery report: its opaque pointer ---- */

/*
 * NULL (the client's on_delivery), or a reference to a callback; or, with the lowest bit set, a
 * reference to a future. Objects are aligned, so that this bit is free.
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
/* Releases all topic handles; must be called before the client's handle is released. */
void producer_release_topics(Producer *self);

/* One message for librdkafka; pointers are borrowed until it has been enqueued. */
typedef struct {
    rd_kafka_topic_t *topic;
    int32_t partition;
    const void *value, *key;
    size_t value_size, key_size;
    int64_t timestamp_ms;        /* 0: now */
    rd_kafka_headers_t *headers; /* owned by librdkafka once the message is enqueued */
    void *recipient;             /* enqueueing takes a reference */
} outgoing;

/* Enqueues without waiting; the GIL is held. Takes the headers only on success. */
rd_kafka_resp_err_t producer_enqueue(Producer *self, outgoing *message);

/*
 * The same, but while the queue is full it serves callbacks until `until`. 0 with the result in
 * `*code`, or -1 with an exception of a callback or signal handler.
 */
int producer_enqueue_within(Producer *self, outgoing *message, deadline *until,
                            rd_kafka_resp_err_t *code);

/* Raises BufferError for _QUEUE_FULL, and KafkaException for every other code. */
void raise_produce_error(Producer *self, rd_kafka_resp_err_t code, size_t size);

/* Reads `callback` and its alias `on_delivery`, borrowed or NULL. */
int delivery_callback_from_args(PyObject *callback, PyObject *on_delivery, PyObject **result);

/* The common arguments of the messages of a batch. */
typedef struct {
    Producer *producer;
    rd_kafka_topic_t *topic; /* NULL: each message has its own topic */
    int32_t partition;
    void *recipient; /* borrowed */
    deadline until;  /* how long to wait while the queue is full */
    /* A step of an event loop does not wait: it ends when the queue is full or `turn` is over. */
    bool stepwise;
    deadline turn;
    PyObject *wrap; /* makes the object to settle from a message's own callback; or NULL */
} batch_defaults;

/* Checked before each message; the clock is not read each time. */
static inline bool
batch_step_is_over(batch_defaults *defaults, int64_t index)
{
    return defaults->stepwise && index % 64 == 63 && deadline_passed(&defaults->turn);
}

PyObject *producer_produce(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                           PyObject *kwnames);
PyObject *producer_send(PyObject *self, PyObject *const *args, Py_ssize_t nargs);
/*
 * _send() with a recipient instead of the future: `fields` are the other arguments. 1: enqueued; 0:
 * the queue is full; -1: an exception.
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

/* Called before the handle ends. */
void producer_forget_step(Producer *self);

extern PyMethodDef producer_transaction_methods[];
/* Aborts the open transaction, if there is one: 0, or -1 with an exception. */
int producer_abort_open_transaction(Producer *self, int timeout_ms);

/* ---- settle.c ---- */

/*
 * Reads the argument `future`: an object that can be settled gives a recipient, borrowed; None
 * gives NULL. 0, or -1 with a TypeError. For the loop's thread.
 */
int producer_recipient_from_arg(Producer *self, PyObject *future, void **recipient);

/* Settles the future that waits for a report, now or in its loop: 0, or -1 with an exception. */
int producer_settle(Producer *self, PyObject *future, const rd_kafka_message_t *report);
/* Makes the loop settle the deferred outcomes: 0, or -1 with an exception. */
int producer_wake_loop(Producer *self);
/* In the loop's thread: settles the deferred outcomes. Their number, or -1 with an exception. */
Py_ssize_t producer_settle_put_off(Producer *self);

/* ---- outcome.c ---- */

/*
 * The object that settles a report's future: an exception if the message failed. New reference. If
 * there is no memory, it is the MemoryError, because a future must be settled in any case.
 */
PyObject *producer_outcome(Producer *self, const rd_kafka_message_t *report);

extern const char producer_settle_as_doc[];
PyObject *producer_settle_as(PyObject *object, PyObject *const *args, Py_ssize_t nargs);

/* ---- awaited.c ---- */

extern PyMethodDef producer_awaited_methods[];

/* ---- delivery.c ---- */

/* The outstanding messages, except those whose callback has run, plus the events to serve. */
int producer_outstanding(Producer *self);
/* The same without the events; exact between serve_begin() and serve_end(). */
int producer_messages(Producer *self);

/*
 * Serves what is there, and waits for something until `until`. The number of reports and
 * callbacks served, or -1. Call it between serve_begin() and serve_end().
 */
Py_ssize_t producer_serve(Producer *self, deadline *until);
/*
 * The same, but waits only once, and shorter if rd_kafka_queue_yield() is called. -1 if a callback
 * raised, which is parked; the rest is kept unless the client closes.
 */
Py_ssize_t producer_serve_once(Producer *self, int timeout_ms);

/*
 * Serves one event, or the rest of one that an exception interrupted, without waiting. Adds the
 * number of reports to `*reports`. False if there was none, or if an exception ends the call.
 */
bool producer_serve_event(Producer *self, Py_ssize_t *reports);

/* Serves events other than reports, which are left to poll(). Neither waits nor raises. */
void producer_note_errors(Producer *self);

/* Frees reports that nobody will serve, without running callbacks. */
void producer_discard_deliveries(Producer *self);

#endif

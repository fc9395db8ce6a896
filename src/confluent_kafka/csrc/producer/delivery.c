/*
 * Delivery reports: from librdkafka's events to the application's callbacks.
 *
 * librdkafka reports messages in batches, one event each. The GIL is taken once for a whole
 * batch, and a Message is built only for a callback or a future. If a callback raises, the rest
 * of its event stays in `deliveries` for the next call (except in close(), which continues). A
 * callback that polls or flushes continues with the same event.
 */
#include "producer/producer.h"

#include "client/callbacks.h"
#include "client/core.h"
#include "client/exceptions.h"
#include "client/serve.h"

int
producer_outstanding(Producer *self)
{
    Py_ssize_t popped = atomic_load_explicit(&self->popped, memory_order_relaxed);
    return rd_kafka_outq_len(self->client.rk) - (int)popped;
}

int
producer_messages(Producer *self)
{
    rd_kafka_queue_t *queue = self->client.core->queue;
    int events, outstanding;
    do { /* repeated if an event arrived in between */
        events = (int)rd_kafka_queue_length(queue);
        outstanding = producer_outstanding(self);
    } while ((int)rd_kafka_queue_length(queue) != events);
    return outstanding > events ? outstanding - events : 0;
}

/* ---- the list of events being served ---- */

/* Takes ownership of the event. A MemoryError is parked. */
static void
push_event(Producer *self, rd_kafka_event_t *event)
{
    delivery *entry = PyMem_Calloc(1, sizeof(*entry));
    if (entry == NULL) {
        rd_kafka_event_destroy(event);
        PyErr_NoMemory();
        client_park_exception(&self->client);
        return;
    }
    entry->event = event;
    delivery **end = &self->deliveries;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = entry;
}

/* Frees finished events that no callback uses. */
static void
remove_exhausted(Producer *self)
{
    delivery **link = &self->deliveries;
    while (*link != NULL) {
        delivery *entry = *link;
        if (entry->exhausted && entry->active == 0) {
            *link = entry->next;
            shared_count_add(&self->popped, -(Py_ssize_t)entry->popped);
            rd_kafka_event_destroy(entry->event);
            PyMem_Free(entry);
        }
        else {
            link = &entry->next;
        }
    }
}

/* The next report in the listed events, or NULL; sets `*owner` to its event. */
static const rd_kafka_message_t *
next_report(Producer *self, delivery **owner)
{
    for (delivery *entry = self->deliveries; entry != NULL; entry = entry->next) {
        if (entry->exhausted) {
            continue;
        }
        const rd_kafka_message_t *report = rd_kafka_event_message_next(entry->event);
        if (report != NULL) {
            entry->popped++;
            shared_count_add(&self->popped, 1);
            *owner = entry;
            return report;
        }
        entry->exhausted = true;
    }
    return NULL;
}

/* ---- one report ---- */

static int
call_callback(Producer *self, PyObject *callback, const rd_kafka_message_t *report)
{
    module_state *state = self->client.state;
    PyObject *message = message_borrow_delivered(state, &self->client.names, report);
    if (message == NULL) {
        return -1;
    }
    PyObject *error = kafka_error_or_none(state, report->err, NULL);
    PyObject *result = NULL;
    if (error != NULL) {
        PyObject *arguments[] = {error, message};
        result = PyObject_Vectorcall(callback, arguments, 2, NULL);
        Py_DECREF(error);
    }
    /* Ending the borrow can fail, too; the callback's exception takes precedence. */
    PyObject *raised = result == NULL ? PyErr_GetRaisedException() : NULL;
    int ended = message_end_borrow(message);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
    Py_XDECREF(result);
    return result == NULL || ended < 0 ? -1 : 0;
}

static int
serve_report(Producer *self, delivery *owner, const rd_kafka_message_t *report)
{
    PyObject *own_callback = recipient_object(report->_private); /* produce() took a reference */
    PyObject *callback = own_callback != NULL ? own_callback : self->on_delivery;
    int result = 0;
    if (recipient_is_future(report->_private)) {
        owner->active++;
        result = producer_settle(self, own_callback, report);
        owner->active--;
    }
    else if (callback != NULL && (report->err || !self->report_only_errors)) {
        Py_INCREF(callback);
        owner->active++;
        result = call_callback(self, callback, report);
        owner->active--;
        Py_DECREF(callback);
    }
    Py_XDECREF(own_callback);
    return result;
}

/* Parks the exception of a callback. True if the rest must wait until it has been raised. */
static bool
park_exception(Producer *self)
{
    client_park_exception(&self->client);
    return client_has_parked(&self->client);
}

/* Serves the reports of the listed events. True if all were served. */
static bool
serve_each(Producer *self, Py_ssize_t *count)
{
    delivery *owner;
    const rd_kafka_message_t *report;
    while ((report = next_report(self, &owner)) != NULL) {
        ++*count;
        if (serve_report(self, owner, report) < 0 && park_exception(self)) {
            return false;
        }
    }
    remove_exhausted(self);
    return true;
}

/* Serves all reports of the listed events: their number; or -1, and the rest is kept. */
static Py_ssize_t
serve_reports(Producer *self)
{
    Py_ssize_t count = 0;
    bool all = serve_each(self, &count);
    if (count > 0 && producer_wake_loop(self) < 0) {
        all = !park_exception(self) && all;
    }
    return all ? count : -1;
}

/* ---- the queue ---- */

/* Pops one event, waiting up to `timeout_ms`; callbacks of other kinds run inside this call. */
static rd_kafka_event_t *
pop_event(Producer *self, int timeout_ms)
{
    rd_kafka_queue_t *queue = self->client.core->queue;
    if (timeout_ms == 0) {
        return rd_kafka_queue_poll(queue, 0);
    }
    rd_kafka_event_t *event;
    serve_release_gil(&self->client);
    event = rd_kafka_queue_poll(queue, timeout_ms);
    serve_take_gil(&self->client);
    return event;
}

/* Serves one event: the number of reports, or -1. */
static Py_ssize_t
serve_event(Producer *self, rd_kafka_event_t *event)
{
    if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR) {
        push_event(self, event);
        return serve_reports(self);
    }
    callbacks_serve_event(&self->client, event);
    rd_kafka_event_destroy(event);
    return client_has_parked(&self->client) ? -1 : 0;
}

/* Serves the current events of the queue without waiting: the number of reports, or -1. */
static Py_ssize_t
serve_queue(Producer *self, rd_kafka_event_t *event)
{
    Py_ssize_t count = 0;
    /* Only as many as there are now: callbacks that produce must not make this loop endless. */
    size_t budget = rd_kafka_queue_length(self->client.core->queue) + 1;
    while (event != NULL) {
        Py_ssize_t served = serve_event(self, event);
        if (served < 0) {
            return -1;
        }
        count += served;
        event = --budget > 0 ? pop_event(self, 0) : NULL;
    }
    return count;
}

Py_ssize_t
producer_serve_once(Producer *self, int timeout_ms)
{
    Py_ssize_t count = serve_reports(self); /* reports that an earlier exception left */
    if (count < 0) {
        return -1;
    }
    rd_kafka_event_t *event = pop_event(self, count > 0 ? 0 : timeout_ms);
    Py_ssize_t more = event == NULL ? 0 : serve_queue(self, event);
    return more < 0 ? -1 : count + more;
}

bool
producer_serve_event(Producer *self, Py_ssize_t *reports)
{
    Py_ssize_t served = serve_reports(self); /* reports that an earlier exception left */
    if (served == 0) {
        rd_kafka_event_t *event = pop_event(self, 0);
        if (event == NULL) {
            return false;
        }
        served = serve_event(self, event);
    }
    *reports += served > 0 ? served : 0;
    return served >= 0;
}

Py_ssize_t
producer_serve(Producer *self, deadline *until)
{
    Client *client = &self->client;
    Py_ssize_t served_before = serve_count(client);
    Py_ssize_t count = 0;
    int timeout_ms = 0;
    for (;;) {
        Py_ssize_t reports = producer_serve_once(self, timeout_ms);
        if (serve_raise_parked(client) < 0) {
            return -1;
        }
        count += reports > 0 ? reports : 0; /* -1: another thread has just begun to close */
        Py_ssize_t total = count + serve_count(client) - served_before;
        if (total > 0 || deadline_passed(until)) {
            return total;
        }
        int go_on = serve_check(client);
        if (go_on <= 0) {
            return go_on;
        }
        timeout_ms = deadline_remaining_ms(until, WAIT_SLICE_MS);
    }
}

void
producer_note_errors(Producer *self)
{
    rd_kafka_event_t *event;
    /* Only as many as there are now: reports may arrive as fast as they are kept. */
    size_t left = rd_kafka_queue_length(self->client.core->queue);
    while (left-- > 0 && (event = pop_event(self, 0)) != NULL) {
        if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR) {
            push_event(self, event);
            continue;
        }
        callbacks_serve_event(&self->client, event);
        rd_kafka_event_destroy(event);
    }
}

/* ---- a producer that is deleted without close() ---- */

/* Futures are settled all the same, because tasks may wait for them. */
static void
drop_callbacks(Producer *self, rd_kafka_event_t *event)
{
    const rd_kafka_message_t *report;
    while ((report = rd_kafka_event_message_next(event)) != NULL) {
        PyObject *object = recipient_object(report->_private);
        if (recipient_is_future(report->_private) && producer_settle(self, object, report) < 0) {
            PyErr_WriteUnraisable(NULL);
        }
        Py_XDECREF(object);
    }
    rd_kafka_event_destroy(event);
}

static void
discard(Producer *self)
{
    client_core *core = self->client.core;
    if (core->rk == NULL) {
        return; /* the list could not be created */
    }
    /* Makes a new list. If the garbage collector is deleting the producer, it may be about to clear
     * the current list. A call that was scheduled in the loop for the current list keeps it. */
    Py_XSETREF(self->unsettled, PyList_New(0));
    if (self->unsettled == NULL) {
        PyErr_WriteUnraisable(NULL);
    }
    while (self->deliveries != NULL) {
        delivery *entry = self->deliveries;
        self->deliveries = entry->next;
        drop_callbacks(self, entry->event);
        PyMem_Free(entry);
    }
    /* Purged messages come back as reports, which hold references to their callbacks. */
    Py_BEGIN_ALLOW_THREADS
    rd_kafka_purge(core->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT
                                 | RD_KAFKA_PURGE_F_NON_BLOCKING);
    Py_END_ALLOW_THREADS
    deadline moment = deadline_after(1);
    while (rd_kafka_outq_len(core->rk) > 0 && !deadline_passed(&moment)) {
        rd_kafka_event_t *event;
        Py_BEGIN_ALLOW_THREADS
        event = rd_kafka_queue_poll(core->queue, 50);
        Py_END_ALLOW_THREADS
        if (event != NULL) {
            drop_callbacks(self, event);
        }
    }
    if (producer_wake_loop(self) < 0) {
        PyErr_WriteUnraisable(NULL);
    }
}

void
producer_discard_deliveries(Producer *self)
{
    PyObject *raised = PyErr_GetRaisedException(); /* a client may be deleted with a traceback */
    discard(self);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

/*
 * The serving lock: one thread at a time serves a client, so that its callbacks never run
 * concurrently. Data that only callbacks use needs no lock of its own.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_SERVE_H
#define CONFLUENT_KAFKA_CLIENT_SERVE_H

#include "client/client.h"

/* Returns 0, or -1 with a MemoryError. */
int serve_init(Client *self);
void serve_free(Client *self);

/*
 * Brackets a call that may run callbacks. serve_begin() waits for the serving lock until `until`,
 * and raises exceptions that earlier callbacks left. 1: this thread holds the lock; 0: time is up,
 * or wakeup() or close() ended the wait; -1: exception.
 */
int serve_begin(Client *self, serve_frame *frame, deadline *until);
void serve_end(Client *self, serve_frame *frame);

/*
 * For a client that only one thread at a time may use. 1: this thread has taken the lock; 0: it
 * held the lock already (in a callback or signal handler); -1: another thread holds it or is next.
 * Raises nothing.
 */
int serve_try_lock(Client *self, serve_frame *frame);

/*
 * After serve_try_lock() has returned -1: waits until `until` to be the next holder of the lock.
 * Other threads cannot take it with serve_try_lock() before. 1: this thread holds it; 0: time is
 * up; -1: the exception of a signal handler.
 */
int serve_lock_next(Client *self, serve_frame *frame, deadline *until);

/*
 * For a call that changes what a waiting poll() of another thread will find. That thread yields
 * the lock and continues afterwards. Exceptions of callbacks are not raised. 0, or -1 with the
 * exception of a signal handler.
 */
typedef struct {
    serve_frame frame;
    bool urgent; /* this call has taken the lock `urgent`, and releases it */
} serving_lock;

int serve_lock(Client *self, serving_lock *lock);
void serve_unlock(Client *self, serving_lock *lock);

/* Brackets one call of librdkafka that waits or may run callbacks. */
void serve_release_gil(Client *self);
void serve_take_gil(Client *self);

/*
 * After a callback has raised: serves the events that are there; a call that waits also serves the
 * events of the next few milliseconds. Errors come in groups, such as one lost connection followed
 * by "all brokers are down". Messages stay for later calls.
 */
void serve_what_follows(Client *self);
/* Calls serve_what_follows(), and then raises the callbacks' exceptions as one: 0 if there are
 * none, else -1. */
int serve_raise_parked(Client *self);

/*
 * Between two librdkafka calls of a wait: runs signal handlers, raises a parked exception, and
 * yields the lock to serve_lock(). 1: go on; 0: wakeup() or close() ended the wait; -1: exception.
 * After -1, another thread may hold the lock, so only serve_end() may follow, and no code that
 * uses what the lock guards.
 */
int serve_check(Client *self);

/*
 * The same for a caller that can end without the lock: 0 also after the timeout, or if the wait is
 * ended while another thread has the lock. serve_is_serving() returns whether this thread holds it.
 */
int serve_check_until(Client *self, deadline *until);

/*
 * True if a wait must end: wakeup() was called (this call consumes that) or another thread closes
 * the client. close() itself is not woken, because it has work to finish.
 */
bool client_interrupted(Client *self);
/* wakeup(): the next call of client_interrupted() returns true. */
void serve_wake(Client *self);

/* True if this thread serves the client: inside a callback, or between two steps of a call. */
bool serve_is_serving(Client *self);
/* The thread that serves the client or is next, or 0. */
unsigned long serve_holder(Client *self);

/* For the thread that holds the lock: how a C callback gets back to Python, see callbacks.c. */
static inline bool
serve_has_frame(const Client *self)
{
    return self->serving.frame != NULL;
}

/* Whether it is inside librdkafka, without the GIL. */
static inline bool
serve_has_released_gil(const Client *self)
{
    return self->serving.frame->released != NULL;
}

/* Whether it is inside a callback of another call of this client. */
static inline bool
serve_is_nested(const Client *self)
{
    return self->serving.frame->outer != NULL;
}

/* The number of the application's callbacks that ran since the outermost call began. */
static inline Py_ssize_t
serve_count(const Client *self)
{
    return self->serving.served;
}

static inline void
serve_add_count(Client *self, Py_ssize_t change)
{
    self->serving.served += change;
}

#endif

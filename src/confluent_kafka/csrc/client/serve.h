/*
 * The serving lock: one thread at a time serves a client, so that its callbacks never run
 * concurrently, and what they touch needs no lock of its own.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_SERVE_H
#define CONFLUENT_KAFKA_CLIENT_SERVE_H

#include "client/client.h"

/* 0, or -1 with a MemoryError. */
int serve_init(Client *self);
void serve_free(Client *self);

/*
 * Brackets a call that may run callbacks. serve_begin() waits for the serving lock until `until`
 * and raises what an earlier callback left to be raised: 1 this thread holds the lock, 0 time is
 * up or wakeup() or close() ended the wait, -1 exception.
 */
int serve_begin(Client *self, serve_frame *frame, deadline *until);
void serve_end(Client *self, serve_frame *frame);

/*
 * For a client that only one thread at a time may use: 1 this thread holds the lock now, 0 it
 * has held it already (a callback or signal handler), -1 another thread holds it or is next.
 * Raises nothing.
 */
int serve_try_lock(Client *self, serve_frame *frame);

/*
 * After -1 of serve_try_lock(): waits until `until` to be the next that holds the lock, which
 * serve_try_lock() of other threads cannot take before. 1 this thread holds it, 0 time is up,
 * -1 with an exception of a signal handler.
 */
int serve_lock_next(Client *self, serve_frame *frame, deadline *until);

/*
 * For a call that changes what a waiting poll() of another thread will find: that thread yields
 * the lock and goes on afterwards. Raises nothing that a callback left. 0, or -1 with an
 * exception of a signal handler.
 */
typedef struct {
    serve_frame frame;
    bool urgent; /* this call has taken the lock of that name, and gives it back */
} serving_lock;

int serve_lock(Client *self, serving_lock *lock);
void serve_unlock(Client *self, serving_lock *lock);

/* Brackets one librdkafka call that waits or may run callbacks. */
void serve_release_gil(Client *self);
void serve_take_gil(Client *self);

/*
 * After a callback has left an exception: serves what is there, and in a call that waits also what
 * comes within some milliseconds. Errors come in groups, such as a lost connection and that all
 * are lost. Messages stay for later calls.
 */
void serve_what_follows(Client *self);
/* That, and raises what callbacks left, as one exception: 0 when there is nothing, else -1. */
int serve_raise_parked(Client *self);

/*
 * Between two librdkafka calls of a wait: runs signal handlers, raises a parked exception, and
 * yields the lock to serve_lock(). 1 to go on, 0 when wakeup() or close() ended the wait, -1 with
 * an exception: another thread may hold the lock then, so nothing but serve_end() may follow that
 * touches what it guards.
 */
int serve_check(Client *self);

/*
 * The same for a caller that can end without the lock: 0 also when time is up, or the wait is
 * ended, while the other thread has it. serve_is_serving() says whether this thread holds it.
 */
int serve_check_until(Client *self, deadline *until);

/*
 * True when a wait must end: wakeup() was called (which is used up by this) or another
 * thread closes the client. close() itself is not woken: it has things to finish.
 */
bool client_interrupted(Client *self);
/* wakeup(): the next look at client_interrupted() says so. */
void serve_wake(Client *self);

/* This thread serves the client: it is inside a callback, or between two steps of a call. */
bool serve_is_serving(Client *self);
/* The thread that serves it, or is the next to; or 0. */
unsigned long serve_holder(Client *self);

/* Of the thread that holds the lock. A C callback's way back into Python, see callbacks.c. */
static inline bool
serve_has_frame(const Client *self)
{
    return self->serving.frame != NULL;
}

/* It is inside librdkafka, without the GIL. */
static inline bool
serve_has_released_gil(const Client *self)
{
    return self->serving.frame->released != NULL;
}

/* It is inside a callback of another call of this client. */
static inline bool
serve_is_nested(const Client *self)
{
    return self->serving.frame->outer != NULL;
}

/* How many callbacks of the application ran since the outermost call began. */
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

/*
 * Exceptions that callbacks left, oldest first, until a call of the client raises them as one.
 *
 * There may be many: flush() can run the callbacks of a million messages. Only the newest are kept,
 * and the raised exception contains the number of earlier ones.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_PARKED_H
#define CONFLUENT_KAFKA_CLIENT_PARKED_H

#include "base/module_state.h"

#define PARKED_MOST 16

typedef struct {
    object_mutex mutex;
    PyObject *exceptions[PARKED_MOST]; /* a ring */
    size_t first;
    _Atomic size_t count;
    Py_ssize_t dropped; /* since the exceptions were taken last */
    atomic_bool held;   /* set by the serving thread */
    atomic_bool pressing; /* one is not an Exception, such as KeyboardInterrupt: end the call */
} parked_exceptions;

static inline bool
parked_any(parked_exceptions *self)
{
    return atomic_load_explicit(&self->count, memory_order_relaxed) > 0;
}

static inline size_t
parked_count(parked_exceptions *self)
{
    return atomic_load(&self->count);
}

/* Whether the serving call must not raise them yet. */
static inline bool
parked_is_held(parked_exceptions *self)
{
    return atomic_load_explicit(&self->held, memory_order_relaxed);
}

/* Whether a call may serve more before it raises: there is room for further exceptions, and none of
 * the parked ones is urgent. */
static inline bool
parked_may_grow(parked_exceptions *self)
{
    return parked_count(self) < PARKED_MOST && !atomic_load(&self->pressing);
}

/* Sets whether they are held; returns the former value. */
static inline bool
parked_hold(parked_exceptions *self, bool held)
{
    return atomic_exchange(&self->held, held);
}

/* Adds the newest exception; the reference is stolen. */
void parked_add(parked_exceptions *self, PyObject *exception);

/*
 * Takes all exceptions and raises one: the newest, whose contexts are the earlier ones and the
 * exception that is being handled. False if there are none.
 */
bool parked_raise(parked_exceptions *self);

int parked_traverse(parked_exceptions *self, visitproc visit, void *arg);
void parked_clear(parked_exceptions *self);

#endif

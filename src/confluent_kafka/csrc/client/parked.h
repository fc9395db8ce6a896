/*
 * Exceptions that callbacks left, oldest first, until a call of the client raises them as one.
 *
 * There may be many: each of a million messages has a callback that flush() calls. So only the
 * newest are kept, and the one that is raised tells how many there were before.
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
    Py_ssize_t dropped; /* since one was taken */
    atomic_bool held;   /* set by the thread that serves */
    atomic_bool pressing; /* one is no Exception, such as KeyboardInterrupt: the call ends at once */
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

/* The call that serves is not to raise them yet. */
static inline bool
parked_is_held(parked_exceptions *self)
{
    return atomic_load_explicit(&self->held, memory_order_relaxed);
}

/* A call may serve more before it raises them: none is lost by that, and none is pressing. */
static inline bool
parked_may_grow(parked_exceptions *self)
{
    return parked_count(self) < PARKED_MOST && !atomic_load(&self->pressing);
}

/* Sets whether they are held; what it was before. */
static inline bool
parked_hold(parked_exceptions *self, bool held)
{
    return atomic_exchange(&self->held, held);
}

/* Adds the newest; the reference is stolen. */
void parked_add(parked_exceptions *self, PyObject *exception);

/*
 * Takes all, and sets one as being raised: the newest, whose contexts are the earlier ones and
 * what is being handled. False when there is none.
 */
bool parked_raise(parked_exceptions *self);

int parked_traverse(parked_exceptions *self, visitproc visit, void *arg);
void parked_clear(parked_exceptions *self);

#endif

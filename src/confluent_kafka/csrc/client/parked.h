/*
 * Exceptions that callbacks left, oldest first, until a call of the client raises them.
 *
 * Nobody may ever call: an AdminClient needs no poll(), and its token can be refused every ten
 * seconds for years. So only the newest are kept, and the first that is raised then tells how
 * many there were before it.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_PARKED_H
#define CONFLUENT_KAFKA_CLIENT_PARKED_H

#include "base/module_state.h"

#define PARKED_MOST 16

typedef struct {
    object_mutex mutex; /* the threads that serve and that fetch tokens add */
    PyObject *exceptions[PARKED_MOST]; /* a ring */
    size_t first;
    _Atomic size_t count;
    Py_ssize_t dropped; /* since one was taken */
} parked_exceptions;

static inline bool
parked_any(parked_exceptions *self)
{
    return atomic_load_explicit(&self->count, memory_order_relaxed) > 0;
}

/* Adds the newest; the reference is stolen. */
void parked_add(parked_exceptions *self, PyObject *exception);

/* Sets the oldest as the one being raised: false when there is none. */
bool parked_raise(parked_exceptions *self);

int parked_traverse(parked_exceptions *self, visitproc visit, void *arg);
void parked_clear(parked_exceptions *self);

#endif

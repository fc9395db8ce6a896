/*
 * Makes instances of Python's named tuple classes.
 */
#ifndef CONFLUENT_KAFKA_BASE_NAMED_TUPLE_H
#define CONFLUENT_KAFKA_BASE_NAMED_TUPLE_H

#include <stdbool.h>

#include "base/compat.h"

/* Whether an argument is a subclass of tuple. */
bool is_tuple_type(PyObject *object);

/*
 * An instance of `type`, for which is_tuple_type() is true. Steals the items, which may be NULL
 * with an exception set. The garbage collector tracks it only if it tracks one of the items.
 * New reference, or NULL.
 */
PyObject *named_tuple(PyObject *type, PyObject *const *items, Py_ssize_t count);

#endif

/*
 * Named tuples of a face, which the extension fills in.
 */
#ifndef CONFLUENT_KAFKA_BASE_NAMED_TUPLE_H
#define CONFLUENT_KAFKA_BASE_NAMED_TUPLE_H

#include <stdbool.h>

#include "base/compat.h"

/* Whether an argument is a class of tuples. */
bool is_tuple_type(PyObject *object);

/*
 * An instance of `type`, of which is_tuple_type() is true. Takes the items over, which may be NULL
 * with an exception set. The garbage collector looks at it only if an item is one that it looks at.
 * New reference, or NULL.
 */
PyObject *named_tuple(PyObject *type, PyObject *const *items, Py_ssize_t count);

#endif

/*
 * Builds lists whose length is known.
 */
#ifndef CONFLUENT_KAFKA_BASE_LIST_H
#define CONFLUENT_KAFKA_BASE_LIST_H

#include "base/compat.h"

/*
 * A list of `count` items: `item(from, i)` makes the i-th, a new reference, or NULL with an
 * exception. New reference, or NULL with an exception.
 */
PyObject *list_of(size_t count, PyObject *(*item)(const void *from, size_t i), const void *from);

#endif

/*
 * Pickling and copying of the value types. All of them are created again with their constructor's
 * arguments.
 */
#ifndef CONFLUENT_KAFKA_VALUES_REDUCE_H
#define CONFLUENT_KAFKA_VALUES_REDUCE_H

#include "base/module_state.h"

/*
 * The result of __reduce__: type(*arguments), and the attributes that were added to an exception
 * or by a Python subclass. Steals `arguments` (NULL: an exception is set).
 */
PyObject *reduce_to_arguments(PyObject *self, PyObject *arguments);

#endif

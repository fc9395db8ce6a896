/*
 * cimpl._row_digest(): shows whether two batches have the same rows, in any order.
 */
#ifndef CONFLUENT_KAFKA_ARROW_ROW_DIGEST_H
#define CONFLUENT_KAFKA_ARROW_ROW_DIGEST_H

#include "base/module_state.h"

int row_digest_add(PyObject *module, module_state *state);

#endif

/*
 * Arrays without rows.
 */
#ifndef CONFLUENT_KAFKA_ARROW_EMPTY_H
#define CONFLUENT_KAFKA_ARROW_EMPTY_H

#include "arrow/abi.h"

/* Makes an array of a type that has no rows, which the caller releases: 0, or -1: no memory. */
int arrow_empty_array(const struct ArrowSchema *schema, struct ArrowArray *array);

#endif

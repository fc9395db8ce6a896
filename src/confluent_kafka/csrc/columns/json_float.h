/*
 * Converts decimal numbers to the nearest binary numbers, ties to even: independent of the locale,
 * and without Python.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_JSON_FLOAT_H
#define CONFLUENT_KAFKA_COLUMNS_JSON_FLOAT_H

#include "columns/json_text.h"

/* False: the number is too large for the type. A number that is too small becomes 0. */
bool json_number_double(const json_number *number, double *value);
bool json_number_float(const json_number *number, float *value);

#endif

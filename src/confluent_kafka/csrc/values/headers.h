/*
 * Message headers: between a Python list of (str, bytes or None) and rd_kafka_headers_t.
 */
#ifndef CONFLUENT_KAFKA_VALUES_HEADERS_H
#define CONFLUENT_KAFKA_VALUES_HEADERS_H

#include "base/module_state.h"

/* A list of (str, bytes or None) in order, including duplicates. New reference. */
PyObject *headers_from(module_state *state, const rd_kafka_headers_t *headers);

/*
 * The same from the result of rd_kafka_message_encoded_headers(). None if the bytes are not
 * headers, as librdkafka also reports no headers for such a record. Steals `spare`: NULL, or a
 * list that is used again if it has the right number of items.
 */
PyObject *headers_decode(module_state *state, const void *data, size_t size, PyObject *spare);

/*
 * Converts a dict, or a list of (name, value) pairs, given as argument `name`; values are str,
 * bytes-like or None. Returns 0 with `*result`, which the caller owns (NULL if there are no
 * headers); or -1 with an exception that names the argument and the index.
 */
int headers_to_c(PyObject *object, const char *name, rd_kafka_headers_t **result);

#endif

/*
 * Message headers: a Python list of (str, bytes or None), and rd_kafka_headers_t.
 */
#ifndef CONFLUENT_KAFKA_VALUES_HEADERS_H
#define CONFLUENT_KAFKA_VALUES_HEADERS_H

#include "base/module_state.h"

/* A list of (str, bytes or None) in their order, duplicates kept. New reference. */
PyObject *headers_from(module_state *state, const rd_kafka_headers_t *headers);

/*
 * The same, from what rd_kafka_message_encoded_headers() gave. None if these are no headers:
 * librdkafka says of such a record that it has none. Steals `spare`, a list that may become this
 * one if it has as many items, or NULL.
 */
PyObject *headers_decode(module_state *state, const void *data, size_t size, PyObject *spare);

/*
 * From a dict, or a list of (name, value) pairs, given as argument `name`: values are str,
 * bytes-like or None. Returns 0 with `*result` owned by the caller (NULL when there are no
 * headers), or -1 with an exception that names the argument and the index.
 */
int headers_to_c(PyObject *object, const char *name, rd_kafka_headers_t **result);

#endif

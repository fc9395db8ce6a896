/*
 * KafkaError, KafkaException, and the conversion of librdkafka's errors to them.
 */
#ifndef CONFLUENT_KAFKA_VALUES_ERROR_H
#define CONFLUENT_KAFKA_VALUES_ERROR_H

#include "base/module_state.h"

/* KafkaError has a constant for each code of librdkafka. */
int kafka_error_type_add(PyObject *module, module_state *state);
int kafka_exception_type_add(PyObject *module, module_state *state);

/* A KafkaError; `reason` NULL means librdkafka's own text for the code. New reference. */
PyObject *kafka_error_new(module_state *state, rd_kafka_resp_err_t code, const char *reason);

/* The same, with a str that is stolen (NULL: an exception is set). */
PyObject *kafka_error_with_reason(module_state *state, rd_kafka_resp_err_t code,
                                  PyObject *reason);

/* A KafkaError with the code, text and flags of `error`; the caller keeps `error`. */
PyObject *kafka_error_from(module_state *state, const rd_kafka_error_t *error);

/* `code` as a KafkaError, or None for RD_KAFKA_RESP_ERR_NO_ERROR. New reference. */
PyObject *kafka_error_or_none(module_state *state, rd_kafka_resp_err_t code,
                              const char *reason);

/* The code of a KafkaError object. */
rd_kafka_resp_err_t kafka_error_code(PyObject *kafka_error);

/* The text of the error, a new reference. */
PyObject *kafka_error_reason(PyObject *kafka_error);

/* 0 if argument `name` is a KafkaError, None or not given; otherwise -1 with a TypeError. */
int arg_kafka_error(module_state *state, PyObject *object, const char *name);

/* Appends a possible cause to the text of a new KafkaError: 0, or -1 with an exception. */
int kafka_error_add_cause(PyObject *kafka_error, const char *cause);
/* The same with advice. */
int kafka_error_add_advice(PyObject *kafka_error, const char *advice);

/* Raises KafkaException(KafkaError); `format` (PyUnicode_FromFormat style) may be NULL. */
void raise_kafka_error(module_state *state, rd_kafka_resp_err_t code, const char *format, ...);

/* Raises KafkaException(kafka_error); the reference is stolen (NULL: an exception is set). */
void raise_kafka_error_object(module_state *state, PyObject *kafka_error);

/* Returns 0 for NULL. Otherwise raises `error`, destroys it and returns -1. */
int raise_if_error(module_state *state, rd_kafka_error_t *error);

#endif

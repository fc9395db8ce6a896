#ifndef CONFLUENT_KAFKA_BASE_TEXT_H
#define CONFLUENT_KAFKA_BASE_TEXT_H

#include "base/compat.h"

/*
 * A str from librdkafka's text; None for NULL; new reference. The text may quote a broker,
 * another client or the operating system. Bytes that are not UTF-8 become U+FFFD, so that every
 * text can be read.
 */
PyObject *text_from(const char *text);
PyObject *text_from_bytes(const char *text, size_t size);

/*
 * Bytes from librdkafka; None for NULL; new reference. Kafka distinguishes a null key or value
 * (None) from an empty one (b"").
 */
PyObject *bytes_or_none(const void *data, size_t size);

/*
 * The item of `names` (a list of str) that `given` may have meant: new reference, None if no
 * name is similar, NULL with an exception.
 */
PyObject *nearest_name(PyObject *given, PyObject *names);

/*
 * The text of a value where a text is expected: str, int (an enum's member by its number), float
 * and bool by str(), UUID, Decimal, path. New reference; None for any other type, NULL with an
 * exception.
 */
PyObject *text_of_value(PyObject *value);

/*
 * Adds advice as a note to the current exception. The text of the exception does not change,
 * because programs compare it.
 */
void add_note(const char *format, ...);

#endif

#ifndef CONFLUENT_KAFKA_BASE_TEXT_H
#define CONFLUENT_KAFKA_BASE_TEXT_H

#include "base/compat.h"

/*
 * A str from librdkafka's text; None for NULL; new reference. The text may quote what a
 * broker, another client or the operating system said: bytes that are not UTF-8 become
 * U+FFFD, because nothing must be unreadable on their account.
 */
PyObject *text_from(const char *text);
PyObject *text_from_bytes(const char *text, size_t size);

/*
 * Bytes from librdkafka; None for NULL; new reference. Kafka tells a null from an empty key or
 * value, and so do None and b"".
 */
PyObject *bytes_or_none(const void *data, size_t size);

/*
 * The one of `names` (a list of str) that `given` may have meant: new reference, None when
 * nothing is near, NULL with an exception.
 */
PyObject *nearest_name(PyObject *given, PyObject *names);

/*
 * The text of a value that people pass where a text is wanted: str, int (a member of an enum by
 * its number), float and bool by str(), UUID, Decimal, path. New reference; None for anything
 * else, NULL with an exception.
 */
PyObject *text_of_value(PyObject *value);

/*
 * Adds advice as a note to the exception that is set. Its text stays as it is, where programs
 * compare it.
 */
void add_note(const char *format, ...);

#endif

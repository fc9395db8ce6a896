#ifndef CONFLUENT_KAFKA_BASE_TEXT_H
#define CONFLUENT_KAFKA_BASE_TEXT_H

#include "base/compat.h"

/*
 * A str from librdkafka's text; None for NULL; new reference. The text may quote what a
 * broker, another client or the operating system said: bytes that are not UTF-8 become
 * U+FFFD, because nothing must be unreadable on their account.
 */
PyObject *text_from(const char *text);

/*
 * The one of `names` (a list of str) that `given` may have meant: new reference, None when
 * nothing is near, NULL with an exception.
 */
PyObject *nearest_name(PyObject *given, PyObject *names);

#endif

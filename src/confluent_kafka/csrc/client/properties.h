/*
 * Knowledge about configuration properties: librdkafka's table, and other clients' names.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_PROPERTIES_H
#define CONFLUENT_KAFKA_CLIENT_PROPERTIES_H

#include "base/compat.h"

/* Adds the names of all properties to the list, aliases among them: 0, or -1. */
int properties_append_names(PyObject *list);

/*
 * The allowed values of property `name`, such as "plaintext, ssl" or "0 .. 900000": new reference;
 * None if librdkafka's table has no values, NULL with an exception.
 */
PyObject *property_range(const char *name);

/*
 * The replacement for a name of Kafka's Java client or of kafka-python, written with dots; NULL
 * for any other name.
 */
const char *property_elsewhere(const char *name);

/* The replacement for a property that only a C program can set; NULL for any other name. */
const char *property_of_c(const char *name);

#endif

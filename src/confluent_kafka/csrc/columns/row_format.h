/*
 * A format of payloads: how a row is read.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_ROW_FORMAT_H
#define CONFLUENT_KAFKA_COLUMNS_ROW_FORMAT_H

#include "columns/builder.h"
#include "columns/payloads.h"

enum row_status {
    ROW_OK,
    ROW_BAD, /* this payload is bad; others may be good */
    ROW_NO_MEMORY,
    ROW_TOO_LARGE, /* the columns are too large; fewer rows would fit */
    ROW_WRONG_PROGRAM, /* the columns are not whole, see columns_are_whole() */
};

/* What is wrong with a bad row. */
typedef struct {
    const char *reason; /* a constant */
    const char *field;  /* its path, valid as long as the program exists; "" is the row itself */
    const uint8_t *at;  /* the place in the payload */
} row_failure;

typedef struct {
    const char *name;
    /* Compiles a description, a tuple, for columns of these types; NULL with an exception. */
    void *(*compile)(PyObject *description, const column_types *types);
    void (*release)(void *program);
    /* Puts one row into the columns. A bad row leaves a part of itself in them. */
    enum row_status (*decode)(const void *program, columns *set, payload from,
                              row_failure *failure);
} row_format;

extern const row_format avro_format;
extern const row_format json_format;
extern const row_format protobuf_format;

#endif

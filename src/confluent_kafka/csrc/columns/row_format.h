/*
 * What is different from one format of payloads to another: how a row is read.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_ROW_FORMAT_H
#define CONFLUENT_KAFKA_COLUMNS_ROW_FORMAT_H

#include "columns/builder.h"
#include "columns/payloads.h"

enum row_status {
    ROW_OK,
    ROW_BAD, /* this payload, not the next */
    ROW_NO_MEMORY,
    ROW_TOO_LARGE, /* the columns: fewer rows would do */
    ROW_WRONG_PROGRAM, /* of all rows, which are not whole: see columns_are_whole() */
};

/* What is wrong with a bad row. */
typedef struct {
    const char *reason; /* a constant */
    const char *field;  /* its path, as long as the program is there; "" is the row itself */
    const uint8_t *at;  /* in the payload */
} row_failure;

typedef struct {
    const char *name;
    /* A program from its description, a tuple, for columns of these types; NULL with an exception. */
    void *(*compile)(PyObject *description, const column_types *types);
    void (*release)(void *program);
    /* Puts one row into the columns. A row that is bad leaves them with a part of it. */
    enum row_status (*decode)(const void *program, columns *set, payload from,
                              row_failure *failure);
} row_format;

extern const row_format avro_format;
extern const row_format json_format;
extern const row_format protobuf_format;

#endif

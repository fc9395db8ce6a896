/*
 * What is different from one format of payloads to another: how a row is written.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PAYLOAD_FORMAT_H
#define CONFLUENT_KAFKA_COLUMNS_PAYLOAD_FORMAT_H

#include "columns/input_columns.h"
#include "columns/payload_writer.h"
#include "columns/row_format.h"

/* Why a row cannot be written; where is how far the payload was. */
typedef struct {
    const char *reason; /* a constant */
    const char *field;  /* its path, as long as the program is there */
} write_failure;

typedef struct {
    const char *name;
    /* A program from its description, a tuple, for rows of these types; NULL with an exception. */
    void *(*compile)(PyObject *description, const input_types *types);
    void (*release)(void *program);
    /* Writes a row that is not null. One that is bad leaves a part of it behind. */
    enum row_status (*encode)(const void *program, const input_columns *rows, int64_t row,
                              payload_writer *to, write_failure *failure);
} payload_format;

extern const payload_format avro_payload_format;

#endif

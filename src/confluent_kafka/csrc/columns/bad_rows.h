/*
 * Rows that could not be read or written, and the reasons. They do not stop other rows.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_BAD_ROWS_H
#define CONFLUENT_KAFKA_COLUMNS_BAD_ROWS_H

#include "columns/builder.h"

typedef struct {
    int64_t row;
    int64_t offset; /* the place in the payload, in bytes */
    const char *reason, *field; /* texts of a program */
} bad_row;

typedef struct {
    bad_row *rows;
    size_t count, capacity;
} bad_rows;

/* 0, or -1 if there is no memory. Needs no GIL. */
int bad_rows_add(bad_rows *self, bad_row row);
/* Returns a list of (row, offset, field, reason), or NULL with an exception. */
PyObject *bad_rows_list(const bad_rows *self);
/*
 * A column struct<offset: int64, field: string, reason: string> with `rows` slots, which are null
 * for good rows; NULL with an exception.
 */
columns *bad_rows_column(const bad_rows *self, int64_t rows);

#endif

/*
 * The columns that a batch of rows may have, by name.
 */
#ifndef CONFLUENT_KAFKA_ARROW_ROW_COLUMNS_H
#define CONFLUENT_KAFKA_ARROW_ROW_COLUMNS_H

#include "base/compat.h"

enum row_column {
    COLUMN_KEY,
    COLUMN_VALUE,
    COLUMN_TOPIC,
    COLUMN_PARTITION,
    COLUMN_OFFSET,
    COLUMN_TIMESTAMP,
    COLUMN_TIMESTAMP_TYPE,
    COLUMN_HEADERS,
    COLUMN_COUNT
};

extern const char *const row_column_names[COLUMN_COUNT];

/* The column of this name, or COLUMN_COUNT. */
int row_column_named(const char *name);

/* Raises a ValueError: `argument` names a column that does not exist. */
void refuse_column(const char *argument, PyObject *given);

#endif

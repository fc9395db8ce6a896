/*
 * A row of columns to produce.
 */
#ifndef CONFLUENT_KAFKA_ARROW_ROW_H
#define CONFLUENT_KAFKA_ARROW_ROW_H

#include "base/module_state.h"

/* One row to produce; pointers stay valid until the rows are released. */
typedef struct {
    const char *topic; /* not NUL-terminated; NULL: none */
    size_t topic_size;
    int32_t partition; /* RD_KAFKA_PARTITION_UA if it is null or there is no such column */
    int64_t timestamp_ms; /* 0: now */
    const void *key, *value; /* NULL: null */
    size_t key_size, value_size;
} arrow_row;

/* A header of a row; its pointers have the same lifetime. */
typedef struct {
    const void *key, *value; /* `value` is NULL if it is null */
    size_t key_size, value_size;
} arrow_header;

#endif

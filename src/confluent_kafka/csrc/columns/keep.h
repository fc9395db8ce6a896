#ifndef CONFLUENT_KAFKA_COLUMNS_KEEP_H
#define CONFLUENT_KAFKA_COLUMNS_KEEP_H

#include "columns/builder.h"

/* The places of some entries; then of those that stayed, as they were before. */
typedef struct {
    int64_t *places;
    size_t count;
} watched_entries;

/*
 * Of the entries of map `index` that no slot has taken yet, leaves the last one of each key.
 * `watched` may be NULL. BUILD_OK or BUILD_NO_MEMORY.
 */
enum build_status columns_keep_last_keys(columns *set, int32_t index, watched_entries *watched);

#endif

#ifndef CONFLUENT_KAFKA_COLUMNS_KEEP_H
#define CONFLUENT_KAFKA_COLUMNS_KEEP_H

#include "columns/builder.h"

/* The places of some entries; afterwards, the former places of those that stayed. */
typedef struct {
    int64_t *places;
    size_t count;
} watched_entries;

/*
 * Removes entries of map `index` that no slot contains yet, except for the last entry of each key.
 * `watched` may be NULL. Returns BUILD_OK or BUILD_NO_MEMORY.
 */
enum build_status columns_keep_last_keys(columns *set, int32_t index, watched_entries *watched);

#endif

#ifndef CONFLUENT_KAFKA_COLUMNS_KEEP_H
#define CONFLUENT_KAFKA_COLUMNS_KEEP_H

#include "columns/builder.h"

/*
 * Of the entries of map `index` that no slot has taken yet, leaves the last one of each key.
 * BUILD_OK or BUILD_NO_MEMORY.
 */
enum build_status columns_keep_last_keys(columns *set, int32_t index);

#endif

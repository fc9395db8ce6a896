#ifndef CONFLUENT_KAFKA_COLUMNS_LAST_KEYS_H
#define CONFLUENT_KAFKA_COLUMNS_LAST_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const uint8_t *key;
    size_t size;
    bool is_replaced;
} keyed_entry;

/*
 * Marks the entries whose key occurs again later. Sets their number and returns 0; -1: no memory.
 * The time is n log n, whatever the keys are.
 */
int mark_replaced(keyed_entry *entries, size_t count, size_t *replaced);

#endif

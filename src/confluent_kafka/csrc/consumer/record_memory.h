/*
 * Prefetching memory while many fetched records are read.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_RECORD_MEMORY_H
#define CONFLUENT_KAFKA_CONSUMER_RECORD_MEMORY_H

#include "base/compat.h"

#include <librdkafka/rdkafka.h>

/*
 * Call it before messages[i] of `count` is read. It prefetches the value and the headers of a
 * later message. For a consumer that lags behind, they are in no cache, and without prefetching
 * it would wait for each.
 */
static inline void
record_memory_prefetch(rd_kafka_message_t *const *messages, size_t i, size_t count)
{
    const size_t ahead = 8;
    if (i + ahead < count) {
        const rd_kafka_message_t *later = messages[i + ahead];
        if (later->payload != NULL) {
            PREFETCH_MEMORY(later->payload);
            PREFETCH_MEMORY((const char *)later->payload + later->len);
        }
    }
}

#endif

/*
 * The order in which the rows of a batch are enqueued.
 */
#ifndef CONFLUENT_KAFKA_PRODUCER_ROW_ORDER_H
#define CONFLUENT_KAFKA_PRODUCER_ROW_ORDER_H

#include "arrow/import.h"
#include "values/partitioner.h"

/*
 * The indices of all rows, with the rows of each partition together and in their order. So messages
 * that wait in one queue are adjacent in memory; otherwise librdkafka waits for memory at each
 * message when it walks a queue. `partitioner` (NULL: random) chooses the partition of a key. To be
 * freed with PyMem_RawFree(); NULL if there is no memory. Needs no GIL.
 */
int64_t *arrow_rows_by_partition(const arrow_rows *rows, partitioner_function *partitioner,
                                 int32_t partition_count);

#endif

/*
 * The order in which the rows of a batch are enqueued.
 */
#ifndef CONFLUENT_KAFKA_PRODUCER_ROW_ORDER_H
#define CONFLUENT_KAFKA_PRODUCER_ROW_ORDER_H

#include "arrow/import.h"
#include "values/partitioner.h"

/*
 * The indices of all rows: those of one partition side by side, in their order, so that
 * messages that wait in one queue lie side by side in memory. Without that, librdkafka's
 * walks over a queue wait for memory at each message. `partitioner` (NULL: random) says
 * where keys go. To be freed with PyMem_RawFree(); NULL without memory. Needs no GIL.
 */
int64_t *arrow_rows_by_partition(const arrow_rows *rows, partitioner_function *partitioner,
                                 int32_t partition_count);

#endif

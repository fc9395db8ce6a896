#include "producer/row_order.h"

/* The partition of a row; `partition_count` if it is not known before enqueueing. */
static int32_t
expected_partition(const arrow_row *row, partitioner_function *partitioner,
                   int32_t partition_count)
{
    if (row->partition >= 0) {
        return row->partition < partition_count ? row->partition : partition_count;
    }
    if (row->key_size == 0 || partitioner == NULL) {
        return partition_count;
    }
    return partitioner(NULL, row->key, row->key_size, partition_count, NULL, NULL);
}

/* Turns the number of rows of each partition into the index where its rows begin. */
static void
sum_up(int64_t *starts, int32_t partition_count)
{
    int64_t sum = 0;
    for (int32_t i = 0; i <= partition_count; i++) {
        int64_t count = starts[i];
        starts[i] = sum;
        sum += count;
    }
}

static void
fill(const arrow_rows *rows, partitioner_function *partitioner, int32_t partition_count,
     int32_t *partitions, int64_t *starts, int64_t *order)
{
    int64_t count = arrow_rows_count(rows);
    for (int64_t i = 0; i < count; i++) {
        arrow_row row;
        arrow_rows_get(rows, i, &row);
        partitions[i] = expected_partition(&row, partitioner, partition_count);
        starts[partitions[i]]++;
    }
    sum_up(starts, partition_count);
    for (int64_t i = 0; i < count; i++) {
        order[starts[partitions[i]]++] = i;
    }
}

int64_t *
arrow_rows_by_partition(const arrow_rows *rows, partitioner_function *partitioner,
                        int32_t partition_count)
{
    size_t count = (size_t)arrow_rows_count(rows);
    int64_t *order = PyMem_RawCalloc(count, sizeof(*order));
    int32_t *partitions = PyMem_RawCalloc(count, sizeof(*partitions));
    int64_t *starts = PyMem_RawCalloc((size_t)partition_count + 1, sizeof(*starts));
    if (order != NULL && partitions != NULL && starts != NULL) {
        fill(rows, partitioner, partition_count, partitions, starts, order);
    }
    else {
        PyMem_RawFree(order);
        order = NULL;
    }
    PyMem_RawFree(partitions);
    PyMem_RawFree(starts);
    return order;
}

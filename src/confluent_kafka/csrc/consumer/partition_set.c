#include "consumer/partition_set.h"

#include <stdlib.h>
#include <string.h>

static int
compare(const void *left, const void *right)
{
    const rd_kafka_topic_partition_t *a = left, *b = right;
    int order = strcmp(a->topic, b->topic);
    return order != 0 ? order : (a->partition > b->partition) - (a->partition < b->partition);
}

static int
compare_entries(const void *left, const void *right, void *opaque)
{
    (void)opaque;
    return compare(left, right);
}

static void
append(partition_set *self, const rd_kafka_topic_partition_t *entry)
{
    rd_kafka_topic_partition_list_add(self, entry->topic, entry->partition);
}

partition_set *
partition_set_new(void)
{
    return rd_kafka_topic_partition_list_new(0);
}

partition_set *
partition_set_of(const rd_kafka_topic_partition_list_t *list)
{
    rd_kafka_topic_partition_list_t *sorted = rd_kafka_topic_partition_list_copy(list);
    rd_kafka_topic_partition_list_sort(sorted, compare_entries, NULL);
    partition_set *self = rd_kafka_topic_partition_list_new(sorted->cnt);
    for (int i = 0; i < sorted->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &sorted->elems[i];
        bool is_new = self->cnt == 0 || compare(&self->elems[self->cnt - 1], entry) != 0;
        if (is_new && entry->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            append(self, entry);
        }
    }
    rd_kafka_topic_partition_list_destroy(sorted);
    return self;
}

/* Replaces a set by its difference with `others`, or by their union if `others` are added. */
static void
merge(partition_set **self, const partition_set *others, bool adds)
{
    partition_set *old = *self;
    partition_set *merged = rd_kafka_topic_partition_list_new(old->cnt + (adds ? others->cnt : 0));
    int i = 0, j = 0;
    while (i < old->cnt || (adds && j < others->cnt)) {
        int order = i == old->cnt      ? 1
                    : j == others->cnt ? -1
                                       : compare(&old->elems[i], &others->elems[j]);
        if (order < 0) {
            append(merged, &old->elems[i]);
        }
        else if (adds) {
            append(merged, &others->elems[j]);
        }
        i += order <= 0;
        j += order >= 0;
    }
    rd_kafka_topic_partition_list_destroy(old);
    *self = merged;
}

void
partition_set_add(partition_set **self, const partition_set *others)
{
    merge(self, others, true);
}

void
partition_set_remove(partition_set **self, const partition_set *others)
{
    if ((*self)->cnt > 0) {
        merge(self, others, false);
    }
}

void
partition_set_keep(partition_set **self, const partition_set *others)
{
    partition_set *without = rd_kafka_topic_partition_list_copy(*self);
    partition_set_remove(&without, others);
    partition_set_remove(self, without);
    rd_kafka_topic_partition_list_destroy(without);
}

void
partition_set_clear(partition_set **self)
{
    rd_kafka_topic_partition_list_destroy(*self);
    *self = partition_set_new();
}

bool
partition_set_has(const partition_set *self, const char *topic, int32_t partition)
{
    rd_kafka_topic_partition_t key = {.topic = (char *)topic, .partition = partition};
    return self->cnt > 0
           && bsearch(&key, self->elems, (size_t)self->cnt, sizeof(key), compare) != NULL;
}

void
partition_set_remove_one(partition_set *self, const char *topic, int32_t partition)
{
    if (partition_set_has(self, topic, partition)) {
        rd_kafka_topic_partition_list_del(self, topic, partition);
    }
}

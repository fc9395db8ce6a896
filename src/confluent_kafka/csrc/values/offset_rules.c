#include "values/offset_rules.h"

#include <string.h>

#include "values/error.h"

/* OFFSET_TAIL(n): n messages before the end. */
static bool
is_tail(int64_t offset)
{
    return offset <= RD_KAFKA_OFFSET_TAIL_BASE;
}

static bool
is_end_of_log(int64_t offset)
{
    return offset == RD_KAFKA_OFFSET_BEGINNING || offset == RD_KAFKA_OFFSET_END;
}

/* Whether the offset means the group's committed offset, or no offset is given. */
static bool
is_left_open(int64_t offset)
{
    return offset == RD_KAFKA_OFFSET_STORED || offset == RD_KAFKA_OFFSET_INVALID;
}

static bool
is_allowed(int64_t offset, offset_use use)
{
    if (offset >= 0) {
        return true;
    }
    switch (use) {
    case OFFSETS_TO_SEEK:
        return is_end_of_log(offset) || is_tail(offset);
    case OFFSETS_TO_START:
        return is_end_of_log(offset) || is_left_open(offset) || is_tail(offset);
    case OFFSETS_TO_KEEP: /* no offset, as from position(): the partition is skipped */
        return is_left_open(offset);
    case OFFSETS_AS_TIMES:
        return is_end_of_log(offset);
    }
    return false;
}

static const char *const ALLOWED[] = {
    [OFFSETS_TO_SEEK] = "0 or higher, OFFSET_BEGINNING or OFFSET_END",
    [OFFSETS_TO_START] = "0 or higher, OFFSET_BEGINNING, OFFSET_END, OFFSET_STORED or "
                         "OFFSET_INVALID (the committed one)",
    [OFFSETS_TO_KEEP] = "0 or higher",
    [OFFSETS_AS_TIMES] = "a time in milliseconds, OFFSET_BEGINNING or OFFSET_END",
};

int
check_offsets(module_state *state, const rd_kafka_topic_partition_list_t *list, offset_use use,
              const char *what)
{
    for (int i = 0; i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &list->elems[i];
        if (is_allowed(entry->offset, use)) {
            continue;
        }
        if (entry->offset == RD_KAFKA_OFFSET_INVALID) {
            raise_kafka_error(state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                              "%s: partition %s[%d] has no offset: set it to %s", what,
                              entry->topic, (int)entry->partition, ALLOWED[use]);
        }
        else {
            raise_kafka_error(state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                              "%s: the offset of partition %s[%d] cannot be %lld, only %s", what,
                              entry->topic, (int)entry->partition, (long long)entry->offset,
                              ALLOWED[use]);
        }
        return -1;
    }
    return 0;
}

static int
by_name(const void *left, const void *right, void *Py_UNUSED(opaque))
{
    const rd_kafka_topic_partition_t *one = left, *other = right;
    int order = strcmp(one->topic, other->topic);
    return order != 0 ? order
                      : (one->partition > other->partition) - (one->partition < other->partition);
}

int
check_for_duplicates(module_state *state, const rd_kafka_topic_partition_list_t *list,
                     const char *what)
{
    rd_kafka_topic_partition_list_t *sorted = rd_kafka_topic_partition_list_copy(list);
    int result = 0;
    rd_kafka_topic_partition_list_sort(sorted, by_name, NULL);
    for (int i = 1; result == 0 && i < sorted->cnt; i++) {
        if (by_name(&sorted->elems[i - 1], &sorted->elems[i], NULL) == 0) {
            raise_kafka_error(state, RD_KAFKA_RESP_ERR__INVALID_ARG,
                              "%s: %s[%d] is in the list twice", what, sorted->elems[i].topic,
                              (int)sorted->elems[i].partition);
            result = -1;
        }
    }
    rd_kafka_topic_partition_list_destroy(sorted);
    return result;
}

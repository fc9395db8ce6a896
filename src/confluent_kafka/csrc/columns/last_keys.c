#include "columns/last_keys.h"

#include <stdlib.h>
#include <string.h>

/* Up to this number, each key is compared with each. */
#define FEW 12

/* Any order in which equal keys are adjacent. */
static int
compare(const keyed_entry *a, const keyed_entry *b)
{
    if (a->size != b->size) {
        return a->size < b->size ? -1 : 1;
    }
    return a->size == 0 ? 0 : memcmp(a->key, b->key, a->size);
}

static void
mark_few(keyed_entry *entries, size_t count, size_t *replaced)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t later = i + 1; later < count && !entries[i].is_replaced; later++) {
            entries[i].is_replaced = compare(&entries[i], &entries[later]) == 0;
        }
        *replaced += entries[i].is_replaced;
    }
}

/* A stable sort: equal keys keep their order. */
static keyed_entry **
merge_sort(keyed_entry **from, keyed_entry **to, size_t count)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = middle + width < count ? middle + width : count;
            size_t left = start, right = middle;
            for (size_t i = start; i < end; i++) {
                bool is_left = left < middle
                               && (right == end || compare(from[left], from[right]) <= 0);
                to[i] = is_left ? from[left++] : from[right++];
            }
        }
        keyed_entry **sorted = to;
        to = from;
        from = sorted;
    }
    return from;
}

int
mark_replaced(keyed_entry *entries, size_t count, size_t *replaced)
{
    *replaced = 0;
    for (size_t i = 0; i < count; i++) {
        entries[i].is_replaced = false;
    }
    if (count <= FEW) {
        mark_few(entries, count, replaced);
        return 0;
    }
    keyed_entry **memory = calloc(count, 2 * sizeof(*memory));
    if (memory == NULL) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        memory[i] = &entries[i];
    }
    keyed_entry **sorted = merge_sort(memory, memory + count, count);
    for (size_t i = 0; i + 1 < count; i++) {
        sorted[i]->is_replaced = compare(sorted[i], sorted[i + 1]) == 0;
        *replaced += sorted[i]->is_replaced;
    }
    free(memory);
    return 0;
}

#include "consumer/gaps.h"

#include <string.h>

#include "consumer/topic_version.h"

static gap_run *
find(const gaps *self, const char *topic, int32_t partition)
{
    for (size_t i = 0; i < self->count; i++) {
        gap_run *run = &self->runs[i];
        if (run->partition == partition && strcmp(run->topic, topic) == 0) {
            return run;
        }
    }
    return NULL;
}

static void
free_run(gap_run *run)
{
    PyMem_Free(run->topic);
    PyMem_Free(run->offsets);
}

void
gaps_clear(gaps *self)
{
    for (size_t i = 0; i < self->count; i++) {
        free_run(&self->runs[i]);
    }
    PyMem_Free(self->runs);
    *self = (gaps){0};
}

/* ---- runs ---- */

static gap_run *
add_run(gaps *self, const char *topic, int32_t partition, void *version)
{
    if (self->count == self->capacity) {
        size_t capacity = self->capacity == 0 ? 4 : 2 * self->capacity;
        gap_run *runs = PyMem_Realloc(self->runs, capacity * sizeof(*runs));
        if (runs == NULL) {
            return NULL;
        }
        self->runs = runs;
        self->capacity = capacity;
    }
    size_t size = strlen(topic) + 1;
    char *copy = PyMem_Malloc(size);
    int64_t *offsets = PyMem_Malloc(sizeof(*offsets));
    if (copy == NULL || offsets == NULL) {
        PyMem_Free(copy);
        PyMem_Free(offsets);
        return NULL;
    }
    memcpy(copy, topic, size);
    gap_run *run = &self->runs[self->count++];
    *run = (gap_run){.topic = copy,
                     .partition = partition,
                     .version = version,
                     .offsets = offsets,
                     .capacity = 1};
    return run;
}

static void
remove_run(gaps *self, gap_run *run)
{
    free_run(run);
    *run = self->runs[--self->count];
}

static int
grow(gap_run *run)
{
    if (run->count < run->capacity) {
        return 0;
    }
    size_t capacity = 2 * run->capacity;
    int64_t *offsets = PyMem_Realloc(run->offsets, capacity * sizeof(*offsets));
    if (offsets == NULL) {
        return -1;
    }
    run->offsets = offsets;
    run->capacity = capacity;
    return 0;
}

/* The index of the offset, or the index at which to insert it. */
static size_t
place_of(const gap_run *run, int64_t offset)
{
    size_t from = 0, to = run->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (run->offsets[middle] > offset) {
            from = middle + 1;
        }
        else {
            to = middle;
        }
    }
    return from;
}

static bool
is_at(const gap_run *run, size_t place, int64_t offset)
{
    return place < run->count && run->offsets[place] == offset;
}

/* The run of a partition, unless it is of a former topic: then it is removed. */
static gap_run *
find_current(gaps *self, rd_kafka_t *rk, const char *topic, int32_t partition)
{
    gap_run *run = find(self, topic, partition);
    if (run != NULL && run->version != topic_version(rk, topic, partition)) {
        remove_run(self, run);
        run = NULL;
    }
    return run;
}

/* ---- offsets ---- */

int
gaps_add(gaps *self, rd_kafka_t *rk, const char *topic, int32_t partition, int64_t offset)
{
    gap_run *run = find_current(self, rk, topic, partition);
    if (run == NULL) {
        run = add_run(self, topic, partition, topic_version(rk, topic, partition));
    }
    if (run == NULL || grow(run) < 0) {
        return -1;
    }
    size_t place = place_of(run, offset);
    if (!is_at(run, place, offset)) {
        memmove(&run->offsets[place + 1], &run->offsets[place],
                (run->count - place) * sizeof(*run->offsets));
        run->offsets[place] = offset;
        run->count++;
    }
    return 0;
}

bool
gaps_has(gaps *self, rd_kafka_t *rk, const char *topic, int32_t partition, int64_t offset)
{
    const gap_run *run = find_current(self, rk, topic, partition);
    return run != NULL && is_at(run, place_of(run, offset), offset);
}

void
gaps_remove(gaps *self, const char *topic, int32_t partition, int64_t offset)
{
    gap_run *run = find(self, topic, partition);
    size_t place = run == NULL ? 0 : place_of(run, offset);
    if (run == NULL || !is_at(run, place, offset)) {
        return;
    }
    run->count--;
    memmove(&run->offsets[place], &run->offsets[place + 1],
            (run->count - place) * sizeof(*run->offsets));
    if (run->count == 0) {
        remove_run(self, run);
    }
}

void
gaps_remove_partition(gaps *self, const char *topic, int32_t partition)
{
    gap_run *run = find(self, topic, partition);
    if (run != NULL) {
        remove_run(self, run);
    }
}

int64_t
gaps_first(gaps *self, rd_kafka_t *rk, const char *topic, int32_t partition)
{
    const gap_run *run = find_current(self, rk, topic, partition);
    return run == NULL ? RD_KAFKA_OFFSET_INVALID : run->offsets[run->count - 1];
}

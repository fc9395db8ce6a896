#include "consumer/shelves.h"

#include <string.h>

/* Limits of an unwanted partition's messages, above which it is paused: count and bytes. */
#define FULL_MESSAGES 10000
#define FULL_BYTES (8 * 1024 * 1024)

static size_t
size_of(const rd_kafka_message_t *message)
{
    return message->len + message->key_len;
}

static shelf *
find(const shelves *self, const char *topic, int32_t partition)
{
    for (size_t i = 0; i < self->count; i++) {
        shelf *item = &self->items[i];
        if (item->partition == partition && strcmp(item->topic, topic) == 0) {
            return item;
        }
    }
    return NULL;
}

/* ---- in and out ---- */

static int
reserve(shelves *self)
{
    if (self->count < self->capacity) {
        return 0;
    }
    size_t capacity = self->capacity == 0 ? 8 : self->capacity * 2;
    shelf *items = PyMem_Realloc(self->items, capacity * sizeof(*items));
    if (items == NULL) {
        return -1;
    }
    self->items = items;
    self->capacity = capacity;
    return 0;
}

static shelf *
add_shelf(shelves *self, const char *topic, int32_t partition)
{
    size_t size = strlen(topic) + 1;
    char *copy = PyMem_Malloc(size);
    if (copy == NULL || reserve(self) < 0) {
        PyMem_Free(copy);
        return NULL;
    }
    memcpy(copy, topic, size);
    shelf *item = &self->items[self->count++];
    *item = (shelf){.topic = copy, .partition = partition};
    return item;
}

/* The shelf for a message, created if necessary; NULL if there is no memory. */
static shelf *
shelf_for(shelves *self, const rd_kafka_message_t *message)
{
    const char *topic = message->rkt == NULL ? "" : rd_kafka_topic_name(message->rkt);
    int32_t partition = message->rkt == NULL ? RD_KAFKA_PARTITION_UA : message->partition;
    shelf *found = find(self, topic, partition);
    return found != NULL ? found : add_shelf(self, topic, partition);
}

int
shelves_sort(shelves *self, read_ahead *from)
{
    shelf *item = NULL;
    const rd_kafka_message_t *message, *last = NULL;
    while ((message = read_ahead_first(from)) != NULL) {
        if (last == NULL || message->rkt != last->rkt || message->partition != last->partition) {
            item = shelf_for(self, message);
        }
        if (item == NULL || read_ahead_reserve(&item->waiting, item->waiting.count + 1) < 0) {
            return -1;
        }
        rd_kafka_message_t *taken = read_ahead_take(from);
        read_ahead_add(&item->waiting, &taken, 1);
        item->bytes += size_of(taken);
        last = taken;
    }
    return 0;
}

static rd_kafka_message_t *
take_from(shelf *item)
{
    rd_kafka_message_t *message = read_ahead_take(&item->waiting);
    if (message != NULL) {
        item->bytes -= size_of(message);
    }
    return message;
}

int
shelves_put_back(shelves *self, rd_kafka_t *rk, read_ahead *to)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++) {
        count += self->items[i].waiting.count;
    }
    if (read_ahead_reserve(to, to->count + count) < 0) {
        return -1;
    }
    shelves_resume(self, rk, NULL);
    for (size_t i = self->count; i-- > 0;) {
        read_ahead_prepend(to, &self->items[i].waiting);
    }
    shelves_drop_all(self);
    return 0;
}

/* How many messages shelves_take() takes from one shelf, after `taken` from other shelves. */
static size_t
take_run(shelf *item, rd_kafka_message_t **messages, size_t taken, size_t limit, size_t max_bytes)
{
    const rd_kafka_message_t *first;
    size_t left = max_bytes;
    for (size_t start = taken; taken < limit; taken++) {
        first = read_ahead_first(&item->waiting);
        if (first == NULL || read_ahead_is_error(first)
            || (taken > start && size_of(first) > left)) {
            break;
        }
        left -= size_of(first) < left ? size_of(first) : left;
        messages[taken] = take_from(item);
    }
    return taken;
}

/* The shelf of the wanted partition `index`, counted from the partition that comes first this time;
 * the last index is the shelf of the consumer's own events. NULL if nothing was ever fetched from
 * it. */
static shelf *
wanted_shelf(const shelves *self, const rd_kafka_topic_partition_list_t *wanted, size_t index)
{
    if (index == (size_t)wanted->cnt) {
        return find(self, "", RD_KAFKA_PARTITION_UA);
    }
    const rd_kafka_topic_partition_t *entry =
        &wanted->elems[(self->turn + index) % (size_t)wanted->cnt];
    return find(self, entry->topic, entry->partition);
}

size_t
shelves_waiting(const shelves *self, const rd_kafka_topic_partition_list_t *wanted)
{
    size_t count = 0;
    for (size_t i = 0; i <= (size_t)wanted->cnt; i++) {
        const shelf *item = wanted_shelf(self, wanted, i);
        count += item == NULL ? 0 : item->waiting.count;
    }
    return count;
}

size_t
shelves_take(shelves *self, const rd_kafka_topic_partition_list_t *wanted,
             rd_kafka_message_t **messages, size_t limit, size_t max_bytes)
{
    size_t taken = 0;
    shelf *failed = NULL;
    for (size_t i = 0; i <= (size_t)wanted->cnt; i++) {
        shelf *item = wanted_shelf(self, wanted, i);
        if (item != NULL) {
            taken = take_run(item, messages, taken, limit, max_bytes);
            failed = failed == NULL && item->waiting.count > 0 ? item : failed;
        }
    }
    self->turn++;
    if (taken == 0 && limit > 0 && failed != NULL) {
        messages[taken++] = take_from(failed);
    }
    return taken;
}

int64_t
shelves_first_offset(const shelves *self, const char *topic, int32_t partition)
{
    const shelf *item = find(self, topic, partition);
    return item == NULL ? RD_KAFKA_OFFSET_INVALID
                        : read_ahead_first_offset(&item->waiting, topic, partition);
}

/* ---- pausing in librdkafka ---- */

static bool
is_full(const shelf *item, size_t parts)
{
    return item->waiting.count >= FULL_MESSAGES / parts || item->bytes >= FULL_BYTES / parts;
}

static bool
contains(const rd_kafka_topic_partition_list_t *partitions, const shelf *item)
{
    return partitions == NULL
           || rd_kafka_topic_partition_list_find(partitions, item->topic, item->partition) != NULL;
}

/* Sets whether a shelf is held back, for the following call of librdkafka. */
static void
note(shelf *item, bool held_back, rd_kafka_topic_partition_list_t **changed)
{
    if (*changed == NULL) {
        *changed = rd_kafka_topic_partition_list_new(1);
    }
    rd_kafka_topic_partition_list_add(*changed, item->topic, item->partition);
    item->held_back = held_back;
}

/* Destroys the list, if there is one. Errors of partitions that were revoked are ignored. */
static void
pause_all(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *partitions)
{
    if (partitions != NULL) {
        Py_BEGIN_ALLOW_THREADS
        (void)rd_kafka_pause_partitions(rk, partitions);
        Py_END_ALLOW_THREADS
        rd_kafka_topic_partition_list_destroy(partitions);
    }
}

static void
resume_all(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *partitions)
{
    if (partitions != NULL) {
        Py_BEGIN_ALLOW_THREADS
        (void)rd_kafka_resume_partitions(rk, partitions);
        Py_END_ALLOW_THREADS
        rd_kafka_topic_partition_list_destroy(partitions);
    }
}

void
shelves_balance(shelves *self, rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *wanted)
{
    rd_kafka_topic_partition_list_t *full = NULL, *drained = NULL;
    for (size_t i = 0; i < self->count; i++) {
        shelf *item = &self->items[i];
        if (!item->held_back && item->partition >= 0 && is_full(item, 1)
            && !contains(wanted, item)) {
            note(item, true, &full);
        }
        else if (item->held_back && !is_full(item, 2)) {
            note(item, false, &drained);
        }
    }
    pause_all(rk, full);
    resume_all(rk, drained);
}

void
shelves_resume(shelves *self, rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *partitions)
{
    rd_kafka_topic_partition_list_t *held_back = NULL;
    for (size_t i = 0; i < self->count; i++) {
        if (self->items[i].held_back && contains(partitions, &self->items[i])) {
            note(&self->items[i], false, &held_back);
        }
    }
    resume_all(rk, held_back);
}

/* ---- the end ---- */

static void
clear_shelf(shelf *item)
{
    read_ahead_drop_all(&item->waiting);
    read_ahead_free(&item->waiting);
    PyMem_Free(item->topic);
}

void
shelves_drop_partition(shelves *self, const char *topic, int32_t partition)
{
    shelf *item = find(self, topic, partition);
    if (item != NULL) {
        clear_shelf(item);
        *item = self->items[--self->count];
    }
}

void
shelves_drop_all(shelves *self)
{
    while (self->count > 0) {
        clear_shelf(&self->items[--self->count]);
    }
}

void
shelves_free(shelves *self)
{
    PyMem_Free(self->items);
    *self = (shelves){0};
}

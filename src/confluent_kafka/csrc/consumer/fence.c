#include "consumer/fence.h"

#include "values/error.h"

void
fence_init(fence *self)
{
    if (self->paused == NULL) {
        self->paused = rd_kafka_topic_partition_list_new(0);
        self->held = rd_kafka_topic_partition_list_new(0);
        self->lost = rd_kafka_topic_partition_list_new(0);
        self->fenced = rd_kafka_topic_partition_list_new(0);
    }
}

void
fence_clear(fence *self)
{
    if (self->paused != NULL) {
        rd_kafka_topic_partition_list_destroy(self->paused);
        rd_kafka_topic_partition_list_destroy(self->held);
        rd_kafka_topic_partition_list_destroy(self->lost);
        rd_kafka_topic_partition_list_destroy(self->fenced);
    }
}

static void
add_once(rd_kafka_topic_partition_list_t *list, const rd_kafka_topic_partition_t *entry)
{
    if (rd_kafka_topic_partition_list_find(list, entry->topic, entry->partition) == NULL) {
        rd_kafka_topic_partition_list_add(list, entry->topic, entry->partition);
    }
}

void
fence_note_paused(fence *self, const rd_kafka_topic_partition_list_t *partitions, bool paused)
{
    object_mutex_lock(&self->mutex);
    for (int i = 0; i < partitions->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &partitions->elems[i];
        if (entry->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            continue;
        }
        rd_kafka_topic_partition_list_del(self->held, entry->topic, entry->partition);
        if (paused) {
            add_once(self->paused, entry);
        }
        else {
            rd_kafka_topic_partition_list_del(self->paused, entry->topic, entry->partition);
        }
    }
    object_mutex_unlock(&self->mutex);
}

void
fence_note_revoked(fence *self, const rd_kafka_topic_partition_list_t *partitions)
{
    object_mutex_lock(&self->mutex);
    for (int i = 0; i < partitions->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &partitions->elems[i];
        rd_kafka_topic_partition_list_del(self->paused, entry->topic, entry->partition);
        rd_kafka_topic_partition_list_del(self->held, entry->topic, entry->partition);
        if (self->active) {
            add_once(self->lost, entry);
            add_once(self->fenced, entry);
        }
    }
    object_mutex_unlock(&self->mutex);
}

void
fence_note_assigned(fence *self, rd_kafka_t *rk,
                   const rd_kafka_topic_partition_list_t *partitions)
{
    if (!self->active) {
        return;
    }
    object_mutex_lock(&self->mutex);
    for (int i = 0; i < partitions->cnt; i++) {
        add_once(self->held, &partitions->elems[i]);
    }
    object_mutex_unlock(&self->mutex);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_copy(partitions);
    /* One that a callback has not assigned after all cannot be paused, and need not be. */
    Py_BEGIN_ALLOW_THREADS
    (void)rd_kafka_pause_partitions(rk, list);
    Py_END_ALLOW_THREADS
    rd_kafka_topic_partition_list_destroy(list);
}

void
fence_end(fence *self, const char *topic, int32_t partition)
{
    if (self->fenced->cnt > 0 && !self->active) {
        object_mutex_lock(&self->mutex);
        rd_kafka_topic_partition_list_del(self->fenced, topic, partition);
        object_mutex_unlock(&self->mutex);
    }
}

int
fence_check(fence *self, module_state *state, const char *what,
           const rd_kafka_topic_partition_list_t *offsets)
{
    const rd_kafka_topic_partition_t *fenced = NULL;
    object_mutex_lock(&self->mutex);
    for (int i = 0; fenced == NULL && i < offsets->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &offsets->elems[i];
        if (rd_kafka_topic_partition_list_find(self->fenced, entry->topic, entry->partition)) {
            fenced = entry;
        }
    }
    object_mutex_unlock(&self->mutex);
    if (fenced == NULL) {
        return 0;
    }
    raise_kafka_error(state, RD_KAFKA_RESP_ERR__ASSIGNMENT_LOST,
                      "%s failed: %s[%d] was revoked during pause_while(), and another "
                      "member of the group may have read on: nothing was committed",
                      what, fenced->topic, (int)fenced->partition);
    return -1;
}

#include "consumer/fence.h"

#include "values/error.h"

void
fence_init(fence *self)
{
    if (self->paused == NULL) {
        self->paused = partition_set_new();
        self->held = partition_set_new();
        self->lost = partition_set_new();
        self->fenced = partition_set_new();
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

void
fence_note_paused(fence *self, const rd_kafka_topic_partition_list_t *partitions, bool paused)
{
    partition_set *changed = partition_set_of(partitions);
    object_mutex_lock(&self->mutex);
    partition_set_remove(&self->held, changed);
    if (paused) {
        partition_set_add(&self->paused, changed);
    }
    else {
        partition_set_remove(&self->paused, changed);
    }
    object_mutex_unlock(&self->mutex);
    rd_kafka_topic_partition_list_destroy(changed);
}

void
fence_note_revoked(fence *self, const rd_kafka_topic_partition_list_t *partitions)
{
    if (!self->active) {
        return;
    }
    partition_set *revoked = partition_set_of(partitions);
    object_mutex_lock(&self->mutex);
    partition_set_add(&self->lost, revoked);
    partition_set_add(&self->fenced, revoked);
    object_mutex_unlock(&self->mutex);
    rd_kafka_topic_partition_list_destroy(revoked);
}

void
fence_note_unassigned(fence *self, rd_kafka_t *rk,
                      const rd_kafka_topic_partition_list_t *partitions)
{
    partition_set *gone = partition_set_of(partitions);
    object_mutex_lock(&self->mutex);
    bool any_paused = self->paused->cnt > 0 || self->held->cnt > 0;
    partition_set_remove(&self->paused, gone);
    partition_set_remove(&self->held, gone);
    object_mutex_unlock(&self->mutex);
    if (any_paused) {
        Py_BEGIN_ALLOW_THREADS
        (void)rd_kafka_resume_partitions(rk, gone);
        Py_END_ALLOW_THREADS
    }
    rd_kafka_topic_partition_list_destroy(gone);
}

void
fence_note_assigned(fence *self, rd_kafka_t *rk,
                   const rd_kafka_topic_partition_list_t *partitions)
{
    if (!self->active) {
        return;
    }
    partition_set *assigned = partition_set_of(partitions);
    object_mutex_lock(&self->mutex);
    partition_set_add(&self->held, assigned);
    object_mutex_unlock(&self->mutex);
    /* A partition that a callback did not assign cannot be paused, and need not be. */
    Py_BEGIN_ALLOW_THREADS
    (void)rd_kafka_pause_partitions(rk, assigned);
    Py_END_ALLOW_THREADS
    rd_kafka_topic_partition_list_destroy(assigned);
}

void
fence_end(fence *self, const char *topic, int32_t partition)
{
    if (self->fenced->cnt > 0 && !self->active) {
        object_mutex_lock(&self->mutex);
        partition_set_remove_one(self->fenced, topic, partition);
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
        if (partition_set_has(self->fenced, entry->topic, entry->partition)) {
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

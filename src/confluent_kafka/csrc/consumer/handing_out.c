/*
 * Messages handed out, and messages that are not.
 */
#include "consumer/consumer.h"

#include "client/exceptions.h"

static bool
same_partition(const rd_kafka_message_t *one, const rd_kafka_message_t *other)
{
    return one->partition == other->partition && one->rkt == other->rkt;
}

void
consumer_handed_out(Consumer *self, rd_kafka_message_t **messages, size_t count, bool store)
{
    for (size_t i = 0; i < count; i++) {
        rd_kafka_message_t *message = messages[i];
        bool last_of_run = i + 1 == count || messages[i + 1]->err != RD_KAFKA_RESP_ERR_NO_ERROR
                           || !same_partition(message, messages[i + 1]);
        if (!last_of_run || message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            continue;
        }
        if (self->rewound->cnt > 0) {
            rd_kafka_topic_partition_list_del(
                self->rewound, rd_kafka_topic_name(message->rkt), message->partition);
        }
        fence_end(&self->fence, rd_kafka_topic_name(message->rkt), message->partition);
        if (store && self->auto_offset_store) {
            /* Fails only if the partition was taken away, and then it must. */
            rd_kafka_error_destroy(rd_kafka_offset_store_message(message));
        }
    }
}

void
consumer_park_error(Consumer *self, const rd_kafka_message_t *message)
{
    raise_kafka_error(self->client.state, message->err, "%s[%d]: %s",
                      message->rkt == NULL ? "" : rd_kafka_topic_name(message->rkt),
                      (int)message->partition, rd_kafka_message_errstr(message));
    client_park_exception(&self->client);
}

/* Errors that do not come again are parked: true for those. */
static bool
park_if_error(Consumer *self, const rd_kafka_message_t *message)
{
    if (!read_ahead_is_error(message)) {
        return false;
    }
    consumer_park_error(self, message);
    return true;
}

/* Each partition's first offset among `messages`; errors are parked. */
static rd_kafka_topic_partition_list_t *
first_offsets(Consumer *self, rd_kafka_message_t **messages, size_t count)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(8);
    for (size_t i = 0; i < count; i++) {
        rd_kafka_message_t *message = messages[i];
        if (park_if_error(self, message)) {
            continue;
        }
        const char *topic = rd_kafka_topic_name(message->rkt);
        if (rd_kafka_topic_partition_list_find(list, topic, message->partition) == NULL) {
            rd_kafka_topic_partition_list_add(list, topic, message->partition)->offset =
                message->offset;
        }
    }
    return list;
}

void
consumer_rewind_messages(Consumer *self, rd_kafka_message_t **messages, size_t count)
{
    if (count == 0) {
        return;
    }
    rd_kafka_topic_partition_list_t *offsets = first_offsets(self, messages, count);
    consumer_rewind(self, offsets);
    rd_kafka_topic_partition_list_destroy(offsets);
}

void
consumer_rewind_raising(Consumer *self, rd_kafka_message_t **messages, size_t count)
{
    PyObject *raised = PyErr_GetRaisedException();
    consumer_rewind_messages(self, messages, count);
    PyErr_SetRaisedException(raised);
}

void
consumer_rewind(Consumer *self, rd_kafka_topic_partition_list_t *offsets)
{
    consumer_drop_read_ahead(self, offsets); /* they are fetched again */
    if (offsets->cnt == 0) {
        return;
    }
    Py_BEGIN_ALLOW_THREADS
    /* A partition that is no longer ours cannot be sought, and need not be: its new owner
     * reads the messages. So the results are of no interest. Timeout 0 does not wait. */
    rd_kafka_error_destroy(rd_kafka_seek_partitions(self->client.rk, offsets, 0));
    Py_END_ALLOW_THREADS
    for (int i = 0; i < offsets->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &offsets->elems[i];
        rd_kafka_topic_partition_list_add(self->rewound, entry->topic, entry->partition)
            ->offset = entry->offset;
    }
}

int64_t
consumer_first_ahead(const Consumer *self, const char *topic, int32_t partition)
{
    int64_t offset = shelves_first_offset(&self->shelves, topic, partition);
    return offset != RD_KAFKA_OFFSET_INVALID
               ? offset
               : read_ahead_first_offset(&self->read_ahead, topic, partition);
}

void
consumer_drop_read_ahead(Consumer *self, const rd_kafka_topic_partition_list_t *partitions)
{
    shelves_resume(&self->shelves, self->client.rk, partitions);
    if (partitions == NULL) {
        read_ahead_drop_all(&self->read_ahead);
        shelves_drop_all(&self->shelves);
        rd_kafka_topic_partition_list_destroy(self->rewound);
        self->rewound = rd_kafka_topic_partition_list_new(0);
        return;
    }
    for (int i = 0; i < partitions->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &partitions->elems[i];
        read_ahead_drop_partition(&self->read_ahead, entry->topic, entry->partition);
        shelves_drop_partition(&self->shelves, entry->topic, entry->partition);
        rd_kafka_topic_partition_list_del(self->rewound, entry->topic, entry->partition);
    }
}

void
consumer_rewind_read_ahead(Consumer *self,
                             const rd_kafka_topic_partition_list_t *partitions)
{
    rd_kafka_topic_partition_list_t *offsets = rd_kafka_topic_partition_list_new(8);
    for (int i = 0; i < partitions->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &partitions->elems[i];
        int64_t offset = consumer_first_ahead(self, entry->topic, entry->partition);
        if (offset != RD_KAFKA_OFFSET_INVALID) {
            rd_kafka_topic_partition_list_add(offsets, entry->topic, entry->partition)->offset =
                offset;
        }
    }
    consumer_rewind(self, offsets);
    rd_kafka_topic_partition_list_destroy(offsets);
}

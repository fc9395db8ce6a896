/*
 * Leaving a group: what close() of consumers and of share consumers have in common.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_GROUP_H
#define CONFLUENT_KAFKA_CLIENT_GROUP_H

#include "client/client.h"

/* How a kind of consumer leaves its group. */
typedef struct {
    /* Tells librdkafka to leave, and to put events into `queue`; called without the GIL. */
    rd_kafka_error_t *(*begin)(Client *self, rd_kafka_queue_t *queue);
    bool (*has_left)(Client *self);
    /*
     * Serves one event. If the client is being deleted, this is called without the GIL, and
     * callback_begin() runs none of the application's callbacks.
     */
    void (*serve)(Client *self, rd_kafka_event_t *event);
} group_steps;

/* Serves the current events of `queue` only: statistics may arrive faster than they are served. */
void group_serve_waiting(Client *self, const group_steps *steps, rd_kafka_queue_t *queue);

/*
 * Leaves the group, under the serving lock, and serves callbacks until that is done. `*queue`,
 * which is NULL at first, is made for this: the client's own queue may be forwarded to the
 * consumer's. Returns 0; 1 if `until` passes first, so that the group will notice by itself; or -1
 * with the exception of a signal handler, after which a later call continues.
 */
int group_leave(Client *self, const group_steps *steps, rd_kafka_queue_t **queue,
                deadline *until);

/*
 * Called before the handle ends. If a group_leave() was interrupted, librdkafka is already leaving,
 * and the handle must not end before that is done.
 */
void group_finish_leaving(Client *self, const group_steps *steps, rd_kafka_queue_t **queue);

#endif

/*
 * Leaving a group: what close() of a consumer and of a share consumer have in common.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_GROUP_H
#define CONFLUENT_KAFKA_CLIENT_GROUP_H

#include "client/client.h"

/* How a kind of consumer does it. */
typedef struct {
    /* Tells librdkafka to leave, and to put what comes meanwhile into `queue`; without the GIL. */
    rd_kafka_error_t *(*begin)(Client *self, rd_kafka_queue_t *queue);
    bool (*has_left)(Client *self);
    /*
     * Serves one event. Where the client is being dropped it is called without the GIL, and
     * callback_begin() lets nothing of the application's run.
     */
    void (*serve)(Client *self, rd_kafka_event_t *event);
} group_steps;

/* Serves what is in `queue` now: statistics may come faster than their callback returns. */
void group_serve_waiting(Client *self, const group_steps *steps, rd_kafka_queue_t *queue);

/*
 * Leaves the group, under the serving lock, and serves callbacks until that is done. `*queue`
 * (NULL at first) is made for it: the client's own may be forwarded to the consumer's. 0; 1 if
 * `until` passes before that, and then the group finds out by itself; or -1 with an exception of a
 * signal handler, after which a later call goes on.
 */
int group_leave(Client *self, const group_steps *steps, rd_kafka_queue_t **queue,
                deadline *until);

/*
 * When the handle is about to end: a group_leave() that was interrupted has told librdkafka to
 * leave, and the handle does not end before that is done.
 */
void group_finish_leaving(Client *self, const group_steps *steps, rd_kafka_queue_t **queue);

#endif

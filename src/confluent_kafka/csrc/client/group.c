#include "client/group.h"

#include "client/close.h"
#include "client/logs.h"
#include "client/serve.h"
#include "client/signals.h"

static void
serve(Client *self, const group_steps *steps, rd_kafka_queue_t *queue, int timeout_ms)
{
    rd_kafka_event_t *event;
    serve_release_gil(self);
    event = rd_kafka_queue_poll(queue, timeout_ms);
    serve_take_gil(self);
    if (event != NULL) {
        steps->serve(self, event);
        rd_kafka_event_destroy(event);
    }
}

void
group_serve_waiting(Client *self, const group_steps *steps, rd_kafka_queue_t *queue)
{
    for (size_t left = rd_kafka_queue_length(queue); left > 0; left--) {
        serve(self, steps, queue, 0);
    }
}

/* Begins to leave, once: 1 it has begun, 0 there is nothing to leave, -1 exception. */
static int
begin(Client *self, const group_steps *steps, rd_kafka_queue_t **queue)
{
    if (*queue != NULL) {
        return 1; /* an earlier close() was interrupted after this */
    }
    rd_kafka_queue_t *made = rd_kafka_queue_new(self->rk);
    rd_kafka_error_t *error;
    Py_BEGIN_ALLOW_THREADS
    error = steps->begin(self, made);
    if (error != NULL) {
        rd_kafka_queue_destroy(made);
    }
    Py_END_ALLOW_THREADS
    if (error == NULL) {
        *queue = made;
        return 1;
    }
    if (rd_kafka_error_is_fatal(error)) {
        /* The group has already removed this member, and that error was reported. */
        rd_kafka_error_destroy(error);
        return 0;
    }
    return raise_if_error(self->state, error);
}

/* Drops events that arrive from now on, because nobody serves them. */
static void
give_up(rd_kafka_queue_t **queue)
{
    Py_BEGIN_ALLOW_THREADS
    rd_kafka_queue_destroy(*queue);
    Py_END_ALLOW_THREADS
    *queue = NULL;
}

int
group_leave(Client *self, const group_steps *steps, rd_kafka_queue_t **queue, deadline *until)
{
    int begun = begin(self, steps, queue);
    if (begun != 1) {
        return begun;
    }
    deadline silent = deadline_after(client_silent_seconds(self));
    while (!steps->has_left(self)) {
        serve(self, steps, *queue, deadline_remaining_ms(until, WAIT_SLICE_MS));
        if (client_check_signals(self) < 0) {
            return -1;
        }
        if (deadline_passed(until) && !steps->has_left(self)) {
            give_up(queue);
            return 1;
        }
        if (deadline_passed(&silent) && !steps->has_left(self)) {
            silent = DEADLINE_NEVER;
            logs_warn(self,
                      "%s.close() waits for the group's coordinator: a commit has not been "
                      "answered, or the group has not been left",
                      client_type_name(self));
        }
    }
    /* The last event, the answer to a commit, may have arrived while another callback ran. */
    group_serve_waiting(self, steps, *queue);
    return 0;
}

/* How long the end of a handle waits until the group has been left. */
#define LEAVE_SECONDS 2

void
group_finish_leaving(Client *self, const group_steps *steps, rd_kafka_queue_t **queue)
{
    deadline moment = deadline_after(LEAVE_SECONDS);
    if (*queue == NULL) {
        return;
    }
    Py_BEGIN_ALLOW_THREADS
    while (!steps->has_left(self) && !deadline_passed(&moment)) {
        rd_kafka_event_t *event = rd_kafka_queue_poll(*queue, 50);
        if (event != NULL) {
            steps->serve(self, event);
            rd_kafka_event_destroy(event);
        }
    }
    rd_kafka_queue_destroy(*queue);
    Py_END_ALLOW_THREADS
    *queue = NULL;
}

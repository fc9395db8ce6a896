/*
 * Messages that were taken and have not been handed out yet: a coroutine, or a thread, makes
 * objects or columns of them.
 *
 * Each call that takes messages has a number, its take, which ends in one of two ways. The messages
 * are handed out: then their offsets are stored, but a partition's stored offset never passes a
 * message that is still in flight, in whatever order takes end. Or they are given back: the next
 * fetch returns them again, and until it has handed them out they hold back the stored offset just
 * the same. Those of a paused partition stay here until it is resumed: fetching them again would
 * repeat what later takes have handed out. A seek, an assignment or a rebalance ends the flight of
 * its partitions' messages.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_IN_FLIGHT_H
#define CONFLUENT_KAFKA_CONSUMER_IN_FLIGHT_H

#include "base/module_state.h"
#include "consumer/gaps.h"
#include "consumer/partition_set.h"

/* The take of messages that were given back, and wait for the next fetch. */
#define GIVEN_BACK (-1)

typedef struct {
    int64_t take;
    rd_kafka_message_t *message; /* NULL: its partition was moved or taken away */
    bool ends;                   /* while in_flight_hand_out() works */
} in_flight_message;

typedef struct {
    object_mutex mutex; /* takes end without the serving lock */
    in_flight_message *messages;
    size_t count, capacity;
    bool given_back; /* there are messages of GIVEN_BACK */
    gaps gaps;       /* of messages that were taken back */
    rd_kafka_topic_partition_list_t *ends; /* offsets to store when what came before is out */
} in_flight;

void in_flight_init(in_flight *self); /* does nothing if it was done */
void in_flight_clear(in_flight *self);

/* Makes room for `more` messages: 0, or -1 with an exception. */
int in_flight_reserve(in_flight *self, size_t more);
/* Takes over a message, for which there is room. */
void in_flight_add(in_flight *self, int64_t take, rd_kafka_message_t *message);
/* Whether messages are in flight, or have been given back and not handed out since. */
bool in_flight_any(const in_flight *self);
/* These partitions (NULL: all) were moved or taken away. */
void in_flight_drop(in_flight *self, const rd_kafka_topic_partition_list_t *partitions);

/* The partition's first offset that is not handed out; RD_KAFKA_OFFSET_INVALID: none. */
int64_t in_flight_first_offset(in_flight *self, const char *topic, int32_t partition);

/*
 * Ends a take: its messages are handed out. False, and the take goes on, if any of their partitions
 * was moved or taken away. With `rk` offsets are stored.
 */
bool in_flight_hand_out(in_flight *self, int64_t take, rd_kafka_t *rk);
/* Makes one message of a take a take of its own. */
void in_flight_split(in_flight *self, int64_t take, const rd_kafka_topic_partition_t *place,
                     int64_t own_take);

/* Ends a take whose messages are given back. */
void in_flight_give_back(in_flight *self, int64_t take);
/*
 * Takes back the last message that was given back and is not of a paused partition; it becomes the
 * caller's. NULL: there are no more.
 */
rd_kafka_message_t *in_flight_take_back(in_flight *self, const partition_set *paused);
/* Whether the message was given back, and was taken back since. */
bool in_flight_came_back(in_flight *self, const rd_kafka_message_t *message);

#endif

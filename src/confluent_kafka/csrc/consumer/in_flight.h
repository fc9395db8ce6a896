/*
 * Messages that were taken and not handed out yet, because a coroutine or a thread is still making
 * objects or columns from them.
 *
 * Each call that takes messages has a number, its take. A take ends in one of two ways:
 *   - The messages are handed out, and their offsets are stored. Takes may end in any order, but a
 *     partition's stored offset never passes a message that is still in flight.
 *   - The messages are given back, and the next fetch returns them again. Until they have been
 *     handed out, they hold back the stored offset as well. Messages of a paused partition stay
 *     here until it is resumed, because fetching them again would repeat messages that later takes
 *     have handed out.
 * A seek, an assignment or a rebalance removes the messages of its partitions from all takes.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_IN_FLIGHT_H
#define CONFLUENT_KAFKA_CONSUMER_IN_FLIGHT_H

#include "base/module_state.h"
#include "consumer/gaps.h"
#include "consumer/partition_set.h"

/* The take of messages that were given back and wait for the next fetch. */
#define GIVEN_BACK (-1)

typedef struct {
    int64_t take;
    rd_kafka_message_t *message; /* NULL: its partition was moved or revoked */
    bool ends;                   /* used inside in_flight_hand_out() */
} in_flight_message;

typedef struct {
    object_mutex mutex; /* takes end without the serving lock */
    in_flight_message *messages;
    size_t count, capacity;
    bool given_back; /* there are messages in the take GIVEN_BACK */
    gaps gaps;       /* the offsets of messages that were taken back */
    rd_kafka_topic_partition_list_t *ends; /* to be stored once all earlier ones are handed out */
} in_flight;

void in_flight_init(in_flight *self); /* a second call does nothing */
void in_flight_clear(in_flight *self);

/* Reserves room for `more` messages: 0, or -1 with an exception. */
int in_flight_reserve(in_flight *self, size_t more);
/* Takes ownership of a message, for which room was reserved. */
void in_flight_add(in_flight *self, int64_t take, rd_kafka_message_t *message);
/* Whether messages are in flight, or were given back and not handed out since. */
bool in_flight_any(const in_flight *self);
/* These partitions (NULL: all) were moved or revoked. */
void in_flight_drop(in_flight *self, const rd_kafka_topic_partition_list_t *partitions);

/* The partition's first offset that is not handed out; RD_KAFKA_OFFSET_INVALID if none. */
int64_t in_flight_first_offset(in_flight *self, rd_kafka_t *rk, const char *topic,
                               int32_t partition);

/*
 * Ends a take by handing out its messages. If one of their partitions was moved or revoked, it
 * returns false and the take stays open. If `rk` is not NULL, offsets are stored.
 */
bool in_flight_hand_out(in_flight *self, int64_t take, rd_kafka_t *rk);
/* Makes one message of a take a take of its own. */
void in_flight_split(in_flight *self, int64_t take, const rd_kafka_topic_partition_t *place,
                     int64_t own_take);

/* Ends a take by giving back its messages. */
void in_flight_give_back(in_flight *self, int64_t take);
/*
 * Takes back the last message that was given back and whose partition is not paused. The caller
 * owns it. NULL if there are none.
 */
rd_kafka_message_t *in_flight_take_back(in_flight *self, rd_kafka_t *rk,
                                        const partition_set *paused);
/* Whether a take gave back the message, and in_flight_take_back() has returned it since. */
bool in_flight_came_back(in_flight *self, rd_kafka_t *rk, const rd_kafka_message_t *message);

#endif

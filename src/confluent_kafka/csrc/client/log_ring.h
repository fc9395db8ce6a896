/*
 * Log records of librdkafka's threads that wait for a thread of the application.
 *
 * The ring is bounded, because a client that is never polled must not collect log lines for ever:
 * the oldest records are dropped and counted.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_LOG_RING_H
#define CONFLUENT_KAFKA_CLIENT_LOG_RING_H

#include "base/module_state.h"

#define LOG_RING_CAPACITY 1024

typedef struct {
    int level; /* as in syslog: 0 emergency to 7 debug */
    char *facility;
    char *message;
} log_record;

typedef struct log_ring log_ring;

log_ring *log_ring_new(void); /* NULL if there is no memory */
void log_ring_free(log_ring *ring);

/* Copies the record, if there is memory for it. Any thread may call this, without Python. */
void log_ring_push(log_ring *ring, int level, const char *facility, const char *message);

/* Records a failure that is not logged, for log_ring_last_failure(), if there is memory for it. */
void log_ring_note_failure(log_ring *ring, const char *text);

/* A cheap test that needs no lock. */
bool log_ring_is_empty(log_ring *ring);

/* Takes the oldest record (free it with log_record_clear()); false when there is none. */
bool log_ring_pop(log_ring *ring, log_record *record);
void log_record_clear(log_record *record);

/* The number of records that were dropped since the last call. */
size_t log_ring_take_dropped(log_ring *ring);

/*
 * The last report of a failed connection or a missing token; NULL if there was none in the last
 * minute. To be freed with free().
 */
char *log_ring_last_failure(log_ring *ring);

#endif

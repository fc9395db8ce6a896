/*
 * Log records of librdkafka's threads, waiting for the application's thread.
 *
 * The ring is bounded: a client that is never polled must not collect log lines for ever,
 * so the oldest records are dropped and counted.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_LOG_RING_H
#define CONFLUENT_KAFKA_CLIENT_LOG_RING_H

#include "base/module_state.h"

#define LOG_RING_CAPACITY 1024

typedef struct {
    int level; /* syslog's: 0 emergency to 7 debug */
    char *facility;
    char *message;
} log_record;

typedef struct log_ring log_ring;

log_ring *log_ring_new(void); /* NULL without memory */
void log_ring_free(log_ring *ring);

/* Copies the record; from any thread, without Python. Without memory it counts as dropped. */
void log_ring_push(log_ring *ring, int level, const char *facility, const char *message);

/* Notes a failure that is not logged, for log_ring_last_failure(); without memory nothing. */
void log_ring_note_failure(log_ring *ring, const char *text);

/* Cheap test that needs no lock. */
bool log_ring_is_empty(log_ring *ring);

/* Takes the oldest record (free it with log_record_clear()); false when there is none. */
bool log_ring_pop(log_ring *ring, log_record *record);
void log_record_clear(log_record *record);

/* How many records were dropped since the last call. */
size_t log_ring_take_dropped(log_ring *ring);

/*
 * What was last said about a connection that failed, or a token that could not be had; NULL
 * when nothing was said in the last minute. To be freed with free().
 */
char *log_ring_last_failure(log_ring *ring);

#endif

#include "client/log_ring.h"

#include "base/deadline.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct log_ring {
    PyThread_type_lock lock;
    atomic_size_t count;
    size_t first;
    size_t dropped;
    log_record failure; /* see log_ring_last_failure() */
    int64_t failed_at_us;
    log_record records[LOG_RING_CAPACITY];
};

log_ring *
log_ring_new(void)
{
    log_ring *ring = calloc(1, sizeof(*ring));
    if (ring == NULL) {
        return NULL;
    }
    ring->lock = PyThread_allocate_lock();
    if (ring->lock == NULL) {
        free(ring);
        return NULL;
    }
    return ring;
}

void
log_record_clear(log_record *record)
{
    free(record->facility);
    free(record->message);
    *record = (log_record){0};
}

void
log_ring_free(log_ring *ring)
{
    for (size_t i = 0; i < LOG_RING_CAPACITY; i++) {
        log_record_clear(&ring->records[i]);
    }
    log_record_clear(&ring->failure);
    PyThread_free_lock(ring->lock);
    free(ring);
}

static char *
copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy == NULL ? NULL : memcpy(copy, text, size);
}

/* Removes the oldest record, without freeing it. */
static log_record
take_first_lock_held(log_ring *ring)
{
    log_record record = ring->records[ring->first];
    ring->records[ring->first] = (log_record){0};
    ring->first = (ring->first + 1) % LOG_RING_CAPACITY;
    atomic_fetch_sub(&ring->count, 1);
    return record;
}

/* True if the record reports a failed connection or a missing token. */
static bool
is_failure(const log_record *record)
{
    return strcmp(record->facility, "FAIL") == 0
           || (strcmp(record->facility, "ERROR") == 0
               && strstr(record->message, "brokers are down") == NULL);
}

/* Keeps a copy of the record if it reports a failure; the former copy goes to `old`. */
static void
note_failure_lock_held(log_ring *ring, const log_record *record, log_record *old)
{
    char *message = is_failure(record) ? copy_text(record->message) : NULL;
    if (message != NULL) {
        *old = ring->failure;
        ring->failure = (log_record){record->level, NULL, message};
        ring->failed_at_us = coarse_now_us();
    }
}

void
log_ring_push(log_ring *ring, int level, const char *facility, const char *message)
{
    log_record overwritten = {0}, old_failure = {0};
    log_record record = {level, copy_text(facility), copy_text(message)};
    bool complete = record.facility != NULL && record.message != NULL;

    PyThread_acquire_lock(ring->lock, WAIT_LOCK);
    if (complete && atomic_load(&ring->count) == LOG_RING_CAPACITY) {
        overwritten = take_first_lock_held(ring);
        ring->dropped++;
    }
    if (complete) {
        note_failure_lock_held(ring, &record, &old_failure);
        size_t last = (ring->first + atomic_load(&ring->count)) % LOG_RING_CAPACITY;
        ring->records[last] = record;
        atomic_fetch_add(&ring->count, 1);
    }
    else {
        ring->dropped++;
    }
    PyThread_release_lock(ring->lock);

    log_record_clear(&overwritten);
    log_record_clear(&old_failure);
    if (!complete) {
        log_record_clear(&record);
    }
}

void
log_ring_note_failure(log_ring *ring, const char *text)
{
    char *message = copy_text(text);
    if (message == NULL) {
        return;
    }
    PyThread_acquire_lock(ring->lock, WAIT_LOCK);
    log_record old = ring->failure;
    ring->failure = (log_record){0, NULL, message};
    ring->failed_at_us = coarse_now_us();
    PyThread_release_lock(ring->lock);
    log_record_clear(&old);
}

bool
log_ring_is_empty(log_ring *ring)
{
    return atomic_load_explicit(&ring->count, memory_order_relaxed) == 0;
}

bool
log_ring_pop(log_ring *ring, log_record *record)
{
    PyThread_acquire_lock(ring->lock, WAIT_LOCK);
    bool found = atomic_load(&ring->count) > 0;
    if (found) {
        *record = take_first_lock_held(ring);
    }
    PyThread_release_lock(ring->lock);
    return found;
}

size_t
log_ring_take_dropped(log_ring *ring)
{
    PyThread_acquire_lock(ring->lock, WAIT_LOCK);
    size_t dropped = ring->dropped;
    ring->dropped = 0;
    PyThread_release_lock(ring->lock);
    return dropped;
}

/*
 * librdkafka tries to connect at least every 10 seconds (reconnect.backoff.max.ms). If a broker
 * keeps failing in the same way, librdkafka logs that every 30 seconds. So a failure that was not
 * logged again within this time is over.
 */
#define FAILURE_AGE_US 60000000

char *
log_ring_last_failure(log_ring *ring)
{
    char *copy = NULL;
    PyThread_acquire_lock(ring->lock, WAIT_LOCK);
    const char *message = ring->failure.message;
    if (message != NULL && coarse_now_us() - ring->failed_at_us < FAILURE_AGE_US) {
        /* Leaves out the name of librdkafka's thread. */
        const char *text = strncmp(message, "[thrd:", 6) == 0 ? strstr(message, "]: ") : NULL;
        copy = copy_text(text == NULL ? message : text + 3);
    }
    PyThread_release_lock(ring->lock);
    return copy;
}

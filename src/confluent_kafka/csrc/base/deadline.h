/*
 * A point in time at which a call stops waiting.
 */
#ifndef CONFLUENT_KAFKA_BASE_DEADLINE_H
#define CONFLUENT_KAFKA_BASE_DEADLINE_H

#include "base/args.h"

/* The longest that a call stays inside librdkafka before signals are served. */
#define WAIT_SLICE_MS 100

typedef struct {
    double seconds; /* how long to wait, from the first use of the deadline */
    int64_t at_us;  /* on the monotonic clock; 0: past, INT64_MAX: never, -1: not begun */
} deadline;

#define DEADLINE_NEVER ((deadline){-1, INT64_MAX})

/* From a timeout in seconds: a negative, infinite or NULL timeout (the default) has no limit. */
int deadline_from_arg(PyObject *timeout, const char *name, deadline *result);
deadline deadline_after(double seconds);

/* The same for a timeout that librdkafka takes: milliseconds, -1 for no limit. */
int timeout_ms_from_arg(PyObject *timeout, const char *name, int *timeout_ms);

/* The monotonic clock with the precision of a scheduler tick (some ms); much cheaper to read. */
int64_t coarse_now_us(void);

bool deadline_passed(deadline *until);

/* Milliseconds left, rounded up, at most `limit_ms`; 0 when the deadline has passed. */
int deadline_remaining_ms(deadline *until, int limit_ms);

#endif

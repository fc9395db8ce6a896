/*
 * A point in time until which a call may wait.
 */
#ifndef CONFLUENT_KAFKA_BASE_DEADLINE_H
#define CONFLUENT_KAFKA_BASE_DEADLINE_H

#include "base/args.h"

/* The longest that a call stays inside librdkafka before signals are served. */
#define WAIT_SLICE_MS 100

typedef struct {
    double seconds; /* to wait, counted from the first look at the deadline */
    int64_t at_us;  /* on the monotonic clock; 0: past, INT64_MAX: never, -1: not begun */
} deadline;

#define DEADLINE_NEVER ((deadline){-1, INT64_MAX})

/* From a timeout in seconds: negative, infinite or NULL (the default) wait without limit. */
int deadline_from_arg(PyObject *timeout, const char *name, deadline *result);
deadline deadline_after(double seconds);

/* The same as librdkafka's timeouts: milliseconds, -1 without limit. */
int timeout_ms_from_arg(PyObject *timeout, const char *name, int *timeout_ms);

/* The monotonic clock to within a scheduler tick (some ms), much cheaper to read. */
int64_t coarse_now_us(void);

bool deadline_passed(deadline *until);

/* Milliseconds left, rounded up, at most `limit_ms`; 0 when the deadline has passed. */
int deadline_remaining_ms(deadline *until, int limit_ms);

#endif

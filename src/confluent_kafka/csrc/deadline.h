/*
 * A point in time until which a call may wait.
 */
#ifndef CONFLUENT_KAFKA_DEADLINE_H
#define CONFLUENT_KAFKA_DEADLINE_H

#include "args.h"

/* The longest that a call stays inside librdkafka before signals are served. */
#define WAIT_SLICE_MS 100

typedef struct {
    int64_t at_us; /* on the monotonic clock; INT64_MAX: never */
} deadline;

/* From a timeout in seconds: negative, infinite or NULL (the default) wait without limit. */
int deadline_from_arg(PyObject *timeout, const char *name, deadline *result);
deadline deadline_after(double seconds);

/* The same as librdkafka's timeouts: milliseconds, -1 without limit. */
int timeout_ms_from_arg(PyObject *timeout, const char *name, int *timeout_ms);

bool deadline_passed(const deadline *until);

/* Milliseconds left, rounded up, at most `limit_ms`; 0 when the deadline has passed. */
int deadline_remaining_ms(const deadline *until, int limit_ms);

#endif

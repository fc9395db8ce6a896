#include "base/deadline.h"

#include <math.h>
#include <time.h>

#ifdef _WIN32
#include <windows.h>
static int64_t
now_us(void)
{
    return (int64_t)GetTickCount64() * 1000;
}

int64_t
coarse_now_us(void)
{
    return now_us();
}
#else
static int64_t
read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int64_t
now_us(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t
coarse_now_us(void)
{
#ifdef CLOCK_MONOTONIC_COARSE
    return read_clock(CLOCK_MONOTONIC_COARSE);
#else
    return read_clock(CLOCK_MONOTONIC);
#endif
}
#endif

/* A wait of more seconds than this (three hundred years) has no limit. */
#define FOREVER_SECONDS 1e10

deadline
deadline_after(double seconds)
{
    if (seconds < 0 || seconds > FOREVER_SECONDS) {
        return DEADLINE_NEVER;
    }
    return (deadline){seconds, seconds == 0 ? 0 : -1};
}

/* Reads the clock when the first wait begins. Most calls need not wait, so they never read it. */
static void
begin(deadline *until)
{
    if (until->at_us == -1) {
        until->at_us = now_us() + (int64_t)(until->seconds * 1e6);
    }
}

int
deadline_from_arg(PyObject *timeout, const char *name, deadline *result)
{
    double seconds = -1;
    if (timeout != NULL && arg_double(timeout, name, &seconds) < 0) {
        return -1;
    }
    *result = deadline_after(seconds);
    return 0;
}

int
timeout_ms_from_arg(PyObject *timeout, const char *name, int *timeout_ms)
{
    deadline until;
    if (deadline_from_arg(timeout, name, &until) < 0) {
        return -1;
    }
    *timeout_ms = until.at_us == INT64_MAX ? -1 : deadline_remaining_ms(&until, INT32_MAX);
    return 0;
}

bool
deadline_passed(deadline *until)
{
    begin(until);
    if (until->at_us == 0) {
        return true;
    }
    return until->at_us != INT64_MAX && now_us() >= until->at_us;
}

int
deadline_remaining_ms(deadline *until, int limit_ms)
{
    begin(until);
    if (until->at_us == 0) {
        return 0;
    }
    if (until->at_us == INT64_MAX) {
        return limit_ms;
    }
    int64_t left_us = until->at_us - now_us();
    if (left_us <= 0) {
        return 0;
    }
    int64_t left_ms = (left_us + 999) / 1000;
    return left_ms < limit_ms ? (int)left_ms : limit_ms;
}

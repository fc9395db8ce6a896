/*
 * For LD_PRELOAD: moves the coarse monotonic clock `coarse_clock_ahead` seconds ahead. Only our
 * extension reads this clock, so no deadline of librdkafka, Python or the extension changes.
 */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

atomic_long coarse_clock_ahead;

int
clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && clock == CLOCK_MONOTONIC_COARSE) {
        now->tv_sec += atomic_load(&coarse_clock_ahead);
    }
    return result;
}

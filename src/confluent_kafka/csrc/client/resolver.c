#include "client/resolver.h"

#ifdef __GLIBC__

#include <netdb.h>
#include <pthread.h>
#include <time.h>

/* A look-up holds glibc's lock for well below a millisecond, but may then wait many seconds for an
 * answer. A fork does not wait for that. */
#define LONGEST_WAIT_NS 100000000L

/* Many threads may look up at a time, but none while the process forks. It is global, like glibc's
 * lock: it contains no state of ours, and outlives every interpreter. */
static pthread_rwlock_t look_ups = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static _Thread_local bool is_forking;

static int
look_up(const char *node, const char *service, const struct addrinfo *hints,
        struct addrinfo **result, void *Py_UNUSED(opaque))
{
    if (node == NULL && service == NULL) {
        freeaddrinfo(*result);
        return 0;
    }
    pthread_rwlock_rdlock(&look_ups);
    int error = getaddrinfo(node, service, hints, result);
    pthread_rwlock_unlock(&look_ups);
    return error;
}

static void
before_fork(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LONGEST_WAIT_NS;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    is_forking = pthread_rwlock_timedwrlock(&look_ups, &until) == 0;
}

static void
after_fork_in_parent(void)
{
    if (is_forking) {
        is_forking = false;
        pthread_rwlock_unlock(&look_ups);
    }
}

static void
after_fork_in_child(void)
{
    is_forking = false;
    look_ups = (pthread_rwlock_t)PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
}

static int start_error;

static void
start(void)
{
    start_error = pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

int
resolver_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start);
    if (start_error != 0) {
        PyErr_NoMemory();
        return -1;
    }
    return 0;
}

void
resolver_configure(rd_kafka_conf_t *conf)
{
    rd_kafka_conf_set_resolve_cb(conf, look_up);
}

#else

int
resolver_start(void)
{
    return 0;
}

void
resolver_configure(rd_kafka_conf_t *Py_UNUSED(conf))
{
}

#endif

/*
 * Counts librdkafka's calls per message. The linker option --wrap redirects the archive's calls of
 * malloc(), calloc(), free(), clock_gettime(), strcmp() and of the functions for C's mutexes to
 * this file. The counts of an application's own thread are the same in each run; `per message`
 * counts this thread's calls.
 *
 * counting produce|fetch|partitions|mutexes prints lines of "name number".
 */
#include "clients.h"

#include <librdkafka/rdkafka_mock.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <threads.h>
#include <time.h>

#define MESSAGES 10000
#define OTHER_OPS 8 /* most entries of a queue that are not messages, such as errors */
#define PARTITIONS 2000
#define WAIT_MS 60000

static _Thread_local long clocks, mallocs, frees, locks;
static atomic_long all_locks;
static atomic_long allocated; /* bytes */
static atomic_long comparisons; /* of strings */
static atomic_long foreign_unlocks; /* of mutexes that the thread has not locked */

/* ---- the owners of mutexes ---- */

#define OWNERS 65536
static struct {
    mtx_t *mutex;
    pthread_t thread;
    int depth;
} owners[OWNERS];
static pthread_mutex_t owners_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns the entry of `mutex`; the caller holds owners_mutex. No entry is ever removed. */
static int
owner_of(mtx_t *mutex)
{
    size_t place = ((size_t)mutex >> 3) * 2654435761u % OWNERS;
    for (int tried = 0; owners[place].mutex != mutex && owners[place].mutex != NULL; tried++) {
        if (tried == OWNERS) {
            abort();
        }
        place = (place + 1) % OWNERS;
    }
    owners[place].mutex = mutex;
    return (int)place;
}

static void
note_locked(mtx_t *mutex)
{
    pthread_mutex_lock(&owners_mutex);
    int place = owner_of(mutex);
    owners[place].thread = pthread_self();
    owners[place].depth++;
    pthread_mutex_unlock(&owners_mutex);
}

static void
note_unlocked(mtx_t *mutex)
{
    pthread_mutex_lock(&owners_mutex);
    int place = owner_of(mutex);
    if (owners[place].depth == 0 || !pthread_equal(owners[place].thread, pthread_self())) {
        atomic_fetch_add(&foreign_unlocks, 1);
    } else {
        owners[place].depth--;
    }
    pthread_mutex_unlock(&owners_mutex);
}

/* ---- the wrapped functions ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void __real_free(void *memory);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __real_strcmp(const char *left, const char *right);
int __real_mtx_init(mtx_t *mutex, int type);
int __real_mtx_lock(mtx_t *mutex);
int __real_mtx_unlock(mtx_t *mutex);
int __real_cnd_wait(cnd_t *condition, mtx_t *mutex);
int __real_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until);

static bool watching; /* mutexes are noted; set before librdkafka has threads */

void *
__wrap_malloc(size_t size)
{
    mallocs++;
    atomic_fetch_add(&allocated, (long)size);
    return __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
    mallocs++;
    atomic_fetch_add(&allocated, (long)(count * size));
    return __real_calloc(count, size);
}

void
__wrap_free(void *memory)
{
    frees++;
    __real_free(memory);
}

int
__wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    clocks++;
    return __real_clock_gettime(clock, now);
}

int
__wrap_strcmp(const char *left, const char *right)
{
    atomic_fetch_add(&comparisons, 1);
    return __real_strcmp(left, right);
}

int
__wrap_mtx_init(mtx_t *mutex, int type)
{
    if (watching) { /* a mutex at this address may have been destroyed while locked */
        pthread_mutex_lock(&owners_mutex);
        owners[owner_of(mutex)].depth = 0;
        pthread_mutex_unlock(&owners_mutex);
    }
    return __real_mtx_init(mutex, type);
}

int
__wrap_mtx_lock(mtx_t *mutex)
{
    locks++;
    atomic_fetch_add(&all_locks, 1);
    int result = __real_mtx_lock(mutex);
    if (watching) {
        note_locked(mutex);
    }
    return result;
}

int
__wrap_mtx_unlock(mtx_t *mutex)
{
    if (watching) {
        note_unlocked(mutex);
    }
    return __real_mtx_unlock(mutex);
}

int
__wrap_cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    if (watching) {
        note_unlocked(mutex);
    }
    int result = __real_cnd_wait(condition, mutex);
    if (watching) {
        note_locked(mutex);
    }
    return result;
}

int
__wrap_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    if (watching) {
        note_unlocked(mutex);
    }
    int result = __real_cnd_timedwait(condition, mutex, until);
    if (watching) {
        note_locked(mutex);
    }
    return result;
}

/* ---- clients ---- */

static void
produce(rd_kafka_t *producer)
{
    rd_kafka_resp_err_t code =
        rd_kafka_producev(producer, RD_KAFKA_V_TOPIC("topic"), RD_KAFKA_V_VALUE("value", 5),
                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    check(code == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(code));
}

/* Takes the reports of `count` messages; returns how many locks their release took. */
static long
take_reports(rd_kafka_queue_t *queue, int count)
{
    long taken = 0;
    while (count > 0) {
        rd_kafka_event_t *event = rd_kafka_queue_poll(queue, WAIT_MS);
        check(event != NULL, "delivery reports");
        if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_DR) {
            count -= (int)rd_kafka_event_message_count(event);
        }
        long before = locks;
        rd_kafka_event_destroy(event);
        taken += locks - before;
    }
    return taken;
}

static rd_kafka_t *
new_producer(void)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "test.mock.num.brokers", "1");
    set(conf, "linger.ms", "100");
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR);
    rd_kafka_t *producer = new_client(RD_KAFKA_PRODUCER, conf);
    rd_kafka_queue_t *queue = rd_kafka_queue_get_main(producer);
    produce(producer); /* from now on, the producer knows the topic's partitions */
    take_reports(queue, 1);
    rd_kafka_queue_destroy(queue);
    return producer;
}

static void
count_producing(void)
{
    rd_kafka_t *producer = new_producer();
    rd_kafka_queue_t *queue = rd_kafka_queue_get_main(producer);
    long all_before = atomic_load(&all_locks), own_before = locks, clocks_before = clocks;
    for (int i = 0; i < MESSAGES; i++) {
        produce(producer);
    }
    printf("clocks %f\n", (double)(clocks - clocks_before) / MESSAGES);
    printf("locks %f\n", (double)(locks - own_before) / MESSAGES);
    printf("locks_of_reports %f\n", (double)take_reports(queue, MESSAGES) / MESSAGES);
    long of_others = atomic_load(&all_locks) - all_before - (locks - own_before);
    printf("locks_of_librdkafka %f\n", (double)of_others / MESSAGES);
    rd_kafka_queue_destroy(queue);
    rd_kafka_destroy(producer);
}

static rd_kafka_t *
new_consumer(const char *brokers)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", brokers);
    set(conf, "group.id", "group");
    set(conf, "enable.auto.commit", "false");
    rd_kafka_t *consumer = new_client(RD_KAFKA_CONSUMER, conf);
    rd_kafka_poll_set_consumer(consumer);
    return consumer;
}

/* The encoded headers of a message without headers are only their number, 0, or no bytes at all if
 * the message came in a batch. An encoded header is read if it is complete, and refused if it is cut
 * short. */
static void
check_encoded_headers(const rd_kafka_message_t *message)
{
#ifdef RD_KAFKA_HAS_ENCODED_HEADERS
    static const char one[] = "\x02\x08name\x0avalue";
    rd_kafka_encoded_headers_t headers;
    const char *name;
    const void *value;
    size_t name_size, size, whole = sizeof(one) - 1;
    check(rd_kafka_message_encoded_headers(message, &value) <= 1, "the number of headers");
    long before = mallocs;
    for (size_t end = 0; end <= whole; end++) {
        bool fits = rd_kafka_encoded_headers_init(&headers, one, end) == 0
                    && rd_kafka_encoded_headers_next(&headers, &name, &name_size, &value, &size)
                           == 0;
        check(fits == (end == whole), "headers that are cut short are refused, others read");
    }
    check(name_size == 4 && memcmp(name, "name", 4) == 0, "the name");
    check(size == 5 && memcmp(value, "value", 5) == 0, "the value");
    printf("mallocs_to_read_headers %f\n", (double)(mallocs - before));
#else
    (void)message;
    printf("mallocs_to_read_headers 3\n"); /* librdkafka's list, its items, the header */
#endif
}

static void
count_fetching(void)
{
    static rd_kafka_message_t *messages[MESSAGES];
    rd_kafka_t *producer = new_producer();
    rd_kafka_queue_t *queue = rd_kafka_queue_get_main(producer);
    for (int i = 1; i < MESSAGES; i++) { /* new_producer() sent one */
        produce(producer);
    }
    take_reports(queue, MESSAGES - 1);
    rd_kafka_queue_destroy(queue);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(producer);
    rd_kafka_t *consumer = new_consumer(rd_kafka_mock_cluster_bootstraps(cluster));
    queue = rd_kafka_queue_get_consumer(consumer);
    rd_kafka_topic_partition_list_t *partitions = rd_kafka_topic_partition_list_new(4);
    for (int i = 0; i < 4; i++) {
        rd_kafka_topic_partition_list_add(partitions, "topic", i)->offset = 0;
    }
    long bytes_before = atomic_load(&allocated);
    rd_kafka_assign(consumer, partitions);
    rd_kafka_topic_partition_list_destroy(partitions);
    /* Wait until the queue has all messages, so that no locks of waits are counted. */
    while (rd_kafka_queue_length(queue) < MESSAGES) {
        thrd_sleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
    printf("bytes %f\n", (double)(atomic_load(&allocated) - bytes_before) / MESSAGES);
    long before = locks;
    ssize_t count = rd_kafka_consume_batch_queue(queue, WAIT_MS, messages, 10);
    check(count == 10, "some messages");
    size_t others = rd_kafka_queue_length(queue);
    check(others + OTHER_OPS >= MESSAGES - 10 && others <= MESSAGES - 10 + OTHER_OPS,
          "the queue counts the others");
    count = rd_kafka_consume_batch_queue(queue, WAIT_MS, messages + 10, MESSAGES - 10);
    check(count == MESSAGES - 10, "all other messages in one batch");
    check(rd_kafka_queue_length(queue) <= OTHER_OPS, "none is left");
    printf("locks %f\n", (double)(locks - before) / MESSAGES);
    before = mallocs;
    for (int i = 0; i < MESSAGES; i++) {
        rd_kafka_headers_t *headers;
        check(rd_kafka_message_headers(messages[i], &headers) == RD_KAFKA_RESP_ERR__NOENT,
              "a message without headers");
    }
    printf("mallocs_for_headers %f\n", (double)(mallocs - before) / MESSAGES);
    check_encoded_headers(messages[0]);
    before = frees;
    for (int i = 0; i < MESSAGES; i++) {
        rd_kafka_message_destroy(messages[i]);
    }
    printf("frees %f\n", (double)(frees - before) / MESSAGES);
    rd_kafka_queue_destroy(queue);
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
    rd_kafka_destroy(producer);
}

/* Prints how many strings were compared per partition after the counter was `before`. */
static void
print_comparisons(const char *name, long before, rd_kafka_resp_err_t code)
{
    check(code == RD_KAFKA_RESP_ERR_NO_ERROR, rd_kafka_err2str(code));
    printf("%s %f\n", name, (double)(atomic_load(&comparisons) - before) / PARTITIONS);
}

static void
count_partitions(void)
{
    rd_kafka_t *producer = new_producer();
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(producer);
    rd_kafka_mock_topic_create(cluster, "many", PARTITIONS, 1);
    rd_kafka_t *consumer = new_consumer(rd_kafka_mock_cluster_bootstraps(cluster));
    rd_kafka_topic_partition_list_t *partitions = rd_kafka_topic_partition_list_new(PARTITIONS);
    for (int i = 0; i < PARTITIONS; i++) {
        rd_kafka_topic_partition_list_add(partitions, "many", i)->offset = 1;
    }
    long before = atomic_load(&comparisons);
    print_comparisons("commit", before, rd_kafka_commit(consumer, partitions, 0));
    before = atomic_load(&comparisons);
    print_comparisons("committed", before, rd_kafka_committed(consumer, partitions, WAIT_MS));
    before = atomic_load(&comparisons);
    print_comparisons("offsets_for_times", before,
                      rd_kafka_offsets_for_times(consumer, partitions, WAIT_MS));
    rd_kafka_topic_partition_list_destroy(partitions);
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
    rd_kafka_destroy(producer);
}

/* Runs a member of a KIP-848 group until the mock cluster has looked for overdue members twice. */
static void
watch_mutexes(void)
{
    watching = true;
    rd_kafka_t *producer = new_producer();
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(producer);
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster));
    set(conf, "group.id", "group");
    set(conf, "group.protocol", "consumer");
    set(conf, "auto.offset.reset", "earliest");
    rd_kafka_t *consumer = new_client(RD_KAFKA_CONSUMER, conf);
    rd_kafka_poll_set_consumer(consumer);
    subscribe(consumer, "topic");
    rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, WAIT_MS);
    check(message != NULL && !message->err, "a message");
    rd_kafka_message_destroy(message);
    thrd_sleep(&(struct timespec){.tv_sec = 3}, NULL); /* the mock cluster looks once a second */
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
    rd_kafka_destroy(producer);
    printf("foreign_unlocks %ld\n", atomic_load(&foreign_unlocks));
}

int
main(int argc, char **argv)
{
    check(argc == 2, "produce, fetch, partitions or mutexes");
    if (strcmp(argv[1], "produce") == 0) {
        count_producing();
    } else if (strcmp(argv[1], "fetch") == 0) {
        count_fetching();
    } else if (strcmp(argv[1], "partitions") == 0) {
        count_partitions();
    } else {
        watch_mutexes();
    }
    return 0;
}

/* Measures the limit of consuming: rd_kafka_consumer_poll() message by message,
 * and rd_kafka_consume_batch_queue(). Both read a byte of each value. */

#include "bench.h"

#include <string.h>
#include <time.h>

#define BATCH_SIZE 1000
#define TIMEOUT_MS 30000

static volatile char last_byte_read;

static rd_kafka_t *
consumer_new(const char *bootstrap)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_t *rk;

    conf_set(conf, "bootstrap.servers", bootstrap);
    conf_set(conf, "group.id", "benchmarks");
    conf_set(conf, "enable.auto.commit", "false");
    conf_set(conf, "queued.min.messages", "10000000");
    conf_set(conf, "queued.max.messages.kbytes", "2097151");
    rk = client_new(RD_KAFKA_CONSUMER, conf);
    rd_kafka_poll_set_consumer(rk);
    return rk;
}

static void
assign_from_beginning(rd_kafka_t *rk, const char *topic, int partitions)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new(partitions);
    rd_kafka_resp_err_t err;

    for (int i = 0; i < partitions; i++) {
        rd_kafka_topic_partition_list_add(list, topic, i)->offset =
            RD_KAFKA_OFFSET_BEGINNING;
    }
    err = rd_kafka_assign(rk, list);
    if (err) {
        die("assign: %s", rd_kafka_err2str(err));
    }
    rd_kafka_topic_partition_list_destroy(list);
}

/* Do the same as wait_until_fetched() of the Python workload, whose docstring
 * gives the reason. */
static void
wait_until_fetched(void)
{
    const struct timespec window = {.tv_nsec = 100 * 1000 * 1000};
    const double deadline = wall_seconds() + TIMEOUT_MS / 1e3;
    int quiet = 0;

    while (quiet < 2) {
        double before = process_seconds();

        nanosleep(&window, NULL);
        quiet = process_seconds() - before < 0.002 ? quiet + 1 : 0;
        if (wall_seconds() > deadline) {
            die("the messages were not fetched in %d ms", TIMEOUT_MS);
        }
    }
}

static void
read_and_free(rd_kafka_message_t *message)
{
    if (message->err) {
        die("consume: %s", rd_kafka_message_errstr(message));
    }
    last_byte_read = ((const char *)message->payload)[message->len - 1];
    rd_kafka_message_destroy(message);
}

static int64_t
consume_one(rd_kafka_t *rk)
{
    rd_kafka_message_t *message = rd_kafka_consumer_poll(rk, TIMEOUT_MS);

    if (message == NULL) {
        die("no message within %d ms", TIMEOUT_MS);
    }
    read_and_free(message);
    return 1;
}

static int64_t
consume_batch(rd_kafka_queue_t *queue, int64_t wanted)
{
    rd_kafka_message_t *messages[BATCH_SIZE];
    size_t size = wanted < BATCH_SIZE ? (size_t)wanted : BATCH_SIZE;
    ssize_t count =
        rd_kafka_consume_batch_queue(queue, TIMEOUT_MS, messages, size);

    if (count <= 0) {
        die("no message within %d ms", TIMEOUT_MS);
    }
    for (ssize_t i = 0; i < count; i++) {
        read_and_free(messages[i]);
    }
    return count;
}

int
consume_main(const options_t *options)
{
    /* The first message is read before the clock starts. */
    const int64_t messages = option_count(options, "--messages") - 1;
    const int partitions = (int)option_count(options, "--partitions");
    const int in_batches = strcmp(option(options, "--call"), "batch") == 0;
    const int prefetched = strcmp(option(options, "--fetch"), "before") == 0;
    rd_kafka_t *rk = consumer_new(option(options, "--bootstrap"));
    rd_kafka_queue_t *queue = rd_kafka_queue_get_consumer(rk);
    double start, thread_start;
    int64_t received = 0;

    assign_from_beginning(rk, option(options, "--topic"), partitions);
    consume_one(rk);
    if (prefetched) {
        wait_until_fetched();
    }

    start = wall_seconds();
    thread_start = thread_seconds();
    while (received < messages) {
        received += in_batches ? consume_batch(queue, messages - received)
                               : consume_one(rk);
    }
    printf("{\"messages\": %lld, \"call_seconds\": %.6f, "
           "\"thread_seconds\": %.6f}\n",
           (long long)received, wall_seconds() - start,
           thread_seconds() - thread_start);
    rd_kafka_queue_destroy(queue);
    rd_kafka_consumer_close(rk);
    rd_kafka_destroy(rk);
    return 0;
}

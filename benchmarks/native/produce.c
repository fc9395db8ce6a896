/* Measures the limit of producing: rd_kafka_produce() in a loop.
 *
 * The program takes delivery reports, as both Python clients do. Without them,
 * librdkafka would be slower, because it would free each message on a thread of
 * its own: malloc() and free() of two threads would use the same arena. */

#include "bench.h"

#include <string.h>

static char values[MESSAGES_PER_POLL][VALUE_SIZE];

static void
count_report(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque)
{
    int64_t *delivered = opaque;

    (void)rk;
    if (message->err) {
        die("delivery: %s", rd_kafka_err2str(message->err));
    }
    (*delivered)++;
}

static rd_kafka_t *
producer_new(const char *bootstrap, int64_t *delivered)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();

    conf_set(conf, "bootstrap.servers", bootstrap);
    conf_set(conf, "queue.buffering.max.messages", "0");
    conf_set(conf, "queue.buffering.max.kbytes", "2147483647");
    rd_kafka_conf_set_dr_msg_cb(conf, count_report);
    rd_kafka_conf_set_opaque(conf, delivered);
    return client_new(RD_KAFKA_PRODUCER, conf);
}

static void
produce_messages(rd_kafka_t *rk, rd_kafka_topic_t *topic, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        if (rd_kafka_produce(topic, RD_KAFKA_PARTITION_UA, RD_KAFKA_MSG_F_COPY,
                             values[i % MESSAGES_PER_POLL], VALUE_SIZE, NULL, 0,
                             NULL)
            != 0) {
            die("produce: %s", rd_kafka_err2str(rd_kafka_last_error()));
        }
        if (i % MESSAGES_PER_POLL == MESSAGES_PER_POLL - 1) {
            rd_kafka_poll(rk, 0);
        }
    }
}

int
produce_main(const options_t *options)
{
    const int64_t messages = option_count(options, "--messages");
    int64_t delivered = 0;
    double start, thread_start, call, total, thread;
    rd_kafka_topic_t *topic;
    rd_kafka_t *rk;

    for (int i = 0; i < MESSAGES_PER_POLL; i++) {
        fill_value(values[i], i);
    }
    rk = producer_new(option(options, "--bootstrap"), &delivered);
    topic = rd_kafka_topic_new(rk, option(options, "--topic"), NULL);
    /* This call connects and gets the topic's partitions. */
    produce_messages(rk, topic, MESSAGES_PER_POLL);
    flush_or_die(rk);

    start = wall_seconds();
    thread_start = thread_seconds();
    produce_messages(rk, topic, messages);
    call = wall_seconds() - start;
    flush_or_die(rk);
    total = wall_seconds() - start;
    thread = thread_seconds() - thread_start;

    if (delivered != messages + MESSAGES_PER_POLL) {
        die("%lld delivery reports for %lld messages", (long long)delivered,
            (long long)(messages + MESSAGES_PER_POLL));
    }
    printf("{\"messages\": %lld, \"call_seconds\": %.6f, "
           "\"total_seconds\": %.6f, \"thread_seconds\": %.6f}\n",
           (long long)messages, call, total, thread);
    rd_kafka_topic_destroy(topic);
    rd_kafka_destroy(rk);
    return 0;
}

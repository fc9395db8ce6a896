/*
 * A commit at the moment when librdkafka ends the group. The log callback holds librdkafka's main
 * thread at this moment, until the application's thread is in rd_kafka_commit(). Prints the name of
 * the error that the commit returns.
 */
#include "clients.h"

#include <librdkafka/rdkafka_mock.h>
#include <stdatomic.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static atomic_int ending, committing;

static void
pause_for(int milliseconds)
{
    thrd_sleep(&(struct timespec){.tv_nsec = milliseconds * 1000000L}, NULL);
}

static void
on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk, (void)level;
    if (strcmp(facility, "CGRPSTATE") == 0 && strstr(text, "-> term") != NULL) {
        atomic_store(&ending, 1);
        while (!atomic_load(&committing)) {
            pause_for(1);
        }
        pause_for(500); /* so that the request is queued; otherwise the run proves nothing */
    }
}

static void
on_rebalance(rd_kafka_t *rk, rd_kafka_resp_err_t event, rd_kafka_topic_partition_list_t *partitions,
             void *opaque)
{
    (void)opaque;
    if (event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        rd_kafka_assign(rk, partitions);
        return;
    }
    rd_kafka_assign(rk, NULL);
    while (!atomic_load(&ending)) {
        pause_for(1);
    }
    for (int i = 0; i < partitions->cnt; i++) {
        partitions->elems[i].offset = 1;
    }
    atomic_store(&committing, 1);
    printf("%s\n", rd_kafka_err2name(rd_kafka_commit(rk, partitions, 0)));
}

int
main(void)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "test.mock.num.brokers", "1");
    set(conf, "group.id", "group");
    set(conf, "debug", "cgrp");
    set(conf, "allow.auto.create.topics", "true");
    rd_kafka_conf_set_log_cb(conf, on_log);
    rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
    rd_kafka_t *consumer = new_client(RD_KAFKA_CONSUMER, conf);
    rd_kafka_poll_set_consumer(consumer);
    rd_kafka_mock_topic_create(rd_kafka_handle_mock_cluster(consumer), "topic", 1, 1);
    subscribe(consumer, "topic");
    for (int assigned = 0; assigned == 0;) {
        rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, 100);
        if (message != NULL) {
            rd_kafka_message_destroy(message);
        }
        rd_kafka_topic_partition_list_t *partitions;
        check(rd_kafka_assignment(consumer, &partitions) == RD_KAFKA_RESP_ERR_NO_ERROR, "assignment");
        assigned = partitions->cnt;
        rd_kafka_topic_partition_list_destroy(partitions);
    }
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
    return 0;
}

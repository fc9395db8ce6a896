/*
 * A group member that closes after a rebalance has given it no new partitions, but before its
 * rebalance callback was called. librdkafka calls the callback for the assignment, and then for the
 * revocation of all partitions. Prints the name of the error that a commit in the second call
 * returns.
 */
#include "clients.h"

#include <librdkafka/rdkafka_mock.h>

#define WAIT_MS 60000

static int assignments; /* of the second member */

static void
on_first(rd_kafka_t *rk, rd_kafka_resp_err_t event, rd_kafka_topic_partition_list_t *partitions,
         void *opaque)
{
    (void)opaque;
    if (event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        rd_kafka_incremental_assign(rk, partitions);
        return;
    }
    /* If librdkafka did not wait for this callback, it would leave the group during this loop. */
    for (int i = 0; i < 10; i++) {
        const rd_kafka_metadata_t *metadata;
        check(rd_kafka_metadata(rk, 1, NULL, &metadata, WAIT_MS) == RD_KAFKA_RESP_ERR_NO_ERROR,
              "metadata");
        rd_kafka_metadata_destroy(metadata);
        rd_kafka_mem_free(rk, rd_kafka_memberid(rk)); /* waits for the main thread's answer */
    }
    for (int i = 0; i < partitions->cnt; i++) {
        partitions->elems[i].offset = 1;
    }
    printf("%s\n", rd_kafka_err2name(rd_kafka_commit(rk, partitions, 0)));
    rd_kafka_incremental_unassign(rk, partitions);
}

static void
on_second(rd_kafka_t *rk, rd_kafka_resp_err_t event, rd_kafka_topic_partition_list_t *partitions,
          void *opaque)
{
    (void)opaque;
    if (event == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        assignments++;
        rd_kafka_incremental_assign(rk, partitions);
    } else {
        rd_kafka_incremental_unassign(rk, partitions);
    }
}

static rd_kafka_t *
new_member(const char *brokers,
           void (*on_rebalance)(rd_kafka_t *, rd_kafka_resp_err_t,
                                rd_kafka_topic_partition_list_t *, void *))
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", brokers);
    set(conf, "group.id", "group");
    set(conf, "partition.assignment.strategy", "cooperative-sticky");
    set(conf, "heartbeat.interval.ms", "50");
    rd_kafka_conf_set_rebalance_cb(conf, on_rebalance);
    rd_kafka_t *consumer = new_client(RD_KAFKA_CONSUMER, conf);
    rd_kafka_poll_set_consumer(consumer);
    subscribe(consumer, "topic");
    return consumer;
}

static void
poll_briefly(rd_kafka_t *consumer)
{
    rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, 10);
    if (message != NULL) {
        rd_kafka_message_destroy(message);
    }
}

static int
assigned(rd_kafka_t *consumer)
{
    rd_kafka_topic_partition_list_t *partitions;
    check(rd_kafka_assignment(consumer, &partitions) == RD_KAFKA_RESP_ERR_NO_ERROR, "assignment");
    int count = partitions->cnt;
    rd_kafka_topic_partition_list_destroy(partitions);
    return count;
}

int
main(void)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "test.mock.num.brokers", "1");
    rd_kafka_t *broker = new_client(RD_KAFKA_PRODUCER, conf);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(broker);
    rd_kafka_mock_group_initial_rebalance_delay_ms(cluster, 100);
    rd_kafka_mock_topic_create(cluster, "topic", 1, 1);
    const char *brokers = rd_kafka_mock_cluster_bootstraps(cluster);
    rd_kafka_t *first = new_member(brokers, on_first);
    while (assigned(first) == 0) {
        poll_briefly(first);
    }
    rd_kafka_t *second = new_member(brokers, on_second);
    rd_kafka_queue_t *events = rd_kafka_queue_get_consumer(first);
    while (assignments == 0 || rd_kafka_queue_length(events) == 0) {
        poll_briefly(second);
    }
    rd_kafka_queue_destroy(events);
    rd_kafka_consumer_close(first);
    rd_kafka_consumer_close(second);
    rd_kafka_destroy(first);
    rd_kafka_destroy(second);
    rd_kafka_destroy(broker);
    return 0;
}

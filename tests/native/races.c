/*
 * Runs librdkafka's and the application's threads in parallel, with a librdkafka that was compiled
 * with the thread sanitizer. The sanitizer reports accesses without a lock or an atomic.
 *
 * races poll|share prints "done"; the sanitizer writes its reports to stderr.
 */
#include "clients.h"

#include <librdkafka/rdkafka_mock.h>
#include <string.h>

#define WAIT_MS 60000

/* Returns a producer that runs the mock brokers and has sent a message to the topic. */
static rd_kafka_t *
new_producer(void)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "test.mock.num.brokers", "1");
    rd_kafka_t *producer = new_client(RD_KAFKA_PRODUCER, conf);
    rd_kafka_mock_topic_create(rd_kafka_handle_mock_cluster(producer), "topic", 1, 1);
    check(rd_kafka_producev(producer, RD_KAFKA_V_TOPIC("topic"), RD_KAFKA_V_VALUE("value", 5),
                            RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                            RD_KAFKA_V_END) == RD_KAFKA_RESP_ERR_NO_ERROR,
          "produce");
    check(rd_kafka_flush(producer, WAIT_MS) == RD_KAFKA_RESP_ERR_NO_ERROR, "flush");
    return producer;
}

static rd_kafka_conf_t *
configuration_of_member(rd_kafka_t *producer)
{
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(producer);
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", rd_kafka_mock_cluster_bootstraps(cluster));
    set(conf, "group.id", "group");
    set(conf, "log_level", "0");
    set(conf, "reconnect.backoff.ms", "1");
    set(conf, "reconnect.backoff.max.ms", "10");
    return conf;
}

/* A member polls while it joins its group; each poll checks whether it must join again. */
static void
poll_while_joining(void)
{
    rd_kafka_t *producer = new_producer();
    rd_kafka_conf_t *conf = configuration_of_member(producer);
    set(conf, "group.protocol", "consumer");
    set(conf, "auto.offset.reset", "earliest");
    rd_kafka_t *consumer = new_client(RD_KAFKA_CONSUMER, conf);
    rd_kafka_poll_set_consumer(consumer);
    subscribe(consumer, "topic");
    rd_kafka_message_t *message;
    while ((message = rd_kafka_consumer_poll(consumer, 1)) == NULL) {
    }
    rd_kafka_message_destroy(message);
    rd_kafka_consumer_close(consumer);
    rd_kafka_destroy(consumer);
    rd_kafka_destroy(producer);
}

/* A share consumer selects a broker while the only broker goes down and comes back. */
static void
select_a_broker(void)
{
    rd_kafka_t *producer = new_producer();
    rd_kafka_conf_t *conf = configuration_of_member(producer);
    char reason[256];
    rd_kafka_share_t *consumer = rd_kafka_share_consumer_new(conf, reason, sizeof(reason));
    check(consumer != NULL, reason);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, "topic", RD_KAFKA_PARTITION_UA);
    check(rd_kafka_share_subscribe(consumer, list) == RD_KAFKA_RESP_ERR_NO_ERROR, "subscribe");
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(producer);
    for (int i = 0; i < 100; i++) {
        if (i % 10 == 5) {
            rd_kafka_mock_broker_set_down(cluster, 1);
            rd_kafka_mock_broker_set_up(cluster, 1);
        }
        rd_kafka_messages_t *messages = NULL;
        rd_kafka_error_t *error = rd_kafka_share_poll(consumer, 20, &messages);
        check(error == NULL, rd_kafka_error_string(error));
        if (messages != NULL) {
            rd_kafka_messages_destroy(messages);
        }
    }
    check(rd_kafka_share_consumer_close(consumer) == NULL, "close");
    check(rd_kafka_share_destroy(consumer) == NULL, "destroy");
    rd_kafka_destroy(producer);
}

int
main(int argc, char **argv)
{
    check(argc == 2, "poll or share");
    if (strcmp(argv[1], "poll") == 0) {
        poll_while_joining();
    } else {
        select_a_broker();
    }
    printf("done\n");
    return 0;
}

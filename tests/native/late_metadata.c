/*
 * A client that is destroyed while its main thread processes the answer to DescribeCluster
 * ("cluster") or DescribeTopics ("topics"). The log callback holds this thread until the client
 * terminates. Prints the name of the request's error.
 */
#include "clients.h"

#include <librdkafka/rdkafka_mock.h>
#include <stdatomic.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static atomic_int answered, terminating;

static void
wait_for(const atomic_int *event)
{
    while (!atomic_load(event)) {
        thrd_sleep(&(struct timespec){.tv_nsec = 1000000L}, NULL);
    }
}

static void
on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk, (void)level;
    if (strstr(text, "worker called in state waiting for response") != NULL) {
        atomic_store(&answered, 1);
        wait_for(&terminating);
    }
    if (strcmp(facility, "TERMINATE") == 0 && strstr(text, "Interrupting timers") != NULL) {
        atomic_store(&terminating, 1);
    }
}

static int
destroy(void *client)
{
    wait_for(&answered);
    rd_kafka_destroy(client);
    return 0;
}

static void
describe(rd_kafka_t *client, const char *what, rd_kafka_queue_t *answers)
{
    if (strcmp(what, "cluster") == 0) {
        rd_kafka_DescribeCluster(client, NULL, answers);
        return;
    }
    const char *names[] = {"topic"};
    rd_kafka_TopicCollection_t *topics = rd_kafka_TopicCollection_of_topic_names(names, 1);
    rd_kafka_DescribeTopics(client, topics, NULL, answers);
    rd_kafka_TopicCollection_destroy(topics);
}

int
main(int count, char **arguments)
{
    check(count == 2, "one argument");
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "test.mock.num.brokers", "1");
    set(conf, "debug", "generic,admin");
    rd_kafka_conf_set_log_cb(conf, on_log);
    rd_kafka_t *client = new_client(RD_KAFKA_PRODUCER, conf);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_handle_mock_cluster(client);
    rd_kafka_mock_set_controller_id(cluster, 1);
    rd_kafka_mock_topic_create(cluster, "topic", 1, 1);
    rd_kafka_queue_t *answers = rd_kafka_queue_new(client);
    describe(client, arguments[1], answers);

    thrd_t destroying;
    check(thrd_create(&destroying, destroy, client) == thrd_success, "thread");
    rd_kafka_event_t *answer = rd_kafka_queue_poll(answers, 30000);
    check(answer != NULL, "answer");
    printf("%s\n", rd_kafka_err2name(rd_kafka_event_error(answer)));
    rd_kafka_event_destroy(answer);
    rd_kafka_queue_destroy(answers);
    thrd_join(destroying, NULL);
    return 0;
}

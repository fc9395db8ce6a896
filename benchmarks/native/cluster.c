/* Runs an embedded cluster in the foreground until its standard input ends.
 *
 * The cluster has one broker, so that a client has one broker thread on every
 * machine. With more threads, the results would depend on the number of cores. */

#include "bench.h"

#include <unistd.h>

#include <librdkafka/rdkafka_mock.h>

/* Create the topics in a text "name:partitions,name:partitions". */
static void
create_topics(rd_kafka_mock_cluster_t *cluster, const char *topics)
{
    char name[250];
    int partitions, length;

    while (sscanf(topics, "%249[^:]:%d%n", name, &partitions, &length) == 2) {
        rd_kafka_resp_err_t err =
            rd_kafka_mock_topic_create(cluster, name, partitions, 1);
        if (err) {
            die("create topic %s: %s", name, rd_kafka_err2str(err));
        }
        topics += length;
        if (*topics == ',') {
            topics++;
        }
    }
    if (*topics != '\0') {
        die("--topics must read name:partitions,..., not \"%s\"", topics);
    }
}

int
cluster_main(const options_t *options)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_mock_cluster_t *cluster;
    char ignored[256];
    rd_kafka_t *rk;

    /* This client only owns the cluster. It must not warn that it has no servers. */
    conf_set(conf, "log_level", "3");
    rk = client_new(RD_KAFKA_PRODUCER, conf);
    cluster = rd_kafka_mock_cluster_new(rk, 1);
    if (cluster == NULL) {
        die("the embedded cluster did not start");
    }
    create_topics(cluster, option(options, "--topics"));
    printf("{\"bootstrap_servers\": \"%s\", \"librdkafka\": \"%s\"}\n",
           rd_kafka_mock_cluster_bootstraps(cluster), rd_kafka_version_str());
    fflush(stdout);

    /* The harness has the other end of the pipe, so the cluster ends when the
     * harness ends, even if the harness is killed. */
    while (read(STDIN_FILENO, ignored, sizeof(ignored)) > 0) {
    }
    rd_kafka_mock_cluster_destroy(cluster);
    rd_kafka_destroy(rk);
    return 0;
}

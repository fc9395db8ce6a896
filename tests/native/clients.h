/* Clients of the programs in this folder; an error ends the program. */
#ifndef CLIENTS_H
#define CLIENTS_H

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static inline void
check(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "failed: %s\n", what);
        exit(1);
    }
}

static inline void
set(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char reason[256];
    check(rd_kafka_conf_set(conf, name, value, reason, sizeof(reason)) == RD_KAFKA_CONF_OK, name);
}

static inline rd_kafka_t *
new_client(rd_kafka_type_t kind, rd_kafka_conf_t *conf)
{
    char reason[256];
    rd_kafka_t *rk = rd_kafka_new(kind, conf, reason, sizeof(reason));
    check(rk != NULL, reason);
    return rk;
}

/* Subscribes to one topic. */
static inline void
subscribe(rd_kafka_t *consumer, const char *topic)
{
    rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(topics, topic, RD_KAFKA_PARTITION_UA);
    check(rd_kafka_subscribe(consumer, topics) == RD_KAFKA_RESP_ERR_NO_ERROR, "subscribe");
    rd_kafka_topic_partition_list_destroy(topics);
}

#endif

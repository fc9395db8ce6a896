/* Fills every partition of a topic with the messages that consumers will read. */

#include "bench.h"

#define KEY_SIZE 16

/* Consecutive messages of one partition, as a sticky partitioner makes them. */
#define RUN_LENGTH 5000

static void
produce_one(rd_kafka_t *rk, const char *topic, int32_t partition, int64_t i,
            int with_key_and_header)
{
    char value[VALUE_SIZE], key[KEY_SIZE + 1];
    rd_kafka_error_t *error;
    rd_kafka_vu_t fields[6] = {
        {.vtype = RD_KAFKA_VTYPE_TOPIC, .u.cstr = topic},
        {.vtype = RD_KAFKA_VTYPE_PARTITION, .u.i32 = partition},
        {.vtype = RD_KAFKA_VTYPE_MSGFLAGS,
         .u.i = RD_KAFKA_MSG_F_COPY | RD_KAFKA_MSG_F_BLOCK},
        {.vtype = RD_KAFKA_VTYPE_VALUE,
         .u.mem = {.ptr = value, .size = VALUE_SIZE}},
        {.vtype = RD_KAFKA_VTYPE_KEY, .u.mem = {.ptr = key, .size = KEY_SIZE}},
        {.vtype = RD_KAFKA_VTYPE_HEADER,
         .u.header = {.name = "source", .val = "benchmark", .size = 9}},
    };

    fill_value(value, i);
    snprintf(key, sizeof(key), "%0*lld", KEY_SIZE, (long long)(i % 100000));
    error = rd_kafka_produceva(rk, fields, with_key_and_header ? 6 : 4);
    if (error != NULL) {
        die("load %s: %s", topic, rd_kafka_error_string(error));
    }
}

int
load_main(const options_t *options)
{
    const char *topic = option(options, "--topic");
    const int partitions = (int)option_count(options, "--partitions");
    const int64_t messages = option_count(options, "--messages");
    const int keyed = (int)option_count(options, "--keyed");
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_t *rk;

    conf_set(conf, "bootstrap.servers", option(options, "--bootstrap"));
    conf_set(conf, "batch.num.messages", "5000"); /* RUN_LENGTH */
    rk = client_new(RD_KAFKA_PRODUCER, conf);
    for (int64_t i = 0; i < messages; i++) {
        produce_one(rk, topic, (int32_t)(i / RUN_LENGTH % partitions), i, keyed);
        if (i % MESSAGES_PER_POLL == 0) {
            rd_kafka_poll(rk, 0);
        }
    }
    flush_or_die(rk);
    rd_kafka_destroy(rk);
    return 0;
}

/*
 * Settings that librdkafka takes and cannot use, or refuses without saying why.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_SETTINGS_H
#define CONFLUENT_KAFKA_CLIENT_SETTINGS_H

#include "client/client.h"

/*
 * 0, or -1 with a KafkaException (or MemoryError): a broker's address has a scheme that is not
 * its protocol, or no possible host or port. librdkafka would drop it, or try another one, and
 * wait for ever.
 */
int settings_check_brokers(Client *self, rd_kafka_conf_t *conf);

/* Whether the handle knows of no broker to start from: 1, 0, or -1 with MemoryError. */
int settings_have_no_brokers(rd_kafka_t *rk);

/*
 * Rewrites librdkafka's `reason` for refusing `conf`, where it names no file and no property: 0,
 * or -1 with MemoryError.
 */
int settings_explain(rd_kafka_conf_t *conf, char *reason, size_t size);

#endif

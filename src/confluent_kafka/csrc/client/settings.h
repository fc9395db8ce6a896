/*
 * Settings that librdkafka accepts but cannot use, or refuses without a reason.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_SETTINGS_H
#define CONFLUENT_KAFKA_CLIENT_SETTINGS_H

#include "client/client.h"

/*
 * 0, or -1 with a KafkaException (or MemoryError): the address of a broker has a scheme that is not
 * its protocol, or an impossible host or port. librdkafka would ignore the address or try another
 * one, and wait for ever.
 */
int settings_check_brokers(Client *self, rd_kafka_conf_t *conf);

/* Whether the handle has no broker to start from: 1, 0, or -1 with a MemoryError. */
int settings_have_no_brokers(rd_kafka_t *rk);

/*
 * Rewrites librdkafka's `reason` for refusing `conf`, if it names neither a file nor a property: 0,
 * or -1 with a MemoryError.
 */
int settings_explain(rd_kafka_conf_t *conf, char *reason, size_t size);

#endif

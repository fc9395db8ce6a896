/*
 * Passes librdkafka's log records from the ring to the application's logger.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_LOGS_H
#define CONFLUENT_KAFKA_CLIENT_LOGS_H

#include "client/client.h"

/* Makes librdkafka put its records into the ring. */
void logs_configure(rd_kafka_conf_t *conf);

/* Passes waiting log records to the logger; its exceptions are parked. */
void serve_logs(Client *self);
/* The same, but raises: 0, or -1 with the logger's exception. */
int serve_logs_or_raise(Client *self);

/* Logs a warning of this package; the logger's exceptions are parked. */
void logs_warn(Client *self, const char *format, ...);

int logs_traverse(Client *self, visitproc visit, void *arg);
void logs_clear(Client *self);

#endif

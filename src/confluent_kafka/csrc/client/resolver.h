/*
 * Looks up the brokers' addresses in a way that a fork waits for.
 *
 * glibc's getaddrinfo() takes a lock that its fork() does not know. A child that is forked while
 * the lock is held has it locked for ever, and its first client hangs in its first look-up.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_RESOLVER_H
#define CONFLUENT_KAFKA_CLIENT_RESOLVER_H

#include "base/module_state.h"

/* Makes every fork of the process wait for look-ups. */
int resolver_start(void);

/* Makes clients with this configuration use look-ups that a fork can wait for. */
void resolver_configure(rd_kafka_conf_t *conf);

#endif

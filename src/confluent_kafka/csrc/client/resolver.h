/*
 * Looks up the brokers' addresses, and makes a fork wait until running look-ups allow it.
 *
 * glibc's getaddrinfo() takes a lock, and its fork() does not wait for that lock. If a child is
 * forked while the lock is held, the lock stays held in the child, and the child's first client
 * hangs in its first look-up.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_RESOLVER_H
#define CONFLUENT_KAFKA_CLIENT_RESOLVER_H

#include "base/module_state.h"

/* Makes every fork of the process wait for look-ups. */
int resolver_start(void);

/* Makes clients with this configuration use look-ups that a fork can wait for. */
void resolver_configure(rd_kafka_conf_t *conf);

#endif

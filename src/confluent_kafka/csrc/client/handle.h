/*
 * The end of a client's handle.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_HANDLE_H
#define CONFLUENT_KAFKA_CLIENT_HANDLE_H

#include "client/client.h"

/* For a handle that an orderly close() has prepared. */
#define HANDLE_ENDS_NOW (-1.0)
/* How long an exit, or the deletion of a client, waits for the handle to end. */
#define HANDLE_END_SECONDS 2.0

/*
 * Releases the handle. After an orderly close() it ends at once. Otherwise librdkafka may wait, up
 * to the session timeout, for brokers to answer a commit or the leaving of a group. So the handle
 * ends on a thread of its own, and this function waits only `patience` seconds for it.
 */
void client_release_handle(Client *self, double patience);

#endif

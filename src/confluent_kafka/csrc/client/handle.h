/*
 * The end of a client's handle.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_HANDLE_H
#define CONFLUENT_KAFKA_CLIENT_HANDLE_H

#include "client/client.h"

/* After an orderly close(). */
#define HANDLE_ENDS_NOW (-1.0)
/* How long an exit or a dropped client waits for its handle to end. */
#define HANDLE_END_SECONDS 2.0

/*
 * Lets go of the handle. After an orderly close() it ends at once. Otherwise librdkafka may
 * wait for brokers that do not answer, to a commit or a goodbye, for as long as the session
 * timeout: nobody should wait for that, so it ends on a thread of its own, for which this waits
 * `patience` seconds.
 */
void client_release_handle(Client *self, double patience);

#endif

/*
 * The end of a client's handle.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_HANDLE_H
#define CONFLUENT_KAFKA_CLIENT_HANDLE_H

#include "client/client.h"

/*
 * Lets go of the handle. After an orderly close() it ends at once. Otherwise librdkafka may
 * wait for brokers that do not answer, to a commit or a goodbye, for as long as the session
 * timeout: nobody should wait for that, so it ends on a thread of its own.
 */
void client_release_handle(Client *self, bool closed_in_order);

#endif

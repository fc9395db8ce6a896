/*
 * Exceptions that callbacks left, for the calls of a client.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_EXCEPTIONS_H
#define CONFLUENT_KAFKA_CLIENT_EXCEPTIONS_H

#include "client/client.h"

/*
 * True when a callback left an exception that the call which serves is to raise. While the
 * client closes it is not: close() does all its work first.
 */
bool client_has_parked(Client *self);
/* Raises the oldest exception that is to be raised. 0 when there is none, else -1. */
int client_raise_parked(Client *self);
/* Shows those that no call will raise any more (sys.unraisablehook). */
void client_report_parked(Client *self);
/*
 * Keeps the exception that is set, to be raised by the call that serves callbacks. Of a client
 * that has ended it is shown.
 */
void client_park_exception(Client *self);

#endif

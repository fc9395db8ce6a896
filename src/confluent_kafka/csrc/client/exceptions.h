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
/* Raises what callbacks left as one exception, see parked.h. 0 when there is nothing, else -1. */
int client_raise_parked(Client *self);
/*
 * Brackets a call that goes on after a callback raised, between serve_begin() and serve_end():
 * nothing is raised meanwhile, unless it is no Exception, such as KeyboardInterrupt. The end takes
 * the call's result and returns it, or -1 with what was left, and with the call's own exception.
 */
bool client_hold_parked(Client *self);
int client_raise_held(Client *self, bool held_before, int result);
/* Shows what no call will raise any more (sys.unraisablehook). */
void client_report_parked(Client *self);
/*
 * Keeps the exception that is set, to be raised by the call that serves callbacks. Of a client
 * that has ended it is shown.
 */
void client_park_exception(Client *self);

#endif

/*
 * Exceptions that callbacks left, to be raised by calls of the client.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_EXCEPTIONS_H
#define CONFLUENT_KAFKA_CLIENT_EXCEPTIONS_H

#include "client/client.h"

/*
 * True if a callback left an exception that the serving call must raise. False while the client
 * closes: close() first does all its work.
 */
bool client_has_parked(Client *self);
/* Raises the exceptions of callbacks as one, see parked.h. 0 if there are none, else -1. */
int client_raise_parked(Client *self);
/*
 * Brackets a call that continues after a callback raised, between serve_begin() and serve_end().
 * Nothing is raised meanwhile, except for exceptions that do not derive from Exception, such as
 * KeyboardInterrupt. The end takes the call's result and returns it; or -1 with the callbacks'
 * exceptions, together with the call's own exception.
 */
bool client_hold_parked(Client *self);
int client_raise_held(Client *self, bool held_before, int result);
/* Reports exceptions that no call will raise any more (sys.unraisablehook). */
void client_report_parked(Client *self);
/*
 * Keeps the current exception until the serving call raises it. If the client has ended, the
 * exception is reported instead.
 */
void client_park_exception(Client *self);

#endif

/*
 * The list that headers() gave last. A message must give the same list again, since the application
 * may have changed it. But most applications look at a list and drop it: when the next message's
 * headers are read, such a list becomes the next message's, and is made again if somebody asks. So
 * lists do not pile up, and the garbage collector has none to look through.
 */
#ifndef CONFLUENT_KAFKA_VALUES_LAST_HEADERS_H
#define CONFLUENT_KAFKA_VALUES_LAST_HEADERS_H

#include "values/message_object.h"

/* Takes the list from the message that was read last, if nobody would miss it: it, or NULL. */
PyObject *last_headers_take(module_state *state);

/* The message has just made a list of its encoded headers, which it keeps for now. */
void last_headers_set(Message *self);

/* The message is being freed. */
void last_headers_forget(Message *self);

#endif

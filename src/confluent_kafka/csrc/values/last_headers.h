/*
 * The list that headers() returned last. A message must return the same list again, because the
 * application may have changed it. But most applications read a list and drop it. When the headers
 * of the next message are read, such a list is used again for that message; if the headers of the
 * first message are read once more, its list is made again. So lists do not accumulate, and the
 * garbage collector has few to visit.
 */
#ifndef CONFLUENT_KAFKA_VALUES_LAST_HEADERS_H
#define CONFLUENT_KAFKA_VALUES_LAST_HEADERS_H

#include "values/message_object.h"

/* Takes the list from the last message, if nobody else uses it. Returns it, or NULL. */
PyObject *last_headers_take(module_state *state);

/* The message has just made a list from its encoded headers, which it keeps for now. */
void last_headers_set(Message *self);

/* The message is being freed. */
void last_headers_forget(Message *self);

#endif

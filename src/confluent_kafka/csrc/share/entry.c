/*
 * What opens and ends every method of a share consumer but close().
 */
#include "share/share.h"

#include "client/guard.h"
#include "client/serve.h"

#if HAVE_SHARE_CONSUMER

/*
 * Two threads must not even take turns: in implicit mode each poll() accepts the records of
 * the poll() before, which the other thread may not have processed.
 */
int
share_begin(ShareConsumer *self, serve_frame *frame, const char *function)
{
    Client *client = &self->client;
    if (client_enter(client) < 0) {
        return -1;
    }
    int locked = serve_try_lock(client, frame);
    if (locked == 1) {
        return 0;
    }
    client_leave(client);
    if (locked == 0) {
        PyErr_Format(client->state->IllegalStateException,
                     "%s was called from a callback or signal handler inside a call of this "
                     "ShareConsumer: set a flag there, and call it when that call has returned",
                     function);
    }
    else {
        PyErr_Format(client->state->ConcurrentModificationException,
                     "%s was called while another thread is inside a call of this "
                     "ShareConsumer: give each thread its own (only wakeup(), close() and "
                     "requests such as list_topics() may come from other threads)",
                     function);
    }
    return -1;
}

void
share_end(ShareConsumer *self, serve_frame *frame)
{
    serve_end(&self->client, frame);
    client_leave(&self->client);
}

#endif

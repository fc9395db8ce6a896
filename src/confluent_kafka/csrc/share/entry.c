/*
 * The begin and the end of every method of a share consumer, except for close().
 */
#include "share/share.h"

#include "base/text.h"
#include "client/guard.h"
#include "client/serve.h"

#if HAVE_SHARE_CONSUMER

/*
 * As serve_try_lock(), or -2 with an exception. If another thread is inside a call but does not
 * wait in it, this waits for that thread, which will leave soon: it may only need the GIL. If this
 * thread was refused whenever the other one has released the GIL, it could starve.
 */
static int
lock(ShareConsumer *self, serve_frame *frame)
{
    int locked = serve_try_lock(&self->client, frame);
    if (locked < 0 && !atomic_load(&self->waits)) {
        deadline soon = deadline_after(WAIT_SLICE_MS / 1000.0);
        int next = serve_lock_next(&self->client, frame, &soon);
        locked = next == 1 ? 1 : next - 1;
    }
    return locked;
}

static void
raise_refusal(Client *client, int locked, const char *function)
{
    if (locked == 0) {
        PyErr_Format(client->state->IllegalStateException,
                     "%s was called from a callback or signal handler inside a call of this "
                     "ShareConsumer: set a flag there, and call it when that call has returned",
                     function);
    }
    else {
        PyErr_Format(client->state->ConcurrentModificationException,
                     "Share consumer is not safe for multi-threaded access. "
                     "currentThread(id: %lu) otherThread(id: %lu)",
                     PyThread_get_thread_ident(), serve_holder(client));
        add_note("%s was called while another thread is inside a call of this "
                 "ShareConsumer: give each thread its own (only wakeup(), close() and "
                 "requests such as list_topics() may come from other threads)",
                 function);
    }
}

/*
 * Two threads must not even alternate: in implicit mode each poll() accepts the records of the
 * previous poll(), which the other thread may not have processed.
 */
int
share_begin(ShareConsumer *self, serve_frame *frame, const char *function)
{
    if (client_enter(&self->client) < 0) {
        return -1;
    }
    int locked = lock(self, frame);
    if (locked == 1) {
        return 0;
    }
    client_leave(&self->client);
    if (locked > -2) {
        raise_refusal(&self->client, locked, function);
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

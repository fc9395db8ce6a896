/*
 * ShareConsumer, a member of a share group (KIP-932): the type and fetching (consumer.c), and
 * acknowledgements (acknowledge.c).
 *
 * It needs librdkafka 2.15; with an older one, the module has none of these names.
 */
#ifndef CONFLUENT_KAFKA_SHARE_SHARE_H
#define CONFLUENT_KAFKA_SHARE_SHARE_H

#include "client/client.h"

#if HAVE_SHARE_CONSUMER

typedef struct {
    Client client;
    rd_kafka_share_t *share; /* belongs to client.rk */
    bool explicit_mode;      /* share.acknowledgement.mode */
    _Atomic bool waits;      /* a thread waits inside librdkafka, see entry.c */
    rd_kafka_messages_t *batch; /* records that were fetched and not handed out yet, or NULL */
    PyObject *records;          /* list of the Messages made from it so far, or NULL */
    PyObject *on_acknowledged;
    /*
     * One entry for each partition of each request with acknowledgements, with one of the offsets
     * in it: librdkafka answers for all offsets of a request together. Its `opaque` is an
     * acknowledgement_state. See acknowledge.c.
     */
    rd_kafka_topic_partition_list_t *acknowledgements;
    rd_kafka_queue_t *closing_queue; /* while close() leaves the group, it serves this queue */
} ShareConsumer;

/* Adds the type, its exceptions and constants: 0, or -1 with an exception. */
int share_types_add(PyObject *module, module_state *state);

/* ---- entry.c ---- */

/*
 * Brackets every method except close(): the guard, and the serving lock. 0, or -1 with an
 * exception: IllegalStateException if closed or inside a callback; ConcurrentModificationException
 * if another thread waits for brokers inside a call, or runs a long callback.
 */
int share_begin(ShareConsumer *self, serve_frame *frame, const char *function);
void share_end(ShareConsumer *self, serve_frame *frame);

/* ---- acknowledge.c ---- */

extern PyMethodDef share_acknowledge_methods[];

/* librdkafka's acknowledgement callback, always registered; `opaque` is the core. */
void share_acknowledged(rd_kafka_share_t *share,
                        rd_kafka_share_partition_offsets_list_t *partitions,
                        rd_kafka_resp_err_t code, void *opaque);

/* Records that all acknowledgements so far have been sent. */
void share_acknowledgements_sent(ShareConsumer *self);

/* In implicit mode the next request acknowledges these records. */
void share_handed_out(ShareConsumer *self, const rd_kafka_messages_t *batch);

#else

static inline int
share_types_add(PyObject *Py_UNUSED(module), module_state *Py_UNUSED(state))
{
    return 0;
}

#endif

#endif

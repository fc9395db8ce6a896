/*
 * Transactions (KIP-98): messages and consumed offsets that become visible all together.
 *
 * Commit and abort wait inside librdkafka until every message of the transaction has been
 * reported and its report been served. So while the request runs on its worker thread, the
 * calling thread serves delivery reports, as flush() would.
 */
#include "producer/producer.h"

#include <stdlib.h>

#include "client/blocking.h"
#include "values/topic_partition.h"

typedef struct transaction_call {
    blocking_call call;
    rd_kafka_error_t *(*request)(struct transaction_call *self);
    int timeout_ms;
    rd_kafka_topic_partition_list_t *offsets;
    rd_kafka_consumer_group_metadata_t *group;
    rd_kafka_error_t *error;
} transaction_call;

WITHOUT_GIL static rd_kafka_error_t *
request_init(transaction_call *self)
{
    return rd_kafka_init_transactions(self->call.rk, self->timeout_ms);
}

WITHOUT_GIL static rd_kafka_error_t *
request_begin(transaction_call *self)
{
    return rd_kafka_begin_transaction(self->call.rk);
}

WITHOUT_GIL static rd_kafka_error_t *
request_commit(transaction_call *self)
{
    return rd_kafka_commit_transaction(self->call.rk, self->timeout_ms);
}

WITHOUT_GIL static rd_kafka_error_t *
request_abort(transaction_call *self)
{
    return rd_kafka_abort_transaction(self->call.rk, self->timeout_ms);
}

WITHOUT_GIL static rd_kafka_error_t *
request_send_offsets(transaction_call *self)
{
    return rd_kafka_send_offsets_to_transaction(self->call.rk, self->offsets, self->group,
                                                self->timeout_ms);
}

static void
transaction_run(blocking_call *call)
{
    transaction_call *self = (transaction_call *)call;
    self->error = self->request(self);
}

static void
transaction_destroy(blocking_call *call)
{
    transaction_call *self = (transaction_call *)call;
    if (self->offsets != NULL) {
        rd_kafka_topic_partition_list_destroy(self->offsets);
    }
    if (self->group != NULL) {
        rd_kafka_consumer_group_metadata_destroy(self->group);
    }
    rd_kafka_error_destroy(self->error);
    free(self);
}

static transaction_call *
new_call(rd_kafka_error_t *(*request)(transaction_call *), int timeout_ms)
{
    transaction_call *call = calloc(1, sizeof(*call));
    if (call == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    call->call.run = transaction_run;
    call->call.destroy = transaction_destroy;
    call->request = request;
    call->timeout_ms = timeout_ms;
    return call;
}

/*
 * What the calling thread does while the request runs. What a callback raises must not
 * abandon the request half-way: it is raised afterwards.
 */
static int
serve_reports_meanwhile(Client *client)
{
    if (producer_serve_once((Producer *)client, WAIT_SLICE_MS) < 0) {
        client_park_exception(client);
    }
    return 0;
}

/* Between serve_begin() and serve_end(); takes the call over: 0, or -1 with an exception. */
static int
request_and_serve(Client *client, transaction_call *call, const char *what)
{
    if (client->frame->outer != NULL) {
        transaction_destroy(&call->call);
        PyErr_Format(PyExc_RuntimeError,
                     "%s was called from a callback, whose delivery report it would wait "
                     "for: call it after poll() has returned",
                     what);
        return -1;
    }
    if (blocking_call_run_while(client, &call->call, what, serve_reports_meanwhile) < 0) {
        return -1;
    }
    rd_kafka_error_t *error = call->error;
    call->error = NULL;
    blocking_call_end(&call->call);
    return client_raise_if_error(client, error) < 0 ? -1 : client_raise_parked(client);
}

/* Runs the call, which is taken over: None, or NULL with an exception. */
static PyObject *
run_transaction_call(Producer *self, transaction_call *call, const char *what)
{
    Client *client = &self->client;
    deadline never = DEADLINE_NEVER;
    serve_frame frame;
    if (client_enter(client) < 0) {
        transaction_destroy(&call->call);
        return NULL;
    }
    int result = serve_begin(client, &frame, &never);
    if (result < 0) {
        transaction_destroy(&call->call);
    }
    else {
        result = request_and_serve(client, call, what);
        serve_end(client, &frame);
    }
    client_leave(client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
request_with_timeout(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames, const signature *sig,
                     rd_kafka_error_t *(*request)(transaction_call *))
{
    Producer *self = (Producer *)object;
    PyObject *values[1];
    int timeout_ms;
    if (args_parse(self->client.state, sig, args, nargs, kwnames, values) < 0
        || timeout_ms_from_arg(values[0], "timeout", &timeout_ms) < 0) {
        return NULL;
    }
    transaction_call *call = new_call(request, timeout_ms);
    return call == NULL ? NULL : run_transaction_call(self, call, sig->function);
}

#define TRANSACTION_ERRORS                                                               \
    "Raises\n"                                                                           \
    "------\n"                                                                           \
    "KafkaException\n"                                                                   \
    "    Its KafkaError says what to do. retriable(): call again. txn_requires_abort():\n" \
    "    call abort_transaction(). fatal(): close the producer and make a new one.\n\n"

PyDoc_STRVAR(init_doc,
"init_transactions($self, /, timeout=-1)\n--\n\n"
"Register the transactional.id and finish what an earlier producer with it left open.\n\n"
"Once, before the first begin_transaction(). Fences earlier producers with the same id.\n\n"
"Parameters\n"
"----------\n"
"timeout : float\n"
"    Seconds; -1 waits for twice transaction.timeout.ms.\n\n"
TRANSACTION_ERRORS
"Notes\n"
"-----\n"
"librdkafka: rd_kafka_init_transactions() (KIP-98).");

SIGNATURE(init_signature, "init_transactions()", 0, 1, P_timeout);

static PyObject *
init_transactions(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return request_with_timeout(self, args, nargs, kwnames, &init_signature, request_init);
}

PyDoc_STRVAR(begin_doc,
"begin_transaction($self, /)\n--\n\n"
"Begin a transaction: messages produced from now on belong to it.\n\n"
TRANSACTION_ERRORS
"librdkafka: rd_kafka_begin_transaction() (KIP-98).");

static PyObject *
begin_transaction(PyObject *self, PyObject *Py_UNUSED(unused))
{
    transaction_call *call = new_call(request_begin, -1);
    return call == NULL ? NULL
                        : run_transaction_call((Producer *)self, call, "begin_transaction()");
}

PyDoc_STRVAR(commit_doc,
"commit_transaction($self, /, timeout=-1)\n--\n\n"
"Flush and commit the transaction. Serves delivery reports while it waits.\n\n"
"Parameters\n"
"----------\n"
"timeout : float\n"
"    Seconds; -1 waits for what is left of transaction.timeout.ms.\n\n"
TRANSACTION_ERRORS
"Notes\n"
"-----\n"
"librdkafka: rd_kafka_commit_transaction() (KIP-98).");

SIGNATURE(commit_signature, "commit_transaction()", 0, 1, P_timeout);

static PyObject *
commit_transaction(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return request_with_timeout(self, args, nargs, kwnames, &commit_signature, request_commit);
}

PyDoc_STRVAR(abort_doc,
"abort_transaction($self, /, timeout=-1)\n--\n\n"
"Give the transaction up. Its messages fail with _PURGE_QUEUE or _PURGE_INFLIGHT, or\n"
"stay invisible to read_committed consumers. Serves delivery reports while it waits.\n\n"
"Parameters\n"
"----------\n"
"timeout : float\n"
"    Seconds; -1 waits for what is left of transaction.timeout.ms.\n\n"
TRANSACTION_ERRORS
"Notes\n"
"-----\n"
"librdkafka: rd_kafka_abort_transaction() (KIP-98).");

SIGNATURE(abort_signature, "abort_transaction()", 0, 1, P_timeout);

static PyObject *
abort_transaction(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return request_with_timeout(self, args, nargs, kwnames, &abort_signature, request_abort);
}

PyDoc_STRVAR(send_offsets_doc,
"send_offsets_to_transaction($self, /, positions, group_metadata, timeout=-1)\n--\n\n"
"Commit consumed offsets as a part of the transaction.\n\n"
"The consumer must have enable.auto.commit off.\n\n"
"Parameters\n"
"----------\n"
"positions : list of TopicPartition\n"
"    The next offsets to read, as Consumer.position() returns them; those without a\n"
"    position are left out.\n"
"group_metadata : bytes\n"
"    From Consumer.consumer_group_metadata().\n"
"timeout : float\n"
"    Seconds; -1 waits for what is left of transaction.timeout.ms.\n\n"
TRANSACTION_ERRORS
"Notes\n"
"-----\n"
"librdkafka: rd_kafka_send_offsets_to_transaction() (KIP-98, KIP-447).");

SIGNATURE(send_offsets_signature, "send_offsets_to_transaction()", 2, 3, P_positions,
          P_group_metadata, P_timeout);

static rd_kafka_consumer_group_metadata_t *
group_from_bytes(Producer *self, PyObject *object)
{
    if (!PyBytes_Check(object)) {
        PyErr_Format(PyExc_TypeError,
                     "group_metadata must be bytes from Consumer.consumer_group_metadata(), "
                     "not %.100s",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    rd_kafka_consumer_group_metadata_t *group;
    rd_kafka_error_t *error = rd_kafka_consumer_group_metadata_read(
        &group, PyBytes_AS_STRING(object), (size_t)PyBytes_GET_SIZE(object));
    if (error != NULL) {
        raise_kafka_error(self->client.state, rd_kafka_error_code(error),
                          "group_metadata must be from Consumer.consumer_group_metadata(): %s",
                          rd_kafka_error_string(error));
        rd_kafka_error_destroy(error);
        return NULL;
    }
    return group;
}

static PyObject *
send_offsets_to_transaction(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames)
{
    Producer *self = (Producer *)object;
    PyObject *values[3];
    int timeout_ms;
    if (args_parse(self->client.state, &send_offsets_signature, args, nargs, kwnames, values) < 0
        || timeout_ms_from_arg(values[2], "timeout", &timeout_ms) < 0) {
        return NULL;
    }
    transaction_call *call = new_call(request_send_offsets, timeout_ms);
    if (call == NULL) {
        return NULL;
    }
    call->offsets = topic_partitions_to_c(self->client.state, values[0], "positions");
    call->group = call->offsets == NULL ? NULL : group_from_bytes(self, values[1]);
    if (call->group == NULL) {
        transaction_destroy(&call->call);
        return NULL;
    }
    return run_transaction_call(self, call, "send_offsets_to_transaction()");
}

/* ---- close() ---- */

int
producer_abort_open_transaction(Producer *self, int timeout_ms)
{
    size_t size = 0;
    rd_kafka_conf_res_t found =
        rd_kafka_conf_get(rd_kafka_conf(self->client.rk), "transactional.id", NULL, &size);
    if (found != RD_KAFKA_CONF_OK || size <= 1) {
        return 0;
    }
    transaction_call *call = new_call(request_abort, timeout_ms);
    if (call == NULL
        || blocking_call_run_while(&self->client, &call->call, "close()",
                                   serve_reports_meanwhile)
               < 0) {
        return -1;
    }
    /* _STATE: none was open. If the broker did not answer it aborts by itself, after
     * transaction.timeout.ms: no reason to keep the producer. */
    blocking_call_end(&call->call);
    return 0;
}

PyMethodDef producer_transaction_methods[] = {
    {"init_transactions", WITH_KEYWORDS(init_transactions), init_doc},
    {"begin_transaction", begin_transaction, METH_NOARGS, begin_doc},
    {"commit_transaction", WITH_KEYWORDS(commit_transaction), commit_doc},
    {"abort_transaction", WITH_KEYWORDS(abort_transaction), abort_doc},
    {"send_offsets_to_transaction", WITH_KEYWORDS(send_offsets_to_transaction),
     send_offsets_doc},
    {NULL, NULL, 0, NULL},
};

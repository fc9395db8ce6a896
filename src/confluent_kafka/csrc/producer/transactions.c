/*
 * Transactions (KIP-98): messages and consumed offsets that become visible together.
 *
 * Commit and abort wait inside librdkafka until the report of every message in the transaction
 * has been served. So while the request runs on its worker thread, the calling thread serves
 * delivery reports, as flush() would.
 *
 * If a signal handler raises in the thread that waits for a step (Ctrl-C), the step continues. The
 * next step waits for its end, because librdkafka takes one step at a time. If it is the same step,
 * it returns the first one's result. If it is another step, it raises the first one's error, unless
 * it aborts.
 */
#include "producer/producer.h"

#include "client/exceptions.h"
#include "client/failure.h"
#include "client/guard.h"
#include "client/logs.h"
#include "client/request.h"
#include "client/serve.h"
#include "client/signals.h"
#include "values/offset_rules.h"
#include "values/topic_partition.h"

WITHOUT_GIL static rd_kafka_error_t *
attempt_init(request *self, int timeout_ms)
{
    return rd_kafka_init_transactions(self->rk, timeout_ms);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_begin(request *self, int Py_UNUSED(timeout_ms))
{
    return rd_kafka_begin_transaction(self->rk);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_commit(request *self, int timeout_ms)
{
    return rd_kafka_commit_transaction(self->rk, timeout_ms);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_abort(request *self, int timeout_ms)
{
    return rd_kafka_abort_transaction(self->rk, timeout_ms);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_send_offsets(request *self, int timeout_ms)
{
    return rd_kafka_send_offsets_to_transaction(self->rk, self->partitions, self->group,
                                                timeout_ms);
}

/* For librdkafka, -1 means the rest of transaction.timeout.ms. NULL with a MemoryError. */
static request *
new_request(request_attempt *attempt, int timeout_ms)
{
    request *made = request_new(attempt, timeout_ms, NULL);
    if (made != NULL) {
        made->asks_once = true;
    }
    return made;
}

/*
 * The calling thread does this while the request runs. The exception of a callback must not abandon
 * the request halfway, so it is held; but Ctrl-C in a callback ends the wait, as in other calls.
 */
static int
serve_meanwhile(Client *client)
{
    (void)producer_serve_once((Producer *)client, WAIT_SLICE_MS);
    serve_logs(client);
    return client_raise_parked(client);
}

/* May be called with or without an exception set. */
static void
end_keeping_exception(request *made)
{
    PyObject *raised = PyErr_Occurred() ? PyErr_GetRaisedException() : NULL;
    request_end(made);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

void
producer_forget_step(Producer *self)
{
    if (self->left_step != NULL) {
        request_end(self->left_step);
        self->left_step = NULL;
    }
}

/*
 * If a step came at the wrong time, returns the name of the call that the application must make
 * first. NULL for other errors. librdkafka's own text contains only the state that it is in.
 */
static const char *
missing_call(const rd_kafka_error_t *error, request_attempt *attempt)
{
    if (error == NULL || rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR__STATE) {
        return NULL;
    }
    const char *text = rd_kafka_error_string(error);
    if (strstr(text, "state Init") != NULL) {
        return "call init_transactions() first";
    }
    if (attempt == attempt_init) {
        return "init_transactions() is called once";
    }
    if (strstr(text, "state Ready") != NULL) {
        return "call begin_transaction() first";
    }
    return attempt == attempt_begin && strstr(text, "state InTransaction") != NULL
               ? "call commit_transaction() or abort_transaction() first"
               : NULL;
}

/* As client_raise_if_error(), for a step of a transaction. */
static int
raise_if_step_failed(Client *client, rd_kafka_error_t *error, request_attempt *attempt)
{
    const char *advice = missing_call(error, attempt);
    if (advice == NULL) {
        return client_raise_if_error(client, error);
    }
    PyObject *made = kafka_error_from(client->state, error);
    if (made != NULL && kafka_error_add_advice(made, advice) < 0) {
        Py_CLEAR(made);
    }
    raise_kafka_error_object(client->state, made);
    rd_kafka_error_destroy(error);
    return -1;
}

/* Whether `next` returns the result of the step that was left: 1 or 0; -1 with an exception. */
static int
is_result_of(Client *client, const request *left, rd_kafka_error_t *error, const request *next)
{
    bool same = left->attempt == next->attempt && next->attempt != attempt_send_offsets;
    bool aborts = next->attempt == attempt_abort;
    if (error != NULL && (same || !aborts)) {
        return raise_if_step_failed(client, error, left->attempt);
    }
    bool too_late = error == NULL && aborts && left->attempt == attempt_commit;
    rd_kafka_error_destroy(error);
    if (too_late) {
        raise_kafka_error(client->state, RD_KAFKA_RESP_ERR__STATE,
                          "abort_transaction() came too late: commit_transaction(), which was "
                          "interrupted, has committed");
        return -1;
    }
    return same;
}

/* Waits for the step that was left, if there is one: as is_result_of(). */
static int
take_left(Producer *self, const request *next, const char *what)
{
    Client *client = &self->client;
    request *left = self->left_step;
    if (left == NULL) {
        return 0;
    }
    if (request_wait_again(client, left, what, serve_meanwhile) < 0) {
        return -1;
    }
    self->left_step = NULL;
    rd_kafka_error_t *error = left->error;
    left->error = NULL;
    int result = is_result_of(client, left, error, next);
    end_keeping_exception(left);
    return result;
}

/* Consumes the request; exceptions of callbacks are held: 0, or -1 with an exception. */
static int
request_and_serve(Client *client, request *made, const char *what)
{
    if (serve_is_nested(client)) {
        request_end(made);
        PyErr_Format(PyExc_RuntimeError,
                     "%s was called from a callback, whose delivery report it would wait "
                     "for: call it after poll() has returned",
                     what);
        return -1;
    }
    int taken = take_left((Producer *)client, made, what);
    if (taken != 0) {
        end_keeping_exception(made);
        return taken < 0 ? -1 : 0;
    }
    made->left = &((Producer *)client)->left_step;
    if (request_wait(client, made, what, serve_meanwhile) < 0) {
        return -1;
    }
    rd_kafka_error_t *error = made->error;
    request_attempt *attempt = made->attempt;
    made->error = NULL;
    request_end(made);
    return raise_if_step_failed(client, error, attempt);
}

/*
 * Between serve_begin() and serve_end(), as request_and_serve(). If the request fails, exceptions
 * of callbacks become the context of its error. Otherwise the next call, often
 * abort_transaction(), would raise them and do nothing.
 */
static int
request_and_raise(Client *client, request *made, const char *what)
{
    bool held = client_hold_parked(client);
    int result = request_and_serve(client, made, what);
    if (result == 0) {
        serve_what_follows(client);
    }
    return client_raise_held(client, held, result);
}

/* Makes the request, which is consumed: None, or NULL with an exception. */
static PyObject *
run_request(Producer *self, request *made, const char *what)
{
    Client *client = &self->client;
    deadline never = DEADLINE_NEVER;
    serve_frame frame;
    if (client_enter(client) < 0) {
        request_end(made);
        return NULL;
    }
    int result = serve_begin(client, &frame, &never);
    if (result <= 0) {
        request_end(made);
        result = result < 0 ? -1 : request_raise_interrupted(client, what);
    }
    else {
        result = request_and_raise(client, made, what);
        serve_end(client, &frame);
    }
    client_leave(client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

static PyObject *
request_with_timeout(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames, const signature *sig,
                     request_attempt *attempt)
{
    Producer *self = (Producer *)object;
    PyObject *values[1];
    int timeout_ms;
    if (client_args(&self->client, sig, args, nargs, kwnames, values) < 0
        || timeout_ms_from_arg(values[0], "timeout", &timeout_ms) < 0) {
        return NULL;
    }
    request *made = new_request(attempt, timeout_ms);
    return made == NULL ? NULL : run_request(self, made, sig->function);
}

#define TRANSACTION_ERRORS                                                               \
    "Raises:\n"                                                                          \
    "    KafkaException: its KafkaError shows what to do. retriable(): call again.\n"    \
    "        txn_requires_abort(): call abort_transaction(). fatal(): close the\n"       \
    "        producer and make a new one. If callbacks raised meanwhile, their\n"        \
    "        exceptions are its context.\n"                                             \
    "    Exception: a callback raised it. The call has done its work.\n\n"

PyDoc_STRVAR(init_doc,
"init_transactions($self, /, timeout=-1)\n--\n\n"
"Register the transactional.id and end the open transaction of an earlier producer.\n\n"
"Call it once, before the first begin_transaction(). Fences earlier producers with the same id.\n\n"
"Args:\n"
"    timeout (float): seconds; -1 waits for twice transaction.timeout.ms.\n\n"
TRANSACTION_ERRORS
"librdkafka: rd_kafka_init_transactions() (KIP-98).");

SIGNATURE(init_signature, "init_transactions()", 0, 1, P_timeout);

static PyObject *
init_transactions(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return request_with_timeout(self, args, nargs, kwnames, &init_signature, attempt_init);
}

PyDoc_STRVAR(begin_doc,
"begin_transaction($self, /)\n--\n\n"
"Begin a transaction. Messages that you produce from now on belong to it.\n\n"
TRANSACTION_ERRORS
"librdkafka: rd_kafka_begin_transaction() (KIP-98).");

static PyObject *
begin_transaction(PyObject *self, PyObject *Py_UNUSED(unused))
{
    request *made = new_request(attempt_begin, -1);
    return made == NULL ? NULL : run_request((Producer *)self, made, "begin_transaction()");
}

PyDoc_STRVAR(commit_doc,
"commit_transaction($self, /, timeout=-1)\n--\n\n"
"Flush and commit the transaction. Serves delivery reports while it waits.\n\n"
"Args:\n"
"    timeout (float): seconds; -1 waits for the rest of transaction.timeout.ms.\n\n"
TRANSACTION_ERRORS
"librdkafka: rd_kafka_commit_transaction() (KIP-98).");

SIGNATURE(commit_signature, "commit_transaction()", 0, 1, P_timeout);

static PyObject *
commit_transaction(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return request_with_timeout(self, args, nargs, kwnames, &commit_signature, attempt_commit);
}

PyDoc_STRVAR(abort_doc,
"abort_transaction($self, /, timeout=-1)\n--\n\n"
"Abort the transaction. Its messages fail with _PURGE_QUEUE or _PURGE_INFLIGHT, or remain\n"
"invisible to read_committed consumers. Serves delivery reports while it waits.\n\n"
"Args:\n"
"    timeout (float): seconds; -1 waits for the rest of transaction.timeout.ms.\n\n"
TRANSACTION_ERRORS
"librdkafka: rd_kafka_abort_transaction() (KIP-98).");

SIGNATURE(abort_signature, "abort_transaction()", 0, 1, P_timeout);

static PyObject *
abort_transaction(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return request_with_timeout(self, args, nargs, kwnames, &abort_signature, attempt_abort);
}

PyDoc_STRVAR(send_offsets_doc,
"send_offsets_to_transaction($self, /, positions, group_metadata, timeout=-1)\n--\n\n"
"Commit consumed offsets as a part of the transaction.\n\n"
"The consumer must have enable.auto.commit off.\n\n"
"Args:\n"
"    positions (list of TopicPartition): the next offsets to read, as Consumer.position()\n"
"        returns them; partitions without a position are left out.\n"
"    group_metadata (bytes): from Consumer.consumer_group_metadata().\n"
"    timeout (float): seconds; -1 waits for the rest of transaction.timeout.ms.\n\n"
TRANSACTION_ERRORS
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
    if (client_args(&self->client, &send_offsets_signature, args, nargs, kwnames, values) < 0
        || timeout_ms_from_arg(values[2], "timeout", &timeout_ms) < 0) {
        return NULL;
    }
    request *made = new_request(attempt_send_offsets, timeout_ms);
    if (made == NULL) {
        return NULL;
    }
    static const char what[] = "send_offsets_to_transaction()";
    made->partitions = topic_partitions_to_c(self->client.state, values[0], "positions");
    bool valid = made->partitions != NULL
                 && check_offsets(self->client.state, made->partitions, OFFSETS_TO_KEEP, what) == 0;
    made->group = valid ? group_from_bytes(self, values[1]) : NULL;
    if (made->group == NULL) {
        end_keeping_exception(made);
        return NULL;
    }
    return run_request(self, made, what);
}

/* ---- close() ---- */

/* Without a broker, a step ends only after transaction.timeout.ms, by default a minute. */
#define LEFT_STEP_SECONDS 5

/* Waits until a step that was left has ended: 1; 0 time is up; -1 exception. */
static int
wait_for_left(Producer *self, int timeout_ms)
{
    request *left = self->left_step;
    bool is_short = timeout_ms >= 0 && timeout_ms < 1000 * LEFT_STEP_SECONDS;
    deadline until = deadline_after(is_short ? timeout_ms / 1000.0 : LEFT_STEP_SECONDS);
    while (left != NULL && !atomic_load(&left->has_run)) {
        if (deadline_passed(&until)) {
            return 0;
        }
        (void)serve_meanwhile(&self->client);
        if (client_check_signals(&self->client) < 0) {
            return -1;
        }
    }
    return 1;
}

int
producer_abort_open_transaction(Producer *self, int timeout_ms)
{
    size_t size = 0;
    rd_kafka_conf_res_t found =
        rd_kafka_conf_get(rd_kafka_conf(self->client.rk), "transactional.id", NULL, &size);
    if (found != RD_KAFKA_CONF_OK || size <= 1) {
        return 0;
    }
    if (self->left_step != NULL && self->left_step->attempt == attempt_init) {
        return 0; /* no transaction has been begun */
    }
    int ended = wait_for_left(self, timeout_ms);
    if (ended <= 0) {
        return ended;
    }
    producer_forget_step(self);
    request *made = new_request(attempt_abort, timeout_ms);
    if (made == NULL
        || request_wait(&self->client, made, "close()", serve_meanwhile) < 0) {
        return -1;
    }
    /* _STATE: no transaction was open. If the broker did not answer, it will abort the transaction
     * after transaction.timeout.ms, so that the producer need not be kept. */
    request_end(made);
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

/*
 * Subscriptions and assignments: what the consumer reads.
 */
#include "consumer/consumer.h"

#include "client/exceptions.h"
#include "client/guard.h"
#include "client/serve.h"
#include "values/offset_rules.h"
#include "values/topic_partition.h"

/* ---- subscribe ---- */

PyDoc_STRVAR(subscribe_doc,
"subscribe($self, /, topics, on_assign=None, on_revoke=None, on_lost=None)\n--\n\n"
"Join the group and read its share of these topics' partitions.\n\n"
"Replaces an earlier subscription. The callbacks run inside poll(), consume() and close() when\n"
"the group's assignment changes. If a callback changes the assignment itself (with assign() or\n"
"incremental_assign() ...), the consumer does not make the default change.\n\n"
"Args:\n"
"    topics (list of str): topic names; one that starts with '^' is a regular expression for\n"
"        names.\n"
"    on_assign (callable(Consumer, list of TopicPartition), optional): called with the new\n"
"        partitions: all of them, or with a cooperative protocol only the added ones.\n"
"    on_revoke (callable(Consumer, list of TopicPartition), optional): called before partitions\n"
"        are revoked. This is the time to commit.\n"
"    on_lost (callable(Consumer, list of TopicPartition), optional): called with partitions that\n"
"        other members may already own. Without it, on_revoke is called.\n\n"
"Raises:\n"
"    KafkaException: _INVALID_ARG for an empty list, an empty name or a wrong expression;\n"
"        _DESTROY in a callback that close() runs.\n\n"
"librdkafka: rd_kafka_subscribe(), rd_kafka_conf_set_rebalance_cb().");

SIGNATURE(subscribe_signature, "subscribe()", 1, 4, P_topics, P_on_assign, P_on_revoke,
          P_on_lost);

static void
keep_callbacks(Consumer *self, PyObject *on_assign, PyObject *on_revoke, PyObject *on_lost)
{
    Py_BEGIN_CRITICAL_SECTION(self);
    Py_XSETREF(self->on_assign, Py_XNewRef(on_assign));
    Py_XSETREF(self->on_revoke, Py_XNewRef(on_revoke));
    Py_XSETREF(self->on_lost, Py_XNewRef(on_lost));
    Py_END_CRITICAL_SECTION();
}

/*
 * 0, or -1 with an exception. Meanwhile no other thread serves callbacks: it would look up the
 * callbacks of the former subscription, and the new on_assign would not be called.
 */
static int
subscribe_locked(Consumer *self, const rd_kafka_topic_partition_list_t *topics,
                 PyObject *on_assign, PyObject *on_revoke, PyObject *on_lost)
{
    serving_lock lock;
    rd_kafka_resp_err_t code;
    /* librdkafka would accept the subscription, and abort the process when the handle ends. */
    if (consumer_refuse_while_leaving(self, "Failed to set subscription") < 0
        || serve_lock(&self->client, &lock) < 0) {
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_subscribe(self->client.rk, topics);
    Py_END_ALLOW_THREADS
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        keep_callbacks(self, on_assign, on_revoke, on_lost);
        self->subscribed = true;
        self->unsubscribing = false;
    }
    else {
        consumer_raise_subscription(self, code, topics);
    }
    serve_unlock(&self->client, &lock);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR ? 0 : -1;
}

static PyObject *
subscribe(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[4];
    PyObject *on_assign, *on_revoke, *on_lost;
    if (client_args(&self->client, &subscribe_signature, args, nargs, kwnames, values) < 0
        || arg_callable(values[1], "on_assign", &on_assign) < 0
        || arg_callable(values[2], "on_revoke", &on_revoke) < 0
        || arg_callable(values[3], "on_lost", &on_lost) < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *topics = topics_to_c(values[0]);
    if (topics == NULL) {
        return NULL;
    }
    int result = client_enter(&self->client);
    if (result == 0) {
        result = subscribe_locked(self, topics, on_assign, on_revoke, on_lost);
        client_leave(&self->client);
    }
    rd_kafka_topic_partition_list_destroy(topics);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(unsubscribe_doc,
"unsubscribe($self, /)\n--\n\n"
"Leave the group and give up its partitions.\n\n"
"on_revoke runs inside this call, so that the group need not wait for another poll(). If you call\n"
"it in a callback of this consumer, the next poll() or assign() runs on_revoke.\n\n"
"Raises:\n"
"    Exception: raised by a callback; the consumer has unsubscribed all the same.\n\n"
"librdkafka: rd_kafka_unsubscribe().");

/*
 * Serves the revocation that unsubscribe() has caused. The group waits for it. If it were served
 * later, it would revoke what assign() has assigned since. 0, or -1 with an exception.
 */
static int
finish_unsubscribe(Consumer *self)
{
    if (!self->unsubscribing || serve_is_nested(&self->client) || consumer_is_deferring(self)) {
        return 0;
    }
    int result = consumer_gather(self, self->read_ahead.count + LONGEST_STEP);
    if (result == 0 && !consumer_is_deferring(self)) {
        self->unsubscribing = false; /* otherwise there may be more events */
    }
    return result;
}

/* 0, or -1 with an exception. */
static int
unsubscribe_locked(Consumer *self)
{
    Client *client = &self->client;
    serving_lock lock;
    rd_kafka_resp_err_t code;
    if (serve_lock(client, &lock) < 0) {
        return -1;
    }
    int result = 0;
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_unsubscribe(client->rk);
    Py_END_ALLOW_THREADS
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(client->state, code, "Failed to unsubscribe: %s",
                          rd_kafka_err2str(code));
        result = -1;
    }
    else {
        self->unsubscribing = self->unsubscribing || self->subscribed;
        self->subscribed = false;
        result = finish_unsubscribe(self);
    }
    serve_unlock(client, &lock);
    return result;
}

static PyObject *
unsubscribe(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    int result = unsubscribe_locked(self);
    client_leave(&self->client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(subscription_doc,
"subscription($self, /)\n--\n\n"
"Return the topics and regular expressions of the last subscribe().\n\n"
"Returns:\n"
"    list of str; empty after unsubscribe() and for a consumer that only uses assign().\n\n"
"librdkafka: rd_kafka_subscription().");

static PyObject *
subscription(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    rd_kafka_resp_err_t code;
    rd_kafka_topic_partition_list_t *topics = NULL;
    PyObject *result = NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_subscription(self->client.rk, &topics);
    Py_END_ALLOW_THREADS
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(self->client.state, code, "Failed to get subscription: %s",
                          rd_kafka_err2str(code));
    }
    else {
        result = topic_names_from(topics);
        rd_kafka_topic_partition_list_destroy(topics);
    }
    client_leave(&self->client);
    return result;
}

/* ---- assign ---- */

typedef rd_kafka_error_t *assignment_change(rd_kafka_t *,
                                            const rd_kafka_topic_partition_list_t *);

WITHOUT_GIL static bool
is_subscribed(rd_kafka_t *rk)
{
    rd_kafka_topic_partition_list_t *topics = NULL;
    if (rd_kafka_subscription(rk, &topics) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return false;
    }
    bool result = topics->cnt > 0;
    rd_kafka_topic_partition_list_destroy(topics);
    return result;
}

/* rd_kafka_assign() in steps: librdkafka requires it, even after a cooperative group was left. */
WITHOUT_GIL static rd_kafka_error_t *
assign_incrementally(rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *partitions)
{
    rd_kafka_topic_partition_list_t *before = NULL;
    rd_kafka_error_t *error = NULL;
    (void)rd_kafka_assignment(rk, &before);
    if (before != NULL) {
        error = before->cnt > 0 ? rd_kafka_incremental_unassign(rk, before) : NULL;
        rd_kafka_topic_partition_list_destroy(before);
    }
    if (error == NULL && partitions != NULL && partitions->cnt > 0) {
        error = rd_kafka_incremental_assign(rk, partitions);
    }
    return error;
}

WITHOUT_GIL static rd_kafka_error_t *
assign_all(rd_kafka_t *rk, const rd_kafka_topic_partition_list_t *partitions)
{
    bool cooperative = consumer_is_cooperative(rk);
    if (cooperative && !is_subscribed(rk)) {
        return assign_incrementally(rk, partitions);
    }
    rd_kafka_resp_err_t code = rd_kafka_assign(rk, partitions);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return NULL;
    }
    /* librdkafka only logs the reason, so we add it. */
    cooperative = cooperative && code == RD_KAFKA_RESP_ERR__STATE;
    return rd_kafka_error_new(
        code, "Failed to assign: %s%s", rd_kafka_err2str(code),
        cooperative ? ": the group's protocol is cooperative, so the assignment is changed with "
                      "incremental_assign() and incremental_unassign()"
                    : "");
}

/*
 * A member that leaves its group must not get new partitions. librdkafka would take the assignment
 * for the answer to an earlier rebalance, and wait for the answer to the last one for ever.
 */
static bool
is_ignored_while_leaving(const Consumer *self, assignment_change *change)
{
    return self->closing_queue != NULL && change == rd_kafka_incremental_assign;
}

/*
 * The partitions that the change will remove from the assignment: a list that the caller destroys.
 * Partitions that stay assigned keep their pause.
 */
static partition_set *
partitions_to_leave(Consumer *self, const rd_kafka_topic_partition_list_t *partitions,
                    assignment_change *change)
{
    rd_kafka_topic_partition_list_t *assignment = NULL;
    if (change == rd_kafka_incremental_unassign) {
        return partition_set_of(partitions);
    }
    if (change == assign_all) {
        Py_BEGIN_ALLOW_THREADS
        (void)rd_kafka_assignment(self->client.rk, &assignment);
        Py_END_ALLOW_THREADS
    }
    if (assignment == NULL) {
        return partition_set_new();
    }
    partition_set *leaving = partition_set_of(assignment);
    rd_kafka_topic_partition_list_destroy(assignment);
    if (partitions != NULL) {
        partition_set *staying = partition_set_of(partitions);
        partition_set_remove(&leaving, staying);
        rd_kafka_topic_partition_list_destroy(staying);
    }
    return leaving;
}

/* Runs one of librdkafka's assign functions; NULL `partitions` means rd_kafka_assign(NULL). */
static PyObject *
change_assignment(Consumer *self, rd_kafka_topic_partition_list_t *partitions,
                  assignment_change *change)
{
    Client *client = &self->client;
    serving_lock lock;
    rd_kafka_error_t *error;
    if (client_enter(client) < 0) {
        return NULL;
    }
    int failed = serve_lock(client, &lock);
    if (failed == 0) {
        if (finish_unsubscribe(self) < 0) {
            client_park_exception(client);
        }
        partition_set *leaving = partitions_to_leave(self, partitions, change);
        shelves_resume(&self->shelves, client->rk, change == assign_all ? NULL : partitions);
        Py_BEGIN_ALLOW_THREADS
        error = change(client->rk, partitions);
        Py_END_ALLOW_THREADS
        failed = raise_if_error(client->state, error);
        if (failed == 0) {
            if (!is_ignored_while_leaving(self, change)) {
                self->assigned = true;
            }
            /* assign() restarts all its partitions; incremental_assign() only adds partitions. */
            consumer_moved(self, change == assign_all ? NULL : partitions);
            fence_note_unassigned(&self->fence, client->rk, leaving);
            if (partitions != NULL && change != rd_kafka_incremental_unassign) {
                consumer_note_revoked(self, partitions, false);
                fence_note_assigned(&self->fence, client->rk, partitions);
            }
        }
        rd_kafka_topic_partition_list_destroy(leaving);
        serve_unlock(client, &lock);
    }
    client_leave(client);
    return failed < 0 ? NULL : Py_NewRef(Py_None);
}

SIGNATURE(assign_signature, "assign()", 1, 1, P_partitions);
SIGNATURE(incremental_assign_signature, "incremental_assign()", 1, 1, P_partitions);
SIGNATURE(incremental_unassign_signature, "incremental_unassign()", 1, 1, P_partitions);

/* 0 if librdkafka accepts the list, or -1 with a KafkaException. */
static int
refuse_partitions(Consumer *self, const rd_kafka_topic_partition_list_t *partitions,
                  assignment_change *change, const char *what)
{
    module_state *state = self->client.state;
    if (change != rd_kafka_incremental_unassign
        && check_offsets(state, partitions, OFFSETS_TO_START, what) < 0) {
        return -1;
    }
    return check_for_duplicates(state, partitions, what);
}

static PyObject *
assign_with(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
            const signature *sig, assignment_change *change)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[1];
    if (client_args(&self->client, sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *partitions =
        topic_partitions_to_c(self->client.state, values[0], "partitions");
    if (partitions == NULL) {
        return NULL;
    }
    PyObject *result = NULL;
    if (client_enter(&self->client) == 0) {
        result = refuse_partitions(self, partitions, change, sig->function) < 0
                     ? NULL
                     : change_assignment(self, partitions, change);
        client_leave(&self->client);
    }
    rd_kafka_topic_partition_list_destroy(partitions);
    return result;
}

PyDoc_STRVAR(assign_doc,
"assign($self, /, partitions)\n--\n\n"
"Read exactly these partitions.\n\n"
"Args:\n"
"    partitions (list of TopicPartition): the partitions with the offset to start at: a number,\n"
"        OFFSET_BEGINNING, OFFSET_END, or OFFSET_STORED or OFFSET_INVALID for the committed\n"
"        one.\n\n"
"A topic or partition that does not exist is reported to error_cb (or the log), after\n"
"'topic.metadata.propagation.max.ms'.\n\n"
"Raises:\n"
"    KafkaException: _INVALID_ARG: an offset is negative and not one of these, or a partition is\n"
"        in the list twice; _STATE: the group's protocol is cooperative.\n\n"
"librdkafka: rd_kafka_assign().");

static PyObject *
assign(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return assign_with(object, args, nargs, kwnames, &assign_signature, assign_all);
}

PyDoc_STRVAR(incremental_assign_doc,
"incremental_assign($self, /, partitions)\n--\n\n"
"Add these partitions to the assignment.\n\n"
"Args:\n"
"    partitions (list of TopicPartition): the partitions, with offsets as for assign().\n\n"
"librdkafka: rd_kafka_incremental_assign() (KIP-429).");

static PyObject *
incremental_assign(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                   PyObject *kwnames)
{
    return assign_with(object, args, nargs, kwnames, &incremental_assign_signature,
                       rd_kafka_incremental_assign);
}

PyDoc_STRVAR(incremental_unassign_doc,
"incremental_unassign($self, /, partitions)\n--\n\n"
"Remove these partitions from the assignment.\n\n"
"Args:\n"
"    partitions (list of TopicPartition): the partitions to remove.\n\n"
"librdkafka: rd_kafka_incremental_unassign() (KIP-429).");

static PyObject *
incremental_unassign(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    return assign_with(object, args, nargs, kwnames, &incremental_unassign_signature,
                       rd_kafka_incremental_unassign);
}

PyDoc_STRVAR(unassign_doc,
"unassign($self, /)\n--\n\n"
"Stop reading all partitions.\n\n"
"librdkafka: rd_kafka_assign(NULL).");

static PyObject *
unassign(PyObject *object, PyObject *Py_UNUSED(unused))
{
    return change_assignment((Consumer *)object, NULL, assign_all);
}

PyDoc_STRVAR(assignment_doc,
"assignment($self, /)\n--\n\n"
"Return the partitions that are assigned now.\n\n"
"Returns:\n"
"    list of TopicPartition.\n\n"
"librdkafka: rd_kafka_assignment().");

static PyObject *
assignment(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    rd_kafka_resp_err_t code;
    rd_kafka_topic_partition_list_t *partitions = NULL;
    PyObject *result = NULL;
    Py_BEGIN_ALLOW_THREADS
    code = rd_kafka_assignment(self->client.rk, &partitions);
    Py_END_ALLOW_THREADS
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(self->client.state, code, "Failed to get assignment: %s",
                          rd_kafka_err2str(code));
    }
    else {
        result = topic_partitions_from(self->client.state, partitions);
        rd_kafka_topic_partition_list_destroy(partitions);
    }
    client_leave(&self->client);
    return result;
}

/* ---- pause and resume ---- */

/* Checks each partition's own result, because librdkafka's call returns no error for them. */
static rd_kafka_resp_err_t
first_error(const rd_kafka_topic_partition_list_t *partitions)
{
    for (int i = 0; i < partitions->cnt; i++) {
        if (partitions->elems[i].err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            return partitions->elems[i].err;
        }
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static PyObject *
pause_or_resume(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                const signature *sig,
                rd_kafka_resp_err_t (*change)(rd_kafka_t *, rd_kafka_topic_partition_list_t *))
{
    Consumer *self = (Consumer *)object;
    Client *client = &self->client;
    PyObject *values[1];
    serving_lock lock;
    if (client_args(client, sig, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *partitions =
        topic_partitions_to_c(client->state, values[0], "partitions");
    if (partitions == NULL) {
        return NULL;
    }
    int failed = client_enter(client);
    if (failed == 0) {
        failed = serve_lock(client, &lock);
        if (failed == 0) {
            consumer_rewind_read_ahead(self, partitions);
            rd_kafka_resp_err_t code;
            Py_BEGIN_ALLOW_THREADS
            code = change(client->rk, partitions);
            Py_END_ALLOW_THREADS
            if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
                fence_note_paused(&self->fence, partitions, change == rd_kafka_pause_partitions);
                consumer_take_back(self);
                code = first_error(partitions);
            }
            if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
                raise_kafka_error(client->state, code, "%s failed: %s", sig->function,
                                  rd_kafka_err2str(code));
                failed = -1;
            }
            serve_unlock(client, &lock);
        }
        client_leave(client);
    }
    rd_kafka_topic_partition_list_destroy(partitions);
    return failed < 0 ? NULL : Py_NewRef(Py_None);
}

SIGNATURE(pause_signature, "pause()", 1, 1, P_partitions);
SIGNATURE(resume_signature, "resume()", 1, 1, P_partitions);

PyDoc_STRVAR(pause_doc,
"pause($self, /, partitions)\n--\n\n"
"Stop fetching from these partitions. They stay assigned; keep polling.\n\n"
"A partition stays paused while it is assigned, even if other partitions come and go. The pause\n"
"ends when the partition is revoked (an eager rebalance revokes all), lost, or left out of an\n"
"assign().\n\n"
"Args:\n"
"    partitions (list of TopicPartition): assigned partitions. In on_assign, call assign() first.\n"
"        If the consumer reads another partition of the topic, you can pause a partition before\n"
"        incremental_assign() adds it.\n\n"
"Raises:\n"
"    KafkaException: _UNKNOWN_PARTITION: the consumer does not use the topic of one of them.\n\n"
"librdkafka: rd_kafka_pause_partitions().");

static PyObject *
pause_(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return pause_or_resume(object, args, nargs, kwnames, &pause_signature,
                           rd_kafka_pause_partitions);
}

PyDoc_STRVAR(resume_doc,
"resume($self, /, partitions)\n--\n\n"
"Fetch from paused partitions again; they continue where they stopped.\n\n"
"Args:\n"
"    partitions (list of TopicPartition): the partitions to resume.\n\n"
"librdkafka: rd_kafka_resume_partitions().");

static PyObject *
resume(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return pause_or_resume(object, args, nargs, kwnames, &resume_signature,
                           rd_kafka_resume_partitions);
}

PyMethodDef consumer_assignment_methods[] = {
    {"subscribe", WITH_KEYWORDS(subscribe), subscribe_doc},
    {"unsubscribe", unsubscribe, METH_NOARGS, unsubscribe_doc},
    {"assign", WITH_KEYWORDS(assign), assign_doc},
    {"unassign", unassign, METH_NOARGS, unassign_doc},
    {"incremental_assign", WITH_KEYWORDS(incremental_assign), incremental_assign_doc},
    {"incremental_unassign", WITH_KEYWORDS(incremental_unassign), incremental_unassign_doc},
    {"subscription", subscription, METH_NOARGS, subscription_doc},
    {"assignment", assignment, METH_NOARGS, assignment_doc},
    {"pause", WITH_KEYWORDS(pause_), pause_doc},
    {"resume", WITH_KEYWORDS(resume), resume_doc},
    {NULL, NULL, 0, NULL},
};

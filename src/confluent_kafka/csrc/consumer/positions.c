/*
 * Positions, and requests about offsets to the brokers.
 */
#include "consumer/consumer.h"

#include "base/text.h"
#include "client/failure.h"
#include "client/guard.h"
#include "client/request.h"
#include "client/serve.h"
#include "values/offset_rules.h"
#include "values/topic_partition.h"

/* ---- requests with a partition list, which they fill in ---- */

/* librdkafka looks up the coordinator again, but does not repeat the request. */
static bool
is_coordinator_elsewhere(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR_NOT_COORDINATOR
           || code == RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE
           || code == RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS;
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_committed(request *self, int timeout_ms)
{
    deadline until = deadline_after(timeout_ms / 1000.0);
    rd_kafka_resp_err_t code;
    do {
        int left_ms = deadline_remaining_ms(&until, timeout_ms);
        code = rd_kafka_committed(self->rk, self->partitions, left_ms);
    } while (is_coordinator_elsewhere(code) && request_pause(self, &until));
    return request_error(code, "Failed to get committed offsets");
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_offsets_for_times(request *self, int timeout_ms)
{
    /* The answer's offsets replace the times in the list, and each attempt needs the times. */
    rd_kafka_topic_partition_list_t *answer =
        rd_kafka_topic_partition_list_copy(self->partitions);
    rd_kafka_resp_err_t code = rd_kafka_offsets_for_times(self->rk, answer, timeout_ms);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        rd_kafka_topic_partition_list_destroy(self->partitions);
        self->partitions = answer;
    }
    else {
        rd_kafka_topic_partition_list_destroy(answer);
    }
    return request_error(code, "Failed to get offsets");
}

/* Consumes `made` (NULL: an exception is set) and `partitions`: 0, or -1 with an exception. */
static int
run_with_partitions(Consumer *self, request *made, rd_kafka_topic_partition_list_t *partitions,
                    const char *what)
{
    if (made == NULL) {
        rd_kafka_topic_partition_list_destroy(partitions);
        return -1;
    }
    made->partitions = partitions;
    return request_run(&self->client, made, what);
}

/*
 * Makes a request about `partitions`, which is consumed: a new list of TopicPartition, or NULL
 * with an exception.
 */
static PyObject *
request_partitions(Consumer *self, rd_kafka_topic_partition_list_t *partitions, int timeout_ms,
                   request_attempt *attempt, const char *what)
{
    /* While leaving, librdkafka no longer asks the coordinator and would look for it for ever. */
    if (attempt == attempt_committed
        && consumer_refuse_while_leaving(self, "Failed to get committed offsets") < 0) {
        rd_kafka_topic_partition_list_destroy(partitions);
        return NULL;
    }
    request *made = request_new(attempt, timeout_ms, NULL);
    if (run_with_partitions(self, made, partitions, what) < 0) {
        return NULL;
    }
    PyObject *result = topic_partitions_from(self->client.state, made->partitions);
    request_end(made);
    return result;
}

static PyObject *
list_request(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
             const signature *sig, request_attempt *attempt)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[2];
    int timeout_ms;
    if (client_args(&self->client, sig, args, nargs, kwnames, values) < 0
        || timeout_ms_from_arg(values[1], "timeout", &timeout_ms) < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *partitions =
        topic_partitions_to_c(self->client.state, values[0], "partitions");
    if (partitions == NULL) {
        return NULL;
    }
    if (client_enter(&self->client) < 0) {
        rd_kafka_topic_partition_list_destroy(partitions);
        return NULL;
    }
    PyObject *result = NULL;
    if (attempt == attempt_offsets_for_times
        && check_offsets(self->client.state, partitions, OFFSETS_AS_TIMES, sig->function) < 0) {
        rd_kafka_topic_partition_list_destroy(partitions);
    }
    else {
        result = request_partitions(self, partitions, timeout_ms, attempt, sig->function);
    }
    client_leave(&self->client);
    return result;
}

PyDoc_STRVAR(committed_doc,
"committed($self, /, partitions, timeout=-1)\n--\n\n"
"Request the group's committed offsets.\n\n"
"Args:\n"
"    partitions (list of TopicPartition): the partitions.\n"
"    timeout (float): seconds to wait for the group coordinator; -1 waits without limit.\n\n"
"Returns:\n"
"    list of TopicPartition: The offset is OFFSET_INVALID if nothing is committed; check the\n"
"    error of each.\n\n"
"Raises:\n"
"    KafkaException: a broker's error; _DESTROY in a callback that close() runs.\n\n"
"librdkafka: rd_kafka_committed().");

SIGNATURE(committed_signature, "committed()", 1, 2, P_partitions, P_timeout);

static PyObject *
committed(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return list_request(object, args, nargs, kwnames, &committed_signature, attempt_committed);
}

PyDoc_STRVAR(offsets_for_times_doc,
"offsets_for_times($self, /, partitions, timeout=-1)\n--\n\n"
"Look up the offset of each partition's first message at or after a point in time.\n\n"
"Args:\n"
"    partitions (list of TopicPartition): the partitions; each offset is the time in milliseconds\n"
"        since the epoch.\n"
"    timeout (float): seconds to wait for the brokers; -1 waits without limit.\n\n"
"Returns:\n"
"    list of TopicPartition: The offset is OFFSET_END if all messages are older; check the error\n"
"    of each.\n\n"
"librdkafka: rd_kafka_offsets_for_times().");

SIGNATURE(offsets_for_times_signature, "offsets_for_times()", 1, 2, P_partitions, P_timeout);

static PyObject *
offsets_for_times(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                  PyObject *kwnames)
{
    return list_request(object, args, nargs, kwnames, &offsets_for_times_signature,
                        attempt_offsets_for_times);
}

/* ---- seek, position ---- */

PyDoc_STRVAR(seek_doc,
"seek($self, /, partition)\n--\n\n"
"Continue at another offset of an assigned partition.\n\n"
"If the new offset is before position(), the next commit() commits it, unless\n"
"enable.auto.offset.store is false.\n\n"
"Args:\n"
"    partition (TopicPartition): its offset is the next message's offset, OFFSET_BEGINNING or\n"
"        OFFSET_END.\n\n"
"Raises:\n"
"    KafkaException: _INVALID_ARG: there is no offset, or it is negative and not one of these;\n"
"        _STATE: the partition is not assigned, or is not being fetched. Fetching has not begun,\n"
"        or it ended with _AUTO_OFFSET_RESET (then assign the partition again at an offset).\n\n"
"librdkafka: rd_kafka_seek_partitions().");

/*
 * A consumer that goes back wants to begin there again, so the next commit commits that offset,
 * even if no message is read before the commit. After a seek forward, the offset is committed only
 * with the next message: a committed offset is never beyond the messages that were handed out.
 */
static void
store_if_back(Consumer *self, const rd_kafka_topic_partition_list_t *partition, int64_t before)
{
    int64_t offset = partition->elems[0].offset;
    if (!self->auto_offset_store || offset < 0 || offset >= before) {
        return;
    }
    rd_kafka_topic_partition_list_t *copy = rd_kafka_topic_partition_list_copy(partition);
    Py_BEGIN_ALLOW_THREADS
    rd_kafka_offsets_store(self->client.rk, copy);
    Py_END_ALLOW_THREADS
    rd_kafka_topic_partition_list_destroy(copy);
}

/* The error of the only partition is the error of the call. */
WITHOUT_GIL static rd_kafka_error_t *
move_to(rd_kafka_t *rk, rd_kafka_topic_partition_list_t *partitions)
{
    rd_kafka_error_t *error = rd_kafka_seek_partitions(rk, partitions, -1);
    const rd_kafka_topic_partition_t *entry = &partitions->elems[0];
    if (error != NULL) {
        return error;
    }
    if (entry->err != RD_KAFKA_RESP_ERR__STATE
        && entry->err != RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) {
        return request_error(entry->err, "Failed to seek");
    }
    return rd_kafka_error_new(entry->err,
                              "Failed to seek: %s: %s[%d] is not being read, because it is not "
                              "assigned (yet): call poll() until on_assign was called, or give "
                              "the offset to assign()",
                              rd_kafka_err2str(entry->err), entry->topic, (int)entry->partition);
}

/*
 * Needs no thread of its own, because librdkafka's main thread answers at once, without a broker.
 * On another thread, a seek that Ctrl-C has interrupted could come after a later assign().
 */
static int
move(Client *client, const rd_kafka_topic_partition_list_t *partitions)
{
    rd_kafka_topic_partition_list_t *copy = rd_kafka_topic_partition_list_copy(partitions);
    rd_kafka_error_t *error;
    Py_BEGIN_ALLOW_THREADS
    error = move_to(client->rk, copy);
    Py_END_ALLOW_THREADS
    rd_kafka_topic_partition_list_destroy(copy);
    return client_raise_if_error(client, error);
}

/*
 * After the seek, neither a thread that polls at the same time nor the fetch around a callback that
 * seeks may return a message from before the seek. librdkafka drops the messages that such a fetch
 * is just collecting: seeking puts a mark at the front of its queue.
 */
static int
seek_locked(Consumer *self, const rd_kafka_topic_partition_list_t *partitions)
{
    serving_lock lock;
    if (serve_lock(&self->client, &lock) < 0) {
        return -1;
    }
    shelves_resume(&self->shelves, self->client.rk, partitions);
    rd_kafka_topic_partition_list_t *before = rd_kafka_topic_partition_list_copy(partitions);
    int result = consumer_positions(self, before);
    if (result == 0) {
        result = move(&self->client, partitions);
    }
    if (result == 0) {
        consumer_moved(self, partitions);
        store_if_back(self, partitions, before->elems[0].offset);
    }
    rd_kafka_topic_partition_list_destroy(before);
    serve_unlock(&self->client, &lock);
    return result;
}

SIGNATURE(seek_signature, "seek()", 1, 1, P_partition);

static PyObject *
seek(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[1];
    if (client_args(&self->client, &seek_signature, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *partitions = rd_kafka_topic_partition_list_new(1);
    if (topic_partition_add_to(self->client.state, values[0], "partition", partitions) < 0
        || client_enter(&self->client) < 0) {
        rd_kafka_topic_partition_list_destroy(partitions);
        return NULL;
    }
    int result = check_offsets(self->client.state, partitions, OFFSETS_TO_SEEK, "seek()");
    if (result == 0) {
        result = seek_locked(self, partitions);
    }
    rd_kafka_topic_partition_list_destroy(partitions);
    client_leave(&self->client);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(rewind_doc,
"_rewind($self, partitions, /)\n--\n\n"
"Fetch from these offsets again, without waiting. It is for messages that a call has returned,\n"
"but that the application did not get. Stored offsets are set back as well. Partitions that are\n"
"no longer assigned are skipped.");

static PyObject *
rewind_(PyObject *object, PyObject *argument)
{
    Consumer *self = (Consumer *)object;
    Client *client = &self->client;
    serving_lock lock;
    rd_kafka_topic_partition_list_t *partitions =
        topic_partitions_to_c(client->state, argument, "partitions");
    if (partitions == NULL) {
        return NULL;
    }
    int result = client_enter(client);
    if (result == 0) {
        result = serve_lock(client, &lock);
        if (result == 0) {
            consumer_rewind(self, partitions);
            if (self->auto_offset_store) {
                rd_kafka_offsets_store(client->rk, partitions);
            }
            serve_unlock(client, &lock);
        }
        client_leave(client);
    }
    rd_kafka_topic_partition_list_destroy(partitions);
    return result < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(position_doc,
"position($self, /, partitions)\n--\n\n"
"Return the offset after the last message that the application got from each partition.\n\n"
"If all fetched messages have been returned, this is the next offset to fetch. The position then\n"
"also skips offsets without messages (compacted records, markers, aborted transactions).\n\n"
"Args:\n"
"    partitions (list of TopicPartition): the partitions.\n\n"
"Returns:\n"
"    list of TopicPartition: The offset is OFFSET_INVALID if no message was returned since\n"
"    assign() or seek().\n\n"
"librdkafka: rd_kafka_position().");

/*
 * For librdkafka, messages that are buffered or in flight have been returned to the application;
 * and it does not know that we went back on the application's behalf.
 */
static void
correct_positions(Consumer *self, rd_kafka_topic_partition_list_t *partitions)
{
    for (int i = 0; i < partitions->cnt; i++) {
        rd_kafka_topic_partition_t *entry = &partitions->elems[i];
        int64_t waiting = consumer_rewound_to(self, entry->topic, entry->partition);
        if (waiting == RD_KAFKA_OFFSET_INVALID) {
            waiting = consumer_first_ahead(self, entry->topic, entry->partition);
        }
        int64_t taken = in_flight_first_offset(&self->in_flight, self->client.rk, entry->topic,
                                               entry->partition);
        if (taken != RD_KAFKA_OFFSET_INVALID
            && (waiting == RD_KAFKA_OFFSET_INVALID || taken < waiting)) {
            waiting = taken;
        }
        if (waiting != RD_KAFKA_OFFSET_INVALID) {
            entry->offset = waiting;
        }
    }
}

/* Either rd_kafka_position() or rd_kafka_next_position(). */
typedef rd_kafka_resp_err_t position_function(rd_kafka_t *, rd_kafka_topic_partition_list_t *);

/* librdkafka's positions and the buffered messages must be read at the same moment. */
static int
ask_positions(Consumer *self, rd_kafka_topic_partition_list_t *partitions,
              position_function *ask)
{
    rd_kafka_resp_err_t code;
    Py_BEGIN_ALLOW_THREADS
    code = ask(self->client.rk, partitions);
    Py_END_ALLOW_THREADS
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        raise_kafka_error(self->client.state, code, "Failed to get position: %s",
                          rd_kafka_err2str(code));
        return -1;
    }
    correct_positions(self, partitions);
    return 0;
}

int
consumer_positions(Consumer *self, rd_kafka_topic_partition_list_t *partitions)
{
    return ask_positions(self, partitions, rd_kafka_position);
}

static PyObject *
positions_locked(Consumer *self, rd_kafka_topic_partition_list_t *partitions,
                 position_function *ask)
{
    serving_lock lock;
    if (serve_lock(&self->client, &lock) < 0) {
        return NULL;
    }
    PyObject *result = NULL;
    if (ask_positions(self, partitions, ask) == 0) {
        result = topic_partitions_from(self->client.state, partitions);
    }
    serve_unlock(&self->client, &lock);
    return result;
}

/* Consumes `partitions`; NULL means that its conversion failed with an exception. */
static PyObject *
positions_of(Consumer *self, rd_kafka_topic_partition_list_t *partitions, position_function *ask)
{
    PyObject *result = NULL;
    if (partitions == NULL) {
        return NULL;
    }
    if (client_enter(&self->client) == 0) {
        result = positions_locked(self, partitions, ask);
        client_leave(&self->client);
    }
    rd_kafka_topic_partition_list_destroy(partitions);
    return result;
}

SIGNATURE(position_signature, "position()", 1, 1, P_partitions);

static PyObject *
position(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    PyObject *values[1];
    if (client_args(&self->client, &position_signature, args, nargs, kwnames, values) < 0) {
        return NULL;
    }
    return positions_of(self,
                        topic_partitions_to_c(self->client.state, values[0], "partitions"),
                        rd_kafka_position);
}

PyDoc_STRVAR(next_position_doc,
"_next_position($self, partitions, /)\n--\n\n"
"Do what position() does, but if no message was returned yet, return the offset at which the\n"
"consumer begins: from the assignment, a seek or a reset. This is a logical offset until\n"
"librdkafka has looked up its number, and OFFSET_INVALID if librdkafka does not fetch the\n"
"partition.\n\n"
"librdkafka: rd_kafka_next_position().");

static PyObject *
next_position(PyObject *object, PyObject *argument)
{
    Consumer *self = (Consumer *)object;
    return positions_of(self,
                        topic_partitions_to_c(self->client.state, argument, "partitions"),
                        rd_kafka_next_position);
}

/* ---- watermarks ---- */

WITHOUT_GIL static rd_kafka_error_t *
attempt_watermarks(request *self, int timeout_ms)
{
    rd_kafka_topic_partition_t *partition = &self->partitions->elems[0];
    rd_kafka_resp_err_t code = rd_kafka_query_watermark_offsets(
        self->rk, partition->topic, partition->partition, &self->low, &self->high, timeout_ms);
    return request_error(code, "Failed to get watermark offsets");
}

static PyObject *
watermarks_from(int64_t low, int64_t high)
{
    return Py_BuildValue("LL", (long long)low, (long long)high);
}

/* Consumes `partition`. */
static PyObject *
query_watermarks(Consumer *self, rd_kafka_topic_partition_list_t *partition, int timeout_ms)
{
    request *made = request_new(attempt_watermarks, timeout_ms, NULL);
    if (run_with_partitions(self, made, partition, "get_watermark_offsets()") < 0) {
        return NULL;
    }
    PyObject *result = watermarks_from(made->low, made->high);
    request_end(made);
    return result;
}

static PyObject *
cached_watermarks(Client *client, rd_kafka_topic_partition_list_t *partition)
{
    int64_t low, high;
    rd_kafka_topic_partition_t *entry = &partition->elems[0];
    rd_kafka_resp_err_t code = rd_kafka_get_watermark_offsets(
        client->rk, entry->topic, entry->partition, &low, &high);
    rd_kafka_topic_partition_list_destroy(partition);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        client_raise_error(client, code, "Failed to get watermark offsets");
        return NULL;
    }
    return watermarks_from(low, high);
}

PyDoc_STRVAR(get_watermark_offsets_doc,
"get_watermark_offsets($self, /, partition, timeout=-1, cached=False)\n--\n\n"
"Return the low watermark (first offset) and high watermark (next offset) of a partition.\n\n"
"Args:\n"
"    partition (TopicPartition): the partition.\n"
"    timeout (float): seconds to wait for the broker; -1 waits without limit.\n"
"    cached (bool): return the values of the last fetch, without a request; OFFSET_INVALID if\n"
"        nothing has been fetched.\n\n"
"Returns:\n"
"    tuple of int: (low, high).\n\n"
"librdkafka: rd_kafka_query_watermark_offsets(), rd_kafka_get_watermark_offsets().");

SIGNATURE(watermarks_signature, "get_watermark_offsets()", 1, 3, P_partition, P_timeout,
          P_cached);

/* The error names the argument, which an answer of the brokers would not. */
static int
watermarks_partition(module_state *state, PyObject *object,
                     rd_kafka_topic_partition_list_t *partition)
{
    if (topic_partition_add_to(state, object, "partition", partition) < 0) {
        return -1;
    }
    if (*partition->elems[0].topic == '\0') {
        PyErr_SetString(PyExc_ValueError, "partition must have a topic, not ''");
        return -1;
    }
    return 0;
}

static PyObject *
get_watermark_offsets(PyObject *object, PyObject *const *args, Py_ssize_t nargs,
                      PyObject *kwnames)
{
    Consumer *self = (Consumer *)object;
    Client *client = &self->client;
    PyObject *values[3];
    int timeout_ms;
    bool cached = false;
    if (client_args(client, &watermarks_signature, args, nargs, kwnames, values) < 0
        || timeout_ms_from_arg(values[1], "timeout", &timeout_ms) < 0
        || (values[2] != NULL && arg_bool(values[2], "cached", &cached) < 0)) {
        return NULL;
    }
    rd_kafka_topic_partition_list_t *partition = rd_kafka_topic_partition_list_new(1);
    if (watermarks_partition(client->state, values[0], partition) < 0
        || client_enter(client) < 0) {
        rd_kafka_topic_partition_list_destroy(partition);
        return NULL;
    }
    PyObject *result = cached ? cached_watermarks(client, partition)
                              : query_watermarks(self, partition, timeout_ms);
    client_leave(client);
    return result;
}

/* ---- the group ---- */

PyDoc_STRVAR(memberid_doc,
"memberid($self, /)\n--\n\n"
"Return this consumer's member id in its group.\n\n"
"Returns:\n"
"    str or None: The id; None while it is not a member.\n\n"
"librdkafka: rd_kafka_memberid().");

static PyObject *
memberid(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    char *member_id;
    Py_BEGIN_ALLOW_THREADS
    member_id = rd_kafka_memberid(self->client.rk);
    Py_END_ALLOW_THREADS
    PyObject *result = member_id == NULL || *member_id == '\0'
                           ? Py_NewRef(Py_None)
                           : text_from(member_id);
    if (member_id != NULL) {
        rd_kafka_mem_free(self->client.rk, member_id);
    }
    client_leave(&self->client);
    return result;
}

PyDoc_STRVAR(consumer_group_metadata_doc,
"consumer_group_metadata($self, /)\n--\n\n"
"Return the group membership, for Producer.send_offsets_to_transaction().\n\n"
"Returns:\n"
"    bytes: librdkafka's serialized form, which is opaque.\n\n"
"librdkafka: rd_kafka_consumer_group_metadata(), ..._write().");

static PyObject *
consumer_group_metadata(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Consumer *self = (Consumer *)object;
    if (client_enter(&self->client) < 0) {
        return NULL;
    }
    PyObject *result = NULL;
    rd_kafka_consumer_group_metadata_t *metadata;
    Py_BEGIN_ALLOW_THREADS
    metadata = rd_kafka_consumer_group_metadata(self->client.rk);
    Py_END_ALLOW_THREADS
    if (metadata == NULL) {
        raise_kafka_error(self->client.state, RD_KAFKA_RESP_ERR__STATE,
                          "The consumer is not part of a group");
    }
    else {
        void *buffer;
        size_t size;
        rd_kafka_error_t *error =
            rd_kafka_consumer_group_metadata_write(metadata, &buffer, &size);
        if (raise_if_error(self->client.state, error) == 0) {
            result = PyBytes_FromStringAndSize(buffer, (Py_ssize_t)size);
            rd_kafka_mem_free(self->client.rk, buffer);
        }
        rd_kafka_consumer_group_metadata_destroy(metadata);
    }
    client_leave(&self->client);
    return result;
}

PyMethodDef consumer_positions_methods[] = {
    {"committed", WITH_KEYWORDS(committed), committed_doc},
    {"offsets_for_times", WITH_KEYWORDS(offsets_for_times), offsets_for_times_doc},
    {"seek", WITH_KEYWORDS(seek), seek_doc},
    {"_rewind", rewind_, METH_O, rewind_doc},
    {"position", WITH_KEYWORDS(position), position_doc},
    {"_next_position", next_position, METH_O, next_position_doc},
    {"get_watermark_offsets", WITH_KEYWORDS(get_watermark_offsets),
     get_watermark_offsets_doc},
    {"memberid", memberid, METH_NOARGS, memberid_doc},
    {"consumer_group_metadata", consumer_group_metadata, METH_NOARGS,
     consumer_group_metadata_doc},
    {NULL, NULL, 0, NULL},
};

#include "client/cluster.h"

#include "base/text.h"
#include "client/guard.h"
#include "client/request.h"
#include "values/metadata.h"

/* ---- list_topics ---- */

static void
free_metadata(void *answer)
{
    rd_kafka_metadata_destroy(answer);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_metadata(request *self, int timeout_ms)
{
    rd_kafka_topic_t *topic = NULL;
    if (self->name != NULL) {
        topic = rd_kafka_topic_new(self->rk, self->name, NULL);
        if (topic == NULL) {
            return request_error(rd_kafka_last_error(), "Failed to get metadata");
        }
    }
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_resp_err_t code =
        rd_kafka_metadata(self->rk, topic == NULL, topic, &metadata, timeout_ms);
    self->answer = (void *)metadata;
    self->free_answer = free_metadata;
    if (topic != NULL) {
        rd_kafka_topic_destroy(topic);
    }
    return request_error(code, "Failed to get metadata");
}

PyDoc_STRVAR(list_topics_doc,
"list_topics($self, /, topic=None, timeout=-1)\n--\n\n"
"Request metadata of the cluster's brokers, topics and partitions.\n\n"
"Args:\n"
"    topic (str, optional): only this topic, which the broker may create; all when None.\n"
"    timeout (float): seconds to wait for an answer; -1 waits without limit.\n\n"
"Returns:\n"
"    confluent_kafka.admin.ClusterMetadata.\n\n"
"Raises:\n"
"    KafkaException: _TIMED_OUT or _TRANSPORT: no broker answered; _INTR: after wakeup().\n\n"
"librdkafka: rd_kafka_metadata().");

SIGNATURE(list_topics_signature, "list_topics()", 0, 2, P_topic, P_timeout);

static PyObject *
request_metadata(Client *self, const char *topic, int timeout_ms)
{
    request *made = request_new(attempt_metadata, timeout_ms, topic);
    if (made == NULL || request_run(self, made, "list_topics()") < 0) {
        return NULL;
    }
    PyObject *result = cluster_metadata_from(self->state, self->rk, made->answer);
    request_end(made);
    return result;
}

static PyObject *
list_topics(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[2];
    const char *topic = NULL;
    int timeout_ms;
    if (client_args_or(self, HANDLE_CLOSED, &list_topics_signature, args, nargs, kwnames,
                       values) < 0
        || timeout_ms_from_arg(values[1], "timeout", &timeout_ms) < 0) {
        return NULL;
    }
    if (values[0] != NULL && values[0] != Py_None) {
        topic = arg_utf8(values[0], "topic", NULL);
        if (topic == NULL) {
            return NULL;
        }
    }
    if (client_enter_or(self, HANDLE_CLOSED) < 0) {
        return NULL;
    }
    PyObject *result = request_metadata(self, topic, timeout_ms);
    client_leave(self);
    return result;
}

/* ---- cluster_id ---- */

static void
free_cluster_id(void *answer)
{
    rd_kafka_mem_free(NULL, answer);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt_cluster_id(request *self, int timeout_ms)
{
    self->answer = rd_kafka_clusterid(self->rk, timeout_ms);
    self->free_answer = free_cluster_id;
    return self->answer != NULL ? NULL
                                : request_error(RD_KAFKA_RESP_ERR__TIMED_OUT, "cluster_id()");
}

PyDoc_STRVAR(cluster_id_doc,
"cluster_id($self, /, timeout=-1)\n--\n\n"
"Return the cluster's id, as its brokers report it.\n\n"
"Args:\n"
"    timeout (float): seconds to wait for a broker; -1 waits without limit.\n\n"
"Returns:\n"
"    str or None: The id; None if no broker answered in time.\n\n"
"librdkafka: rd_kafka_clusterid().");

SIGNATURE(cluster_id_signature, "cluster_id()", 0, 1, P_timeout);

static PyObject *
request_cluster_id(Client *self, int timeout_ms)
{
    request *made = request_new(attempt_cluster_id, timeout_ms, NULL);
    if (made == NULL || request_wait(self, made, "cluster_id()", NULL) < 0) {
        return NULL;
    }
    PyObject *result = made->answer == NULL ? Py_NewRef(Py_None)
                                            : text_from(made->answer);
    request_end(made);
    return result;
}

static PyObject *
cluster_id(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[1];
    int timeout_ms;
    if (client_args_or(self, HANDLE_CLOSED, &cluster_id_signature, args, nargs, kwnames, values) < 0
        || timeout_ms_from_arg(values[0], "timeout", &timeout_ms) < 0
        || client_enter_or(self, HANDLE_CLOSED) < 0) {
        return NULL;
    }
    PyObject *result = request_cluster_id(self, timeout_ms);
    client_leave(self);
    return result;
}

PyMethodDef cluster_methods[] = {
    {"list_topics", WITH_KEYWORDS(list_topics), list_topics_doc},
    {"cluster_id", WITH_KEYWORDS(cluster_id), cluster_id_doc},
    {NULL, NULL, 0, NULL},
};

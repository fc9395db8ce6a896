/*
 * Requests about topics: create, delete, add partitions, describe.
 */
#include "admin/admin.h"

#include "base/text.h"
#include "values/uuid.h"

/* The maximum number of partitions that librdkafka accepts in one request. */
#define MAX_PARTITIONS 100000
#define MAX_REPLICAS 32767

/* ---- NewTopic and NewPartitions ---- */

/* Raises ValueError "topic 'name': reason". */
static void
refuse_topic(const char *topic, const char *reason)
{
    PyErr_Format(PyExc_ValueError, "topic '%s': %s", topic, reason);
}

/* Attribute `name` of a NewTopic or NewPartitions; new reference or NULL. */
static PyObject *
attribute(module_state *state, PyObject *object, enum parameter name)
{
    return PyObject_GetAttr(object, state->parameters[name]);
}

/* An int attribute in [minimum, maximum]; `text` is its name. */
static int
int_attribute(module_state *state, PyObject *object, enum parameter name, const char *text,
              int32_t minimum, int32_t maximum, int32_t *result)
{
    PyObject *value = attribute(state, object, name);
    if (value == NULL) {
        return -1;
    }
    int status = arg_int32(value, text, minimum, maximum, result);
    Py_DECREF(value);
    return status;
}

/* Passes the brokers of one partition to librdkafka; both types have their own function. */
typedef rd_kafka_resp_err_t assign_function(void *target, int32_t partition,
                                            int32_t *brokers, size_t count, char *reason,
                                            size_t size);

static rd_kafka_resp_err_t
assign_topic(void *target, int32_t partition, int32_t *brokers, size_t count, char *reason,
             size_t size)
{
    return rd_kafka_NewTopic_set_replica_assignment(target, partition, brokers, count, reason,
                                                    size);
}

static rd_kafka_resp_err_t
assign_partitions(void *target, int32_t partition, int32_t *brokers, size_t count,
                  char *reason, size_t size)
{
    return rd_kafka_NewPartitions_set_replica_assignment(target, partition, brokers, count,
                                                         reason, size);
}

/* Turns wrong types in an assignment into ValueErrors, as in confluent-kafka: -1. */
static int
refuse_type(void)
{
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyObject *raised = PyErr_GetRaisedException();
        PyErr_Format(PyExc_ValueError, "%S", raised);
        Py_DECREF(raised);
    }
    return -1;
}

/* The brokers of one partition: a tuple of int. */
static int
assign_one(const char *topic, PyObject *brokers, int32_t partition, assign_function *assign,
           void *target)
{
    if (arg_list(brokers, "each item of replica_assignment", "broker ids") < 0) {
        return refuse_type();
    }
    PyObject *ids = PySequence_Tuple(brokers);
    if (ids == NULL) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(ids);
    int32_t *numbers = PyMem_Calloc((size_t)count + 1, sizeof(*numbers));
    int status = -1;
    if (numbers == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (arg_int32(PyTuple_GET_ITEM(ids, i), "a broker id in replica_assignment", 0,
                      INT32_MAX, &numbers[i]) < 0) {
            refuse_type();
            goto done;
        }
    }
    char reason[256];
    if (assign(target, partition, numbers, (size_t)count, reason, sizeof(reason))
        != RD_KAFKA_RESP_ERR_NO_ERROR) {
        refuse_topic(topic, reason);
        goto done;
    }
    status = 0;
done:
    PyMem_Free(numbers);
    Py_DECREF(ids);
    return status;
}

/* The replica assignment as a tuple; None if there is none; new reference or NULL. */
static PyObject *
get_assignment(module_state *state, PyObject *object)
{
    PyObject *assignment = attribute(state, object, P_replica_assignment);
    if (assignment == NULL || assignment == Py_None) {
        return assignment;
    }
    PyObject *partitions = NULL;
    if (arg_list(assignment, "replica_assignment", "lists of broker ids, one for each partition")
        == 0) {
        partitions = PySequence_Tuple(assignment);
    }
    else {
        refuse_type();
    }
    Py_DECREF(assignment);
    return partitions;
}

/* Checks `limit`, because librdkafka ends the process if it gets too many partitions. */
static int
assign_replicas(const char *topic, PyObject *assignment, int32_t limit,
                assign_function *assign, void *target)
{
    if (assignment == Py_None) {
        return 0;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(assignment);
    if (count > limit) {
        PyErr_Format(PyExc_ValueError,
                     "topic '%s': replica_assignment has %zd items for %d partitions", topic,
                     count, (int)limit);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (assign_one(topic, PyTuple_GET_ITEM(assignment, i), (int32_t)i, assign, target)
            < 0) {
            return -1;
        }
    }
    return 0;
}

static int
set_config_entry(rd_kafka_NewTopic_t *topic, PyObject *key, PyObject *value)
{
    const char *name = arg_utf8(key, "a key of config", NULL);
    PyObject *text = NULL;
    if (name != NULL && value != Py_None) {
        text = arg_value_text(value, "a value of config");
    }
    if (name == NULL || (text == NULL && value != Py_None)) {
        return -1;
    }
    rd_kafka_resp_err_t code =
        rd_kafka_NewTopic_set_config(topic, name, text == NULL ? NULL : PyUnicode_AsUTF8(text));
    Py_XDECREF(text);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        PyErr_Format(PyExc_ValueError, "config key '%s' is refused", name);
        return -1;
    }
    return 0;
}

static int
set_config(module_state *state, rd_kafka_NewTopic_t *topic, PyObject *object)
{
    PyObject *config = attribute(state, object, P_config);
    if (config == NULL || config == Py_None) {
        Py_XDECREF(config);
        return config == NULL ? -1 : 0;
    }
    if (!PyDict_Check(config)) {
        PyErr_Format(PyExc_TypeError, "config must be dict or None, not %.100s",
                     Py_TYPE(config)->tp_name);
        Py_DECREF(config);
        return -1;
    }
    PyObject *pairs = PyDict_Items(config);
    Py_DECREF(config);
    int status = pairs == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; status == 0 && i < PyList_GET_SIZE(pairs); i++) {
        PyObject *pair = PyList_GET_ITEM(pairs, i);
        status = set_config_entry(topic, PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1));
    }
    Py_XDECREF(pairs);
    return status;
}

/*
 * Calls `read` with a NewTopic or NewPartitions and its name. A subclass may make a new name each
 * time, so a reference to the name is held meanwhile.
 */
static void *
read_named(module_state *state, PyObject *item, PyTypeObject *type, const char *type_name,
           void *(*read)(module_state *state, PyObject *item, const char *name))
{
    if (!PyObject_TypeCheck(item, type)) {
        PyErr_Format(PyExc_TypeError, "each item must be a %s, not %.100s", type_name,
                     Py_TYPE(item)->tp_name);
        return NULL;
    }
    PyObject *topic = attribute(state, item, P_topic);
    const char *name = topic == NULL ? NULL : arg_utf8(topic, "topic", NULL);
    void *result = name == NULL ? NULL : read(state, item, name);
    Py_XDECREF(topic);
    return result;
}

static void
destroy_new_topic(void *item)
{
    rd_kafka_NewTopic_destroy(item);
}

/* The number of partitions; if there is an assignment, the number of its items. */
static int
partition_count(const char *topic, PyObject *assignment, int32_t *partitions)
{
    if (assignment == Py_None) {
        return 0;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(assignment);
    if (count < 1 || count > MAX_PARTITIONS || (*partitions != -1 && count != *partitions)) {
        PyErr_Format(PyExc_ValueError,
                     "topic '%s': replica_assignment must have one item for each partition, "
                     "but it has %zd, and num_partitions is %d",
                     topic, count, (int)*partitions);
        return -1;
    }
    *partitions = (int32_t)count;
    return 0;
}

static rd_kafka_NewTopic_t *
new_topic(module_state *state, PyObject *item, const char *name, PyObject *assignment,
          int32_t partitions, int32_t factor)
{
    char reason[256];
    rd_kafka_NewTopic_t *topic =
        rd_kafka_NewTopic_new(name, partitions, factor, reason, sizeof(reason));
    if (topic == NULL) {
        refuse_topic(name, reason);
        return NULL;
    }
    if (assign_replicas(name, assignment, partitions, assign_topic, topic) < 0
        || set_config(state, topic, item) < 0) {
        rd_kafka_NewTopic_destroy(topic);
        return NULL;
    }
    return topic;
}

static void *
read_topic_named(module_state *state, PyObject *item, const char *name)
{
    int32_t partitions, factor;
    if (int_attribute(state, item, P_num_partitions, "num_partitions", -1, MAX_PARTITIONS,
                      &partitions) < 0
        || int_attribute(state, item, P_replication_factor, "replication_factor", -1,
                         MAX_REPLICAS, &factor) < 0) {
        return NULL;
    }
    PyObject *assignment = get_assignment(state, item);
    rd_kafka_NewTopic_t *topic = NULL;
    if (assignment != NULL && partition_count(name, assignment, &partitions) == 0) {
        topic = new_topic(state, item, name, assignment, partitions, factor);
    }
    Py_XDECREF(assignment);
    return topic;
}

static void *
read_new_topic(admin_call *call, PyObject *item)
{
    return read_named(call->state, item, call->state->NewTopic, "NewTopic", read_topic_named);
}

static void
destroy_new_partitions(void *item)
{
    rd_kafka_NewPartitions_destroy(item);
}

static void *
read_partitions_named(module_state *state, PyObject *item, const char *name)
{
    char reason[256];
    int32_t count;
    if (int_attribute(state, item, P_new_total_count, "new_total_count", 1, MAX_PARTITIONS,
                      &count) < 0) {
        return NULL;
    }
    rd_kafka_NewPartitions_t *partitions =
        rd_kafka_NewPartitions_new(name, (size_t)count, reason, sizeof(reason));
    if (partitions == NULL) {
        refuse_topic(name, reason);
        return NULL;
    }
    PyObject *assignment = get_assignment(state, item);
    if (assignment == NULL
        || assign_replicas(name, assignment, count, assign_partitions, partitions) < 0) {
        rd_kafka_NewPartitions_destroy(partitions);
        partitions = NULL;
    }
    Py_XDECREF(assignment);
    return partitions;
}

static void *
read_new_partitions(admin_call *call, PyObject *item)
{
    return read_named(call->state, item, call->state->NewPartitions, "NewPartitions",
                      read_partitions_named);
}

static void
destroy_delete_topic(void *item)
{
    rd_kafka_DeleteTopic_destroy(item);
}

static void *
read_delete_topic(admin_call *Py_UNUSED(call), PyObject *item)
{
    const char *name = arg_utf8(item, "topic", NULL);
    return name == NULL ? NULL : rd_kafka_DeleteTopic_new(name);
}

static int
read_new_topics(admin_call *call)
{
    return admin_read_items(call, "NewTopic", read_new_topic, destroy_new_topic);
}

static int
read_new_partitions_list(admin_call *call)
{
    return admin_read_items(call, "NewPartitions", read_new_partitions, destroy_new_partitions);
}

static int
read_delete_topics(admin_call *call)
{
    return admin_read_items(call, "str", read_delete_topic, destroy_delete_topic);
}

/* ---- sending ---- */

static void
send_create_topics(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_CreateTopics(call->rk, (rd_kafka_NewTopic_t **)call->items, call->count,
                          call->options, queue);
}

static void
send_delete_topics(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DeleteTopics(call->rk, (rd_kafka_DeleteTopic_t **)call->items, call->count,
                          call->options, queue);
}

static void
send_create_partitions(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_CreatePartitions(call->rk, (rd_kafka_NewPartitions_t **)call->items, call->count,
                              call->options, queue);
}

static void
send_describe_topics(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_TopicCollection_t *topics =
        rd_kafka_TopicCollection_of_topic_names((const char **)call->items, call->count);
    rd_kafka_DescribeTopics(call->rk, topics, call->options, queue);
    rd_kafka_TopicCollection_destroy(topics);
}

/* ---- answers: a list of (name, error) ---- */

static PyObject *
topic_result_from(module_state *state, const void *item)
{
    const rd_kafka_topic_result_t *result = item;
    return Py_BuildValue("NN", text_from(rd_kafka_topic_result_name(result)),
                         kafka_error_or_none(state, rd_kafka_topic_result_error(result),
                                             rd_kafka_topic_result_error_string(result)));
}

static PyObject *
created_topics(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_topic_result_t **topics = rd_kafka_CreateTopics_result_topics(
        rd_kafka_event_CreateTopics_result(event), &count);
    return admin_list_from(state, topics, count, topic_result_from);
}

static PyObject *
deleted_topics(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_topic_result_t **topics = rd_kafka_DeleteTopics_result_topics(
        rd_kafka_event_DeleteTopics_result(event), &count);
    return admin_list_from(state, topics, count, topic_result_from);
}

static PyObject *
created_partitions(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_topic_result_t **topics = rd_kafka_CreatePartitions_result_topics(
        rd_kafka_event_CreatePartitions_result(event), &count);
    return admin_list_from(state, topics, count, topic_result_from);
}

/* ---- descriptions ---- */

/* (partition, leader, replicas, isr) */
static PyObject *
partition_from(module_state *state, const void *item)
{
    const rd_kafka_TopicPartitionInfo_t *partition = item;
    size_t replica_count, isr_count;
    const rd_kafka_Node_t **replicas =
        rd_kafka_TopicPartitionInfo_replicas(partition, &replica_count);
    const rd_kafka_Node_t **isr = rd_kafka_TopicPartitionInfo_isr(partition, &isr_count);
    return Py_BuildValue(
        "iNNN", rd_kafka_TopicPartitionInfo_partition(partition),
        admin_node_from(state, rd_kafka_TopicPartitionInfo_leader(partition)),
        admin_list_from(state, replicas, replica_count, admin_node_from),
        admin_list_from(state, isr, isr_count, admin_node_from));
}

/* (name, error, topic id, is internal, partitions, operations) */
static PyObject *
description_from(module_state *state, const void *item)
{
    const rd_kafka_TopicDescription_t *topic = item;
    size_t partition_count, operation_count;
    const rd_kafka_TopicPartitionInfo_t **partitions =
        rd_kafka_TopicDescription_partitions(topic, &partition_count);
    const rd_kafka_AclOperation_t *operations =
        rd_kafka_TopicDescription_authorized_operations(topic, &operation_count);
    return Py_BuildValue(
        "NNNNNN", text_from(rd_kafka_TopicDescription_name(topic)),
        admin_error_from(state, rd_kafka_TopicDescription_error(topic)),
        uuid_from(state, rd_kafka_TopicDescription_topic_id(topic)),
        PyBool_FromLong(rd_kafka_TopicDescription_is_internal(topic)),
        admin_list_from(state, partitions, partition_count, partition_from),
        admin_operations_from(operations, operation_count));
}

static PyObject *
described_topics(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_TopicDescription_t **topics = rd_kafka_DescribeTopics_result_topics(
        rd_kafka_event_DescribeTopics_result(event), &count);
    return admin_list_from(state, topics, count, description_from);
}

const admin_request admin_topic_requests[] = {
    {"create_topics", RD_KAFKA_ADMIN_OP_CREATETOPICS, RD_KAFKA_EVENT_CREATETOPICS_RESULT,
     read_new_topics, send_create_topics, created_topics},
    {"delete_topics", RD_KAFKA_ADMIN_OP_DELETETOPICS, RD_KAFKA_EVENT_DELETETOPICS_RESULT,
     read_delete_topics, send_delete_topics, deleted_topics},
    {"create_partitions", RD_KAFKA_ADMIN_OP_CREATEPARTITIONS,
     RD_KAFKA_EVENT_CREATEPARTITIONS_RESULT, read_new_partitions_list, send_create_partitions,
     created_partitions},
    {"describe_topics", RD_KAFKA_ADMIN_OP_DESCRIBETOPICS,
     RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT, admin_read_texts, send_describe_topics,
     described_topics},
    {0},
};

/*
 * Requests about consumer groups: list, describe, delete; their offsets: list, alter, delete.
 */
#include "admin/admin.h"

#include "base/list.h"
#include "base/text.h"
#include "values/topic_partition.h"

/* ---- arguments ---- */

static void
destroy_delete_group(void *item)
{
    rd_kafka_DeleteGroup_destroy(item);
}

static void *
read_delete_group(admin_call *Py_UNUSED(call), PyObject *item)
{
    const char *group = arg_utf8(item, "group id", NULL);
    return group == NULL ? NULL : rd_kafka_DeleteGroup_new(group);
}

static int
read_delete_groups(admin_call *call)
{
    return admin_read_items(call, "str", read_delete_group, destroy_delete_group);
}

/* (group id, partitions): `partitions` NULL for None. 0, or -1 with an exception. */
static int
read_group(admin_call *call, const char **group, rd_kafka_topic_partition_list_t **partitions)
{
    PyObject *argument = call->argument;
    if (!PyTuple_Check(argument) || PyTuple_GET_SIZE(argument) != 2) {
        PyErr_SetString(PyExc_TypeError, "the argument must be a tuple (group id, partitions)");
        return -1;
    }
    *partitions = NULL;
    *group = arg_utf8(PyTuple_GET_ITEM(argument, 0), "group_id", NULL);
    if (*group == NULL) {
        return -1;
    }
    PyObject *given = PyTuple_GET_ITEM(argument, 1);
    if (given == Py_None) {
        return 0;
    }
    *partitions = topic_partitions_to_c(call->state, given, "topic_partitions");
    return *partitions == NULL ? -1 : 0;
}

static void
destroy_list_offsets(void *item)
{
    rd_kafka_ListConsumerGroupOffsets_destroy(item);
}

static int
read_list_offsets(admin_call *call)
{
    const char *group;
    rd_kafka_topic_partition_list_t *partitions;
    if (read_group(call, &group, &partitions) < 0) {
        return -1;
    }
    void *item = rd_kafka_ListConsumerGroupOffsets_new(group, partitions);
    if (partitions != NULL) {
        rd_kafka_topic_partition_list_destroy(partitions);
    }
    return admin_read_one(call, item, destroy_list_offsets);
}

/* The same, if None (all partitions) is not allowed. */
static int
read_group_and_partitions(admin_call *call, const char **group,
                          rd_kafka_topic_partition_list_t **partitions)
{
    if (read_group(call, group, partitions) < 0) {
        return -1;
    }
    if (*partitions == NULL) {
        PyErr_SetString(PyExc_ValueError, "topic_partitions must not be None here");
        return -1;
    }
    return 0;
}

static void
destroy_alter_offsets(void *item)
{
    rd_kafka_AlterConsumerGroupOffsets_destroy(item);
}

static int
read_alter_offsets(admin_call *call)
{
    const char *group;
    rd_kafka_topic_partition_list_t *partitions;
    if (read_group_and_partitions(call, &group, &partitions) < 0) {
        return -1;
    }
    void *item = rd_kafka_AlterConsumerGroupOffsets_new(group, partitions);
    rd_kafka_topic_partition_list_destroy(partitions);
    return admin_read_one(call, item, destroy_alter_offsets);
}

static void
destroy_delete_offsets(void *item)
{
    rd_kafka_DeleteConsumerGroupOffsets_destroy(item);
}

static int
read_delete_offsets(admin_call *call)
{
    const char *group;
    rd_kafka_topic_partition_list_t *partitions;
    if (read_group_and_partitions(call, &group, &partitions) < 0) {
        return -1;
    }
    void *item = rd_kafka_DeleteConsumerGroupOffsets_new(group, partitions);
    rd_kafka_topic_partition_list_destroy(partitions);
    return admin_read_one(call, item, destroy_delete_offsets);
}

/* ---- sending ---- */

static void
send_list(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_ListConsumerGroups(call->rk, call->options, queue);
}

static void
send_describe(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DescribeConsumerGroups(call->rk, (const char **)call->items, call->count,
                                    call->options, queue);
}

static void
send_delete(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DeleteGroups(call->rk, (rd_kafka_DeleteGroup_t **)call->items, call->count,
                          call->options, queue);
}

static void
send_list_offsets(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_ListConsumerGroupOffsets(call->rk,
                                      (rd_kafka_ListConsumerGroupOffsets_t **)call->items,
                                      call->count, call->options, queue);
}

static void
send_alter_offsets(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_AlterConsumerGroupOffsets(call->rk,
                                       (rd_kafka_AlterConsumerGroupOffsets_t **)call->items,
                                       call->count, call->options, queue);
}

static void
send_delete_offsets(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DeleteConsumerGroupOffsets(call->rk,
                                        (rd_kafka_DeleteConsumerGroupOffsets_t **)call->items,
                                        call->count, call->options, queue);
}

/* ---- listings ---- */

/* (group id, is simple, state, type) */
static PyObject *
listing_from(module_state *Py_UNUSED(state), const void *item)
{
    const rd_kafka_ConsumerGroupListing_t *group = item;
    return Py_BuildValue(
        "NNii", text_from(rd_kafka_ConsumerGroupListing_group_id(group)),
        PyBool_FromLong(rd_kafka_ConsumerGroupListing_is_simple_consumer_group(group)),
        (int)rd_kafka_ConsumerGroupListing_state(group),
        (int)rd_kafka_ConsumerGroupListing_type(group));
}

static PyObject *
error_from(module_state *state, const void *error)
{
    return admin_error_from(state, error);
}

/* (groups, errors): if a broker does not answer, only its own groups are missing. */
static PyObject *
listed(module_state *state, rd_kafka_event_t *event)
{
    const rd_kafka_ListConsumerGroups_result_t *result =
        rd_kafka_event_ListConsumerGroups_result(event);
    size_t group_count, error_count;
    const rd_kafka_ConsumerGroupListing_t **groups =
        rd_kafka_ListConsumerGroups_result_valid(result, &group_count);
    const rd_kafka_error_t **errors =
        rd_kafka_ListConsumerGroups_result_errors(result, &error_count);
    return Py_BuildValue("NN", admin_list_from(state, groups, group_count, listing_from),
                         admin_list_from(state, errors, error_count, error_from));
}

/* ---- descriptions ---- */

/* A list of TopicPartition, or None. */
static PyObject *
assignment_from(module_state *state, const rd_kafka_MemberAssignment_t *assignment)
{
    if (assignment == NULL) {
        Py_RETURN_NONE;
    }
    return topic_partitions_from(state, rd_kafka_MemberAssignment_partitions(assignment));
}

/* (member id, client id, host, assignment, group instance id, target assignment) */
static PyObject *
member_from(module_state *state, const rd_kafka_MemberDescription_t *member)
{
    return Py_BuildValue(
        "NNNNNN", text_from(rd_kafka_MemberDescription_consumer_id(member)),
        text_from(rd_kafka_MemberDescription_client_id(member)),
        text_from(rd_kafka_MemberDescription_host(member)),
        assignment_from(state, rd_kafka_MemberDescription_assignment(member)),
        text_from(rd_kafka_MemberDescription_group_instance_id(member)),
        assignment_from(state, rd_kafka_MemberDescription_target_assignment(member)));
}

typedef struct {
    module_state *state;
    const rd_kafka_ConsumerGroupDescription_t *group;
} described_group;

static PyObject *
member_of(const void *from, size_t i)
{
    const described_group *described = from;
    return member_from(described->state,
                       rd_kafka_ConsumerGroupDescription_member(described->group, i));
}

static PyObject *
members_from(module_state *state, const rd_kafka_ConsumerGroupDescription_t *group)
{
    described_group from = {state, group};
    return list_of(rd_kafka_ConsumerGroupDescription_member_count(group), member_of, &from);
}

/* (group id, error, is simple, members, assignor, state, coordinator, operations, type) */
static PyObject *
description_from(module_state *state, const void *item)
{
    const rd_kafka_ConsumerGroupDescription_t *group = item;
    size_t operation_count;
    const rd_kafka_AclOperation_t *operations =
        rd_kafka_ConsumerGroupDescription_authorized_operations(group, &operation_count);
    return Py_BuildValue(
        "NNNNNiNNi", text_from(rd_kafka_ConsumerGroupDescription_group_id(group)),
        admin_error_from(state, rd_kafka_ConsumerGroupDescription_error(group)),
        PyBool_FromLong(rd_kafka_ConsumerGroupDescription_is_simple_consumer_group(group)),
        members_from(state, group),
        text_from(rd_kafka_ConsumerGroupDescription_partition_assignor(group)),
        (int)rd_kafka_ConsumerGroupDescription_state(group),
        admin_node_from(state, rd_kafka_ConsumerGroupDescription_coordinator(group)),
        admin_operations_from(operations, operation_count),
        (int)rd_kafka_ConsumerGroupDescription_type(group));
}

static PyObject *
described(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_ConsumerGroupDescription_t **groups =
        rd_kafka_DescribeConsumerGroups_result_groups(
            rd_kafka_event_DescribeConsumerGroups_result(event), &count);
    return admin_list_from(state, groups, count, description_from);
}

/* ---- results: a list of (group id, error, partitions) ---- */

static PyObject *
group_result_from(module_state *state, const void *item)
{
    const rd_kafka_group_result_t *result = item;
    return Py_BuildValue(
        "NNN", text_from(rd_kafka_group_result_name(result)),
        admin_error_from(state, rd_kafka_group_result_error(result)),
        topic_partitions_from(state, rd_kafka_group_result_partitions(result)));
}

static PyObject *
deleted(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_group_result_t **groups =
        rd_kafka_DeleteGroups_result_groups(rd_kafka_event_DeleteGroups_result(event), &count);
    return admin_list_from(state, groups, count, group_result_from);
}

static PyObject *
listed_offsets(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_group_result_t **groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
        rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
    return admin_list_from(state, groups, count, group_result_from);
}

static PyObject *
altered_offsets(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_group_result_t **groups = rd_kafka_AlterConsumerGroupOffsets_result_groups(
        rd_kafka_event_AlterConsumerGroupOffsets_result(event), &count);
    return admin_list_from(state, groups, count, group_result_from);
}

static PyObject *
deleted_offsets(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_group_result_t **groups = rd_kafka_DeleteConsumerGroupOffsets_result_groups(
        rd_kafka_event_DeleteConsumerGroupOffsets_result(event), &count);
    return admin_list_from(state, groups, count, group_result_from);
}

const admin_request admin_group_requests[] = {
    {"list_consumer_groups", RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS,
     RD_KAFKA_EVENT_LISTCONSUMERGROUPS_RESULT, admin_read_nothing, send_list, listed},
    {"describe_consumer_groups", RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS,
     RD_KAFKA_EVENT_DESCRIBECONSUMERGROUPS_RESULT, admin_read_texts, send_describe, described},
    {"delete_consumer_groups", RD_KAFKA_ADMIN_OP_DELETEGROUPS,
     RD_KAFKA_EVENT_DELETEGROUPS_RESULT, read_delete_groups, send_delete, deleted},
    {"list_consumer_group_offsets", RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS,
     RD_KAFKA_EVENT_LISTCONSUMERGROUPOFFSETS_RESULT, read_list_offsets, send_list_offsets,
     listed_offsets},
    {"alter_consumer_group_offsets", RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS,
     RD_KAFKA_EVENT_ALTERCONSUMERGROUPOFFSETS_RESULT, read_alter_offsets, send_alter_offsets,
     altered_offsets},
    {"delete_consumer_group_offsets", RD_KAFKA_ADMIN_OP_DELETECONSUMERGROUPOFFSETS,
     RD_KAFKA_EVENT_DELETECONSUMERGROUPOFFSETS_RESULT, read_delete_offsets,
     send_delete_offsets, deleted_offsets},
    {0},
};

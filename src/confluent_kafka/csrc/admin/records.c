/*
 * Requests about partitions: delete records, list offsets, elect leaders.
 */
#include "admin/admin.h"

#include "values/topic_partition.h"

/* ---- arguments ---- */

static void
destroy_delete_records(void *item)
{
    rd_kafka_DeleteRecords_destroy(item);
}

static int
read_delete_records(admin_call *call)
{
    rd_kafka_topic_partition_list_t *offsets =
        topic_partitions_to_c(call->state, call->argument, "topic_partition_offsets");
    if (offsets == NULL) {
        return -1;
    }
    void *item = rd_kafka_DeleteRecords_new(offsets);
    rd_kafka_topic_partition_list_destroy(offsets);
    return admin_read_one(call, item, destroy_delete_records);
}

/* TopicPartitions whose offsets are OffsetSpecs. */
static int
read_offset_specs(admin_call *call)
{
    return admin_read_one(
        call, topic_partitions_to_c(call->state, call->argument, "topic_partition_offsets"),
        admin_destroy_partitions);
}

static void
destroy_elect_leaders(void *item)
{
    rd_kafka_ElectLeaders_destroy(item);
}

/* (election type, partitions or None for all). */
static int
read_elect_leaders(admin_call *call)
{
    PyObject *argument = call->argument;
    int32_t type;
    if (!PyTuple_Check(argument) || PyTuple_GET_SIZE(argument) != 2) {
        PyErr_SetString(PyExc_TypeError, "the argument must be a tuple (type, partitions)");
        return -1;
    }
    if (arg_int32(PyTuple_GET_ITEM(argument, 0), "election_type",
                  RD_KAFKA_ELECTION_TYPE_PREFERRED, RD_KAFKA_ELECTION_TYPE_UNCLEAN, &type)
        < 0) {
        return -1;
    }
    rd_kafka_topic_partition_list_t *partitions = NULL;
    PyObject *given = PyTuple_GET_ITEM(argument, 1);
    if (given != Py_None) {
        partitions = topic_partitions_to_c(call->state, given, "partitions");
        if (partitions == NULL) {
            return -1;
        }
    }
    void *item = rd_kafka_ElectLeaders_new((rd_kafka_ElectionType_t)type, partitions);
    if (partitions != NULL) {
        rd_kafka_topic_partition_list_destroy(partitions);
    }
    return admin_read_one(call, item, destroy_elect_leaders);
}

/* ---- sending ---- */

static void
send_delete_records(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DeleteRecords(call->rk, (rd_kafka_DeleteRecords_t **)call->items, call->count,
                           call->options, queue);
}

static void
send_list_offsets(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_ListOffsets(call->rk, call->items[0], call->options, queue);
}

static void
send_elect_leaders(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_ElectLeaders(call->rk, call->items[0], call->options, queue);
}

/* ---- answers ---- */

/* TopicPartitions with the low watermark as the offset, each with its error. */
static PyObject *
deleted_records(module_state *state, rd_kafka_event_t *event)
{
    return topic_partitions_from(
        state, rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event)));
}

/* (TopicPartition, timestamp) */
static PyObject *
offset_from(module_state *state, const void *item)
{
    const rd_kafka_ListOffsetsResultInfo_t *info = item;
    return Py_BuildValue(
        "NL",
        topic_partition_from(state, rd_kafka_ListOffsetsResultInfo_topic_partition(info)),
        (long long)rd_kafka_ListOffsetsResultInfo_timestamp(info));
}

static PyObject *
listed_offsets(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_ListOffsetsResultInfo_t **infos =
        rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event), &count);
    return admin_list_from(state, infos, count, offset_from);
}

/* (TopicPartition, error) */
static PyObject *
election_from(module_state *state, const void *item)
{
    const rd_kafka_topic_partition_result_t *result = item;
    return Py_BuildValue(
        "NN", topic_partition_from(state, rd_kafka_topic_partition_result_partition(result)),
        admin_error_from(state, rd_kafka_topic_partition_result_error(result)));
}

static PyObject *
elected_leaders(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_topic_partition_result_t **results = rd_kafka_ElectLeaders_result_partitions(
        rd_kafka_event_ElectLeaders_result(event), &count);
    return admin_list_from(state, results, count, election_from);
}

const admin_request admin_record_requests[] = {
    {"delete_records", RD_KAFKA_ADMIN_OP_DELETERECORDS, RD_KAFKA_EVENT_DELETERECORDS_RESULT,
     read_delete_records, send_delete_records, deleted_records},
    {"list_offsets", RD_KAFKA_ADMIN_OP_LISTOFFSETS, RD_KAFKA_EVENT_LISTOFFSETS_RESULT,
     read_offset_specs, send_list_offsets, listed_offsets},
    {"elect_leaders", RD_KAFKA_ADMIN_OP_ELECTLEADERS, RD_KAFKA_EVENT_ELECTLEADERS_RESULT,
     read_elect_leaders, send_elect_leaders, elected_leaders},
    {0},
};

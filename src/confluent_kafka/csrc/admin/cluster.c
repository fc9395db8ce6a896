/*
 * Requests about the cluster.
 */
#include "admin/admin.h"

#include "base/text.h"

static void
send_describe(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DescribeCluster(call->rk, call->options, queue);
}

/* (cluster id, controller, nodes, operations) */
static PyObject *
described(module_state *state, rd_kafka_event_t *event)
{
    const rd_kafka_DescribeCluster_result_t *result =
        rd_kafka_event_DescribeCluster_result(event);
    size_t node_count, operation_count;
    const rd_kafka_Node_t **nodes = rd_kafka_DescribeCluster_result_nodes(result, &node_count);
    const rd_kafka_AclOperation_t *operations =
        rd_kafka_DescribeCluster_result_authorized_operations(result, &operation_count);
    return Py_BuildValue(
        "NNNN", text_from(rd_kafka_DescribeCluster_result_cluster_id(result)),
        admin_node_from(state, rd_kafka_DescribeCluster_result_controller(result)),
        admin_list_from(state, nodes, node_count, admin_node_from),
        admin_operations_from(operations, operation_count));
}

const admin_request admin_cluster_requests[] = {
    {"describe_cluster", RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER,
     RD_KAFKA_EVENT_DESCRIBECLUSTER_RESULT, admin_read_nothing, send_describe, described},
    {0},
};

/*
 * Requests about access control lists: create, describe, delete.
 *
 * A binding or filter is a tuple (resource type, name, pattern type, principal, host, operation,
 * permission type). In a filter, name, principal and host may be None.
 */
#include "admin/admin.h"

#include "base/text.h"

typedef struct {
    int32_t type, pattern, operation, permission;
    const char *name, *principal, *host;
} acl_fields;

/* Reads a str; in a filter also None, which gives NULL. */
static int
read_text(PyObject *value, const char *name, bool filter, const char **text)
{
    *text = NULL;
    if (value == Py_None && filter) {
        return 0;
    }
    *text = arg_utf8(value, name, NULL);
    return *text == NULL ? -1 : 0;
}

static int
read_fields(PyObject *item, bool filter, acl_fields *fields)
{
    if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 7) {
        PyErr_SetString(PyExc_TypeError, "each ACL must be a tuple of 7");
        return -1;
    }
    if (arg_int32(PyTuple_GET_ITEM(item, 0), "restype", 0, RD_KAFKA_RESOURCE__CNT - 1,
                  &fields->type) < 0
        || read_text(PyTuple_GET_ITEM(item, 1), "name", filter, &fields->name) < 0
        || arg_int32(PyTuple_GET_ITEM(item, 2), "resource_pattern_type", 0,
                     RD_KAFKA_RESOURCE_PATTERN_TYPE__CNT - 1, &fields->pattern) < 0
        || read_text(PyTuple_GET_ITEM(item, 3), "principal", filter, &fields->principal) < 0
        || read_text(PyTuple_GET_ITEM(item, 4), "host", filter, &fields->host) < 0
        || arg_int32(PyTuple_GET_ITEM(item, 5), "operation", 0, RD_KAFKA_ACL_OPERATION__CNT - 1,
                     &fields->operation) < 0
        || arg_int32(PyTuple_GET_ITEM(item, 6), "permission_type", 0,
                     RD_KAFKA_ACL_PERMISSION_TYPE__CNT - 1, &fields->permission) < 0) {
        return -1;
    }
    return 0;
}

static void
destroy_acl(void *item)
{
    rd_kafka_AclBinding_destroy(item);
}

static void *
read_binding(admin_call *Py_UNUSED(call), PyObject *item)
{
    char reason[256];
    acl_fields fields;
    if (read_fields(item, false, &fields) < 0) {
        return NULL;
    }
    rd_kafka_AclBinding_t *binding = rd_kafka_AclBinding_new(
        (rd_kafka_ResourceType_t)fields.type, fields.name,
        (rd_kafka_ResourcePatternType_t)fields.pattern, fields.principal, fields.host,
        (rd_kafka_AclOperation_t)fields.operation,
        (rd_kafka_AclPermissionType_t)fields.permission, reason, sizeof(reason));
    if (binding == NULL) {
        PyErr_Format(PyExc_ValueError, "%s: create_acls() does not accept this", reason);
    }
    return binding;
}

static void *
read_filter(admin_call *Py_UNUSED(call), PyObject *item)
{
    char reason[256];
    acl_fields fields;
    if (read_fields(item, true, &fields) < 0) {
        return NULL;
    }
    rd_kafka_AclBindingFilter_t *filter = rd_kafka_AclBindingFilter_new(
        (rd_kafka_ResourceType_t)fields.type, fields.name,
        (rd_kafka_ResourcePatternType_t)fields.pattern, fields.principal, fields.host,
        (rd_kafka_AclOperation_t)fields.operation,
        (rd_kafka_AclPermissionType_t)fields.permission, reason, sizeof(reason));
    if (filter == NULL) {
        PyErr_Format(PyExc_ValueError, "AclBindingFilter: %s", reason);
    }
    return filter;
}

static int
read_bindings(admin_call *call)
{
    return admin_read_items(call, "tuple", read_binding, destroy_acl);
}

static int
read_filters(admin_call *call)
{
    return admin_read_items(call, "tuple", read_filter, destroy_acl);
}

static int
read_one_filter(admin_call *call)
{
    return admin_read_one(call, read_filter(call, call->argument), destroy_acl);
}

/* ---- sending ---- */

static void
send_create(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_CreateAcls(call->rk, (rd_kafka_AclBinding_t **)call->items, call->count,
                        call->options, queue);
}

static void
send_describe(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DescribeAcls(call->rk, call->items[0], call->options, queue);
}

static void
send_delete(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DeleteAcls(call->rk, (rd_kafka_AclBindingFilter_t **)call->items, call->count,
                        call->options, queue);
}

/* ---- answers ---- */

static PyObject *
error_of_result(module_state *state, const void *item)
{
    return admin_error_from(state, rd_kafka_acl_result_error(item));
}

/* A list with the error of each binding, in their order. */
static PyObject *
created(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_acl_result_t **results =
        rd_kafka_CreateAcls_result_acls(rd_kafka_event_CreateAcls_result(event), &count);
    return admin_list_from(state, results, count, error_of_result);
}

/* The seven fields of a binding. */
static PyObject *
acl_from(module_state *Py_UNUSED(state), const void *item)
{
    const rd_kafka_AclBinding_t *acl = item;
    return Py_BuildValue("iNiNNii", (int)rd_kafka_AclBinding_restype(acl),
                         text_from(rd_kafka_AclBinding_name(acl)),
                         (int)rd_kafka_AclBinding_resource_pattern_type(acl),
                         text_from(rd_kafka_AclBinding_principal(acl)),
                         text_from(rd_kafka_AclBinding_host(acl)),
                         (int)rd_kafka_AclBinding_operation(acl),
                         (int)rd_kafka_AclBinding_permission_type(acl));
}

static PyObject *
described(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_AclBinding_t **acls =
        rd_kafka_DescribeAcls_result_acls(rd_kafka_event_DescribeAcls_result(event), &count);
    return admin_list_from(state, acls, count, acl_from);
}

/* (error, bindings) */
static PyObject *
response_from(module_state *state, const void *item)
{
    const rd_kafka_DeleteAcls_result_response_t *response = item;
    size_t count;
    const rd_kafka_AclBinding_t **acls =
        rd_kafka_DeleteAcls_result_response_matching_acls(response, &count);
    return Py_BuildValue(
        "NN", admin_error_from(state, rd_kafka_DeleteAcls_result_response_error(response)),
        admin_list_from(state, acls, count, acl_from));
}

/* A list with the result of each filter, in their order. */
static PyObject *
deleted(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_DeleteAcls_result_response_t **responses =
        rd_kafka_DeleteAcls_result_responses(rd_kafka_event_DeleteAcls_result(event), &count);
    return admin_list_from(state, responses, count, response_from);
}

const admin_request admin_acl_requests[] = {
    {"create_acls", RD_KAFKA_ADMIN_OP_CREATEACLS, RD_KAFKA_EVENT_CREATEACLS_RESULT,
     read_bindings, send_create, created},
    {"describe_acls", RD_KAFKA_ADMIN_OP_DESCRIBEACLS, RD_KAFKA_EVENT_DESCRIBEACLS_RESULT,
     read_one_filter, send_describe, described},
    {"delete_acls", RD_KAFKA_ADMIN_OP_DELETEACLS, RD_KAFKA_EVENT_DELETEACLS_RESULT,
     read_filters, send_delete, deleted},
    {0},
};

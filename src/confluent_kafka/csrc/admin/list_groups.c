/*
 * list_groups(): groups of every kind with their members' data, in librdkafka's older form.
 */
#include "admin/admin.h"
#include "base/text.h"
#include "client/guard.h"
#include "client/request.h"

#include "base/list.h"

static void
free_groups(void *answer)
{
    rd_kafka_group_list_destroy(answer);
}

WITHOUT_GIL static rd_kafka_error_t *
attempt(request *self, int timeout_ms)
{
    if (self->answer != NULL) { /* the answer of an earlier attempt that failed */
        rd_kafka_group_list_destroy(self->answer);
    }
    const struct rd_kafka_group_list *groups = NULL;
    rd_kafka_resp_err_t code = rd_kafka_list_groups(self->rk, self->name, &groups, timeout_ms);
    self->answer = (void *)groups;
    self->free_answer = free_groups;
    /* Some brokers did not answer, but the groups of the others are there. */
    return code == RD_KAFKA_RESP_ERR__PARTIAL ? NULL
                                              : request_error(code, "Failed to list groups");
}

static PyObject *
bytes_from(const void *data, int size)
{
    return PyBytes_FromStringAndSize(data, data == NULL ? 0 : size);
}

static PyObject *
member_from(PyObject *type, const struct rd_kafka_group_member_info *member)
{
    return call_with(
        type, Py_BuildValue(
                  "(NNNNN)", text_from(member->member_id), text_from(member->client_id),
                  text_from(member->client_host),
                  bytes_from(member->member_metadata, member->member_metadata_size),
                  bytes_from(member->member_assignment, member->member_assignment_size)));
}

typedef struct {
    PyObject *type;
    const struct rd_kafka_group_member_info *members;
} member_array;

static PyObject *
member_of(const void *from, size_t i)
{
    const member_array *array = from;
    return member_from(array->type, &array->members[i]);
}

static PyObject *
members_from(const struct rd_kafka_group_info *group)
{
    PyObject *type = import_attribute("confluent_kafka._values.metadata", "GroupMember");
    member_array from = {type, group->members};
    PyObject *members =
        type == NULL ? NULL : list_of((size_t)group->member_cnt, member_of, &from);
    Py_XDECREF(type);
    return members;
}

static PyObject *
broker_from(PyObject *type, const struct rd_kafka_metadata_broker *broker)
{
    return call_with(type, Py_BuildValue("(iNi)", (int)broker->id, text_from(broker->host),
                                         broker->port));
}

static PyObject *
group_from(module_state *state, const struct rd_kafka_group_info *group)
{
    PyObject *type = import_attribute("confluent_kafka._values.metadata", "GroupMetadata");
    PyObject *broker_type = import_attribute("confluent_kafka._values.metadata", "BrokerMetadata");
    PyObject *members = type == NULL || broker_type == NULL ? NULL : members_from(group);
    PyObject *result = NULL;
    if (members != NULL) {
        result = call_with(
            type, Py_BuildValue("(NNNNNNN)", broker_from(broker_type, &group->broker),
                                text_from(group->group),
                                kafka_error_or_none(state, group->err, NULL),
                                text_from(group->state), text_from(group->protocol_type),
                                text_from(group->protocol), members));
    }
    Py_XDECREF(type);
    Py_XDECREF(broker_type);
    return result;
}

typedef struct {
    module_state *state;
    const struct rd_kafka_group_info *groups;
} group_array;

static PyObject *
group_of(const void *from, size_t i)
{
    const group_array *array = from;
    return group_from(array->state, &array->groups[i]);
}

static PyObject *
groups_from(module_state *state, const struct rd_kafka_group_list *groups)
{
    group_array from = {state, groups == NULL ? NULL : groups->groups};
    return list_of(groups == NULL ? 0 : (size_t)groups->group_cnt, group_of, &from);
}

static PyObject *
request_groups(Client *self, const char *group, int timeout_ms)
{
    request *made = request_new(attempt, timeout_ms, group);
    if (made == NULL || request_run(self, made, "list_groups()") < 0) {
        return NULL;
    }
    PyObject *result = groups_from(self->state, made->answer);
    request_end(made);
    return result;
}

const char admin_list_groups_doc[] =
"list_groups($self, /, group=None, timeout=-1)\n--\n\n"
"List groups of every kind, with the bytes that their members sent.\n\n"
"For consumer groups, list_consumer_groups() and describe_consumer_groups() return more.\n\n"
"Args:\n"
"    group (str, optional): only this group; all groups when None.\n"
"    timeout (float): seconds to wait for the brokers; -1 waits without limit.\n\n"
"Returns:\n"
"    list of confluent_kafka.admin.GroupMetadata: If only some brokers answered, the groups of\n"
"    the other brokers are missing.\n\n"
"Raises:\n"
"    KafkaException: _TIMED_OUT or _TRANSPORT: no broker answered; _INTR: after wakeup().\n\n"
"librdkafka: rd_kafka_list_groups().";

SIGNATURE(list_groups_signature, "list_groups()", 0, 2, P_group, P_timeout);

PyObject *
admin_list_groups(PyObject *object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Client *self = (Client *)object;
    PyObject *values[2];
    const char *group = NULL;
    int timeout_ms;
    if (client_args_or(self, HANDLE_CLOSED, &list_groups_signature, args, nargs, kwnames,
                       values) < 0
        || timeout_ms_from_arg(values[1], "timeout", &timeout_ms) < 0) {
        return NULL;
    }
    if (values[0] != NULL && values[0] != Py_None) {
        group = arg_utf8(values[0], "group", NULL);
        if (group == NULL) {
            return NULL;
        }
    }
    if (client_enter_or(self, HANDLE_CLOSED) < 0) {
        return NULL;
    }
    PyObject *result = request_groups(self, group, timeout_ms);
    client_leave(self);
    return result;
}

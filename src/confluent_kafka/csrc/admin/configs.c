/*
 * Requests about configurations: describe, alter, alter incrementally.
 *
 * A resource is a tuple: (type, name) to describe it, (type, name, [(key, value) ...]) to alter it,
 * and (type, name, [(key, operation, value) ...]) to alter it incrementally.
 */
#include "admin/admin.h"

#include "base/text.h"

#include <string.h>

static void
destroy_resource(void *item)
{
    rd_kafka_ConfigResource_destroy(item);
}

/* Item `index` of the tuple `item` as UTF-8; None gives NULL without an exception. */
static int
optional_text(PyObject *item, Py_ssize_t index, const char *name, const char **text)
{
    PyObject *value = PyTuple_GET_ITEM(item, index);
    *text = NULL;
    if (value != Py_None) {
        *text = arg_utf8(value, name, NULL);
    }
    return *text == NULL && value != Py_None ? -1 : 0;
}

static int
add_entry(rd_kafka_ConfigResource_t *resource, PyObject *entry)
{
    if (!PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) != 2) {
        PyErr_SetString(PyExc_TypeError, "each configuration must be a tuple (key, value)");
        return -1;
    }
    PyObject *value = PyTuple_GET_ITEM(entry, 1), *text = NULL;
    const char *key = arg_utf8(PyTuple_GET_ITEM(entry, 0), "a configuration's name", NULL);
    if (key != NULL && value != Py_None) {
        text = arg_value_text(value, "a configuration's value");
    }
    if (key == NULL || (text == NULL && value != Py_None)) {
        return -1;
    }
    rd_kafka_resp_err_t code = rd_kafka_ConfigResource_set_config(
        resource, key, text == NULL ? NULL : PyUnicode_AsUTF8(text));
    Py_XDECREF(text);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        PyErr_Format(PyExc_ValueError, "configuration '%s' is refused", key);
        return -1;
    }
    return 0;
}

static int
add_incremental_entry(rd_kafka_ConfigResource_t *resource, PyObject *entry)
{
    const char *key, *value;
    int32_t operation;
    if (!PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) != 3) {
        PyErr_SetString(PyExc_TypeError,
                        "each configuration must be a tuple (key, operation, value)");
        return -1;
    }
    key = arg_utf8(PyTuple_GET_ITEM(entry, 0), "a configuration's name", NULL);
    if (key == NULL
        || arg_int32(PyTuple_GET_ITEM(entry, 1), "incremental_operation", 0,
                     RD_KAFKA_ALTER_CONFIG_OP_TYPE__CNT - 1, &operation) < 0
        || optional_text(entry, 2, "a configuration's value", &value) < 0) {
        return -1;
    }
    rd_kafka_error_t *error = rd_kafka_ConfigResource_add_incremental_config(
        resource, key, (rd_kafka_AlterConfigOpType_t)operation, value);
    if (error != NULL) {
        PyErr_Format(PyExc_ValueError, "configuration '%s': %s", key,
                     rd_kafka_error_string(error));
        rd_kafka_error_destroy(error);
        return -1;
    }
    return 0;
}

/* If `add` is NULL, the resource has no configurations. */
static void *
read_resource(PyObject *item, int (*add)(rd_kafka_ConfigResource_t *, PyObject *))
{
    Py_ssize_t size = add == NULL ? 2 : 3;
    int32_t type;
    if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != size) {
        PyErr_Format(PyExc_TypeError, "each resource must be a tuple of %zd", size);
        return NULL;
    }
    const char *name = arg_utf8(PyTuple_GET_ITEM(item, 1), "a resource's name", NULL);
    if (name == NULL
        || arg_int32(PyTuple_GET_ITEM(item, 0), "a resource's type", 0,
                     RD_KAFKA_RESOURCE__CNT - 1, &type) < 0
        || (add != NULL
            && arg_list(PyTuple_GET_ITEM(item, 2), "a resource's configurations", "tuple") < 0)) {
        return NULL;
    }
    rd_kafka_ConfigResource_t *resource =
        rd_kafka_ConfigResource_new((rd_kafka_ResourceType_t)type, name);
    if (resource == NULL) {
        PyErr_Format(PyExc_ValueError, "resource '%s' is refused", name);
        return NULL;
    }
    PyObject *entries = add == NULL ? PyTuple_New(0)
                                    : PySequence_Tuple(PyTuple_GET_ITEM(item, 2));
    int status = entries == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; status == 0 && i < PyTuple_GET_SIZE(entries); i++) {
        status = add(resource, PyTuple_GET_ITEM(entries, i));
    }
    Py_XDECREF(entries);
    if (status < 0) {
        rd_kafka_ConfigResource_destroy(resource);
        return NULL;
    }
    return resource;
}

static void *
read_described(admin_call *Py_UNUSED(call), PyObject *item)
{
    return read_resource(item, NULL);
}

static void *
read_altered(admin_call *Py_UNUSED(call), PyObject *item)
{
    return read_resource(item, add_entry);
}

static void *
read_altered_incrementally(admin_call *Py_UNUSED(call), PyObject *item)
{
    return read_resource(item, add_incremental_entry);
}

static int
read_describe(admin_call *call)
{
    return admin_read_items(call, "tuple", read_described, destroy_resource);
}

static int
read_alter(admin_call *call)
{
    return admin_read_items(call, "tuple", read_altered, destroy_resource);
}

static int
read_incremental_alter(admin_call *call)
{
    return admin_read_items(call, "tuple", read_altered_incrementally, destroy_resource);
}

/* ---- sending ---- */

static void
send_describe(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_DescribeConfigs(call->rk, (rd_kafka_ConfigResource_t **)call->items, call->count,
                             call->options, queue);
}

static void
send_alter(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_AlterConfigs(call->rk, (rd_kafka_ConfigResource_t **)call->items, call->count,
                          call->options, queue);
}

static void
send_incremental_alter(const admin_call *call, rd_kafka_queue_t *queue)
{
    rd_kafka_IncrementalAlterConfigs(call->rk, (rd_kafka_ConfigResource_t **)call->items,
                                     call->count, call->options, queue);
}

/* ---- answers ---- */

/* (name, value, source, is read only, is default, is sensitive, is synonym, synonyms) */
static PyObject *
entry_from(module_state *state, const void *item)
{
    const rd_kafka_ConfigEntry_t *entry = item;
    size_t synonym_count;
    const rd_kafka_ConfigEntry_t **synonyms =
        rd_kafka_ConfigEntry_synonyms(entry, &synonym_count);
    return Py_BuildValue("NNiNNNNN", text_from(rd_kafka_ConfigEntry_name(entry)),
                         text_from(rd_kafka_ConfigEntry_value(entry)),
                         (int)rd_kafka_ConfigEntry_source(entry),
                         PyBool_FromLong(rd_kafka_ConfigEntry_is_read_only(entry) > 0),
                         PyBool_FromLong(rd_kafka_ConfigEntry_is_default(entry) > 0),
                         PyBool_FromLong(rd_kafka_ConfigEntry_is_sensitive(entry) > 0),
                         PyBool_FromLong(rd_kafka_ConfigEntry_is_synonym(entry) > 0),
                         admin_list_from(state, synonyms, synonym_count, entry_from));
}

/* (type, name, error, entries) */
static PyObject *
resource_from(module_state *state, const void *item)
{
    const rd_kafka_ConfigResource_t *resource = item;
    size_t entry_count;
    const rd_kafka_ConfigEntry_t **entries =
        rd_kafka_ConfigResource_configs(resource, &entry_count);
    return Py_BuildValue("iNNN", (int)rd_kafka_ConfigResource_type(resource),
                         text_from(rd_kafka_ConfigResource_name(resource)),
                         kafka_error_or_none(state, rd_kafka_ConfigResource_error(resource),
                                             rd_kafka_ConfigResource_error_string(resource)),
                         admin_list_from(state, entries, entry_count, entry_from));
}

static PyObject *
described(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_ConfigResource_t **resources = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event), &count);
    return admin_list_from(state, resources, count, resource_from);
}

static PyObject *
altered(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_ConfigResource_t **resources = rd_kafka_AlterConfigs_result_resources(
        rd_kafka_event_AlterConfigs_result(event), &count);
    return admin_list_from(state, resources, count, resource_from);
}

static PyObject *
altered_incrementally(module_state *state, rd_kafka_event_t *event)
{
    size_t count;
    const rd_kafka_ConfigResource_t **resources =
        rd_kafka_IncrementalAlterConfigs_result_resources(
            rd_kafka_event_IncrementalAlterConfigs_result(event), &count);
    return admin_list_from(state, resources, count, resource_from);
}

const admin_request admin_config_requests[] = {
    {"describe_configs", RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS,
     RD_KAFKA_EVENT_DESCRIBECONFIGS_RESULT, read_describe, send_describe, described},
    {"alter_configs", RD_KAFKA_ADMIN_OP_ALTERCONFIGS, RD_KAFKA_EVENT_ALTERCONFIGS_RESULT,
     read_alter, send_alter, altered},
    {"incremental_alter_configs", RD_KAFKA_ADMIN_OP_INCREMENTALALTERCONFIGS,
     RD_KAFKA_EVENT_INCREMENTALALTERCONFIGS_RESULT, read_incremental_alter,
     send_incremental_alter, altered_incrementally},
    {0},
};

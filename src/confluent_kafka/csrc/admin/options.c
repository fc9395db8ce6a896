/*
 * The options of a request. librdkafka decides which request accepts which option; the signatures
 * in confluent_kafka.admin offer only these.
 */
#include "admin/admin.h"

#include <math.h>
#include <string.h>

/* The maximum that librdkafka accepts for both timeouts. */
#define MAX_TIMEOUT_SECONDS 3600

/* 0, or -1 with a ValueError that has librdkafka's text. */
static int
check_code(rd_kafka_resp_err_t code, const char *reason)
{
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        PyErr_SetString(PyExc_ValueError, reason);
        return -1;
    }
    return 0;
}

static int
check_error(rd_kafka_error_t *error)
{
    if (error == NULL) {
        return 0;
    }
    PyErr_SetString(PyExc_ValueError, rd_kafka_error_string(error));
    rd_kafka_error_destroy(error);
    return -1;
}

static int
timeout_ms_from(PyObject *value, const char *name, int *milliseconds)
{
    double seconds;
    if (arg_double(value, name, &seconds) < 0) {
        return -1;
    }
    if (seconds < 0 || seconds > MAX_TIMEOUT_SECONDS) {
        PyObject *text = short_repr(value);
        if (text != NULL) {
            PyErr_Format(PyExc_ValueError, "%s must be seconds from 0 to %d, not %U", name,
                         MAX_TIMEOUT_SECONDS, text);
            Py_DECREF(text);
        }
        return -1;
    }
    *milliseconds = (int)ceil(seconds * 1000);
    return 0;
}

static int
set_request_timeout(rd_kafka_AdminOptions_t *options, PyObject *value)
{
    char reason[256];
    int milliseconds;
    if (timeout_ms_from(value, "request_timeout", &milliseconds) < 0) {
        return -1;
    }
    return check_code(rd_kafka_AdminOptions_set_request_timeout(options, milliseconds, reason,
                                                                sizeof(reason)),
                      reason);
}

static int
set_operation_timeout(rd_kafka_AdminOptions_t *options, PyObject *value)
{
    char reason[256];
    int milliseconds;
    if (timeout_ms_from(value, "operation_timeout", &milliseconds) < 0) {
        return -1;
    }
    return check_code(rd_kafka_AdminOptions_set_operation_timeout(options, milliseconds,
                                                                  reason, sizeof(reason)),
                      reason);
}

static int
set_validate_only(rd_kafka_AdminOptions_t *options, PyObject *value)
{
    char reason[256];
    bool validate_only;
    if (arg_bool(value, "validate_only", &validate_only) < 0) {
        return -1;
    }
    return check_code(rd_kafka_AdminOptions_set_validate_only(options, validate_only, reason,
                                                              sizeof(reason)),
                      reason);
}

static int
set_broker(rd_kafka_AdminOptions_t *options, PyObject *value)
{
    char reason[256];
    int32_t broker;
    if (arg_int32(value, "broker", 0, INT32_MAX, &broker) < 0) {
        return -1;
    }
    return check_code(
        rd_kafka_AdminOptions_set_broker(options, broker, reason, sizeof(reason)), reason);
}

static int
set_include_authorized_operations(rd_kafka_AdminOptions_t *options, PyObject *value)
{
    bool include;
    if (arg_bool(value, "include_authorized_operations", &include) < 0) {
        return -1;
    }
    return check_error(
        rd_kafka_AdminOptions_set_include_authorized_operations(options, include));
}

static int
set_require_stable(rd_kafka_AdminOptions_t *options, PyObject *value)
{
    bool require_stable;
    if (arg_bool(value, "require_stable", &require_stable) < 0) {
        return -1;
    }
    return check_error(
        rd_kafka_AdminOptions_set_require_stable_offsets(options, require_stable));
}

static int
set_isolation_level(rd_kafka_AdminOptions_t *options, PyObject *value)
{
    int32_t level;
    if (arg_int32(value, "isolation_level", RD_KAFKA_ISOLATION_LEVEL_READ_UNCOMMITTED,
                  RD_KAFKA_ISOLATION_LEVEL_READ_COMMITTED, &level) < 0) {
        return -1;
    }
    return check_error(rd_kafka_AdminOptions_set_isolation_level(
        options, (rd_kafka_IsolationLevel_t)level));
}

/* There are fewer states and types than this, and none may be named twice. */
#define MAX_CHOICES 16

/* Reads at most MAX_CHOICES ints below `limit`; returns their number, or -1. */
static Py_ssize_t
read_choices(PyObject *value, const char *name, int limit, int32_t *choices)
{
    if (arg_list(value, name, "int") < 0) {
        return -1;
    }
    PyObject *items = PySequence_Tuple(value);
    if (items == NULL) {
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(items);
    if (count > MAX_CHOICES) {
        PyErr_Format(PyExc_ValueError, "%s must not name a value twice", name);
        count = -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (arg_int32(PyTuple_GET_ITEM(items, i), name, 0, limit - 1, &choices[i]) < 0) {
            count = -1;
        }
    }
    Py_DECREF(items);
    return count;
}

static int
set_states(rd_kafka_AdminOptions_t *options, PyObject *value)
{
    int32_t choices[MAX_CHOICES];
    rd_kafka_consumer_group_state_t states[MAX_CHOICES];
    Py_ssize_t count =
        read_choices(value, "states", RD_KAFKA_CONSUMER_GROUP_STATE__CNT, choices);
    for (Py_ssize_t i = 0; i < count; i++) {
        states[i] = (rd_kafka_consumer_group_state_t)choices[i];
    }
    return count < 0 ? -1
                     : check_error(rd_kafka_AdminOptions_set_match_consumer_group_states(
                           options, states, (size_t)count));
}

static int
set_types(rd_kafka_AdminOptions_t *options, PyObject *value)
{
    int32_t choices[MAX_CHOICES];
    rd_kafka_consumer_group_type_t types[MAX_CHOICES];
    Py_ssize_t count = read_choices(value, "types", RD_KAFKA_CONSUMER_GROUP_TYPE__CNT, choices);
    for (Py_ssize_t i = 0; i < count; i++) {
        types[i] = (rd_kafka_consumer_group_type_t)choices[i];
    }
    return count < 0 ? -1
                     : check_error(rd_kafka_AdminOptions_set_match_consumer_group_types(
                           options, types, (size_t)count));
}

static const struct {
    const char *name;
    int (*set)(rd_kafka_AdminOptions_t *options, PyObject *value);
} known_options[] = {
    {"request_timeout", set_request_timeout},
    {"operation_timeout", set_operation_timeout},
    {"validate_only", set_validate_only},
    {"broker", set_broker},
    {"include_authorized_operations", set_include_authorized_operations},
    {"require_stable", set_require_stable},
    {"isolation_level", set_isolation_level},
    {"states", set_states},
    {"types", set_types},
};

static int
set_option(rd_kafka_AdminOptions_t *options, PyObject *name, PyObject *value)
{
    const char *text = arg_utf8(name, "a name in options", NULL);
    if (text == NULL) {
        return -1;
    }
    for (size_t i = 0; i < sizeof(known_options) / sizeof(known_options[0]); i++) {
        if (strcmp(known_options[i].name, text) == 0) {
            return known_options[i].set(options, value);
        }
    }
    PyErr_Format(PyExc_ValueError, "options: there is no %R", name);
    return -1;
}

rd_kafka_AdminOptions_t *
admin_options_from(rd_kafka_t *rk, const admin_request *request, PyObject *given)
{
    if (!PyDict_Check(given)) {
        PyErr_Format(PyExc_TypeError, "options must be dict, not %.100s",
                     Py_TYPE(given)->tp_name);
        return NULL;
    }
    PyObject *pairs = PyDict_Items(given); /* the dict may change while values are read */
    if (pairs == NULL) {
        return NULL;
    }
    rd_kafka_AdminOptions_t *options = rd_kafka_AdminOptions_new(rk, request->operation);
    if (options == NULL) {
        PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; options != NULL && i < PyList_GET_SIZE(pairs); i++) {
        PyObject *pair = PyList_GET_ITEM(pairs, i);
        PyObject *value = PyTuple_GET_ITEM(pair, 1);
        if (value != Py_None && set_option(options, PyTuple_GET_ITEM(pair, 0), value) < 0) {
            rd_kafka_AdminOptions_destroy(options);
            options = NULL;
        }
    }
    Py_DECREF(pairs);
    return options;
}

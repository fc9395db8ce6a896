#include "client/config.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "client/duration.h"
#include "client/properties.h"
#include "client/settings.h"

const python_key client_keys[] = {
    {"error_cb", offsetof(Client, callbacks.error_cb), CONFIG_CALLABLE},
    {"throttle_cb", offsetof(Client, callbacks.throttle_cb), CONFIG_CALLABLE},
    {"stats_cb", offsetof(Client, callbacks.stats_cb), CONFIG_CALLABLE},
    {"oauth_cb", offsetof(Client, tokens.oauth_cb), CONFIG_CALLABLE},
    {"logger", offsetof(Client, logs.logger), CONFIG_LOGGER},
    {NULL, 0, CONFIG_CALLABLE},
};

typedef struct {
    Client *client;
    const python_key *own_keys;
    rd_kafka_conf_t *conf;
} reader;

static int
invalid(reader *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    PyObject *text = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    if (text != NULL) {
        raise_kafka_error(self->client->state, RD_KAFKA_RESP_ERR__INVALID_ARG, "%U", text);
        Py_DECREF(text);
    }
    return -1;
}

/* ---- the nearest known key ---- */

static int
append_text(PyObject *list, const char *text)
{
    PyObject *object = PyUnicode_FromString(text);
    int result = object == NULL ? -1 : PyList_Append(list, object);
    Py_XDECREF(object);
    return result;
}

static int
append_python_keys(PyObject *list, const python_key *keys)
{
    for (; keys->key != NULL; keys++) {
        if (append_text(list, keys->key) < 0) {
            return -1;
        }
    }
    return 0;
}

static PyObject *
known_keys(reader *self)
{
    PyObject *list = PyList_New(0);
    if (list != NULL
        && (properties_append_names(list) < 0 || append_python_keys(list, client_keys) < 0
            || append_python_keys(list, self->own_keys) < 0)) {
        Py_CLEAR(list);
    }
    return list;
}

/* The known key that is most similar to `dotted`, or None. */
static PyObject *
nearest_key(reader *self, PyObject *dotted)
{
    PyObject *known = known_keys(self);
    PyObject *nearest = known == NULL ? NULL : nearest_name(dotted, known);
    Py_XDECREF(known);
    return nearest;
}

/* Advice to append to the error for an unknown key, possibly empty: new reference or NULL. */
static PyObject *
advice_on_key(reader *self, PyObject *key)
{
    /* Other clients and keyword arguments spell keys with underscores instead of dots. */
    PyObject *dotted = PyObject_CallMethod(key, "replace", "ss", "_", ".");
    const char *name = dotted == NULL ? NULL : PyUnicode_AsUTF8(dotted);
    PyObject *advice = NULL, *nearest = NULL;
    const char *here = name == NULL ? NULL : property_elsewhere(name);
    if (here != NULL) {
        advice = PyUnicode_FromFormat(" (%s)", here);
    }
    else if (name != NULL) {
        nearest = nearest_key(self, dotted);
        advice = nearest == NULL      ? NULL
                 : nearest == Py_None ? PyUnicode_FromString("")
                                      : PyUnicode_FromFormat(" (did you mean '%U'?)", nearest);
    }
    Py_XDECREF(nearest);
    Py_XDECREF(dotted);
    return advice;
}

static int
unknown_key(reader *self, PyObject *key)
{
    PyObject *advice = advice_on_key(self, key);
    if (advice != NULL) {
        invalid(self, "No such configuration property: \"%U\"%U", key, advice);
        Py_DECREF(advice);
    }
    return -1;
}

/* ---- values ---- */

/*
 * A hook for librdkafka's own unit tests. librdkafka takes it as a string and would call the
 * string as a function.
 */
#define UNIT_TEST_HOOK "ut_handle_ProduceResponse"

#define OFFSET_RESET "auto.offset.reset"
#define BY_DURATION "by_duration"

/* Returns the text that completes the list of allowed values from librdkafka's table. */
static const char *
more_values(const char *name, const char *range)
{
    if (strcmp(name, "acks") == 0 || strcmp(name, "request.required.acks") == 0) {
        return ", all";
    }
    const char *last = strrchr(range, ' ');
    return last != NULL && strcmp(last + 1, BY_DURATION) == 0 ? ":PT1H" : "";
}

static PyObject *
allowed_values(const char *name)
{
    PyObject *range = property_range(name);
    if (range == NULL || range == Py_None) {
        Py_XDECREF(range);
        return range == NULL ? NULL : PyUnicode_FromString("");
    }
    const char *text = PyUnicode_AsUTF8(range);
    PyObject *allowed = text == NULL ? NULL
                                     : PyUnicode_FromFormat(" (allowed: %s%s)", text,
                                                            more_values(name, text));
    Py_DECREF(range);
    return allowed;
}

/*
 * Raises librdkafka's reason. The reason may name the property by an alias, which is replaced by
 * the user's own spelling. The allowed values are appended.
 */
static int
refused(reader *self, PyObject *key, const char *name, char *reason)
{
    reason[strcspn(reason, "\n")] = '\0';
    PyObject *allowed = allowed_values(name);
    if (allowed == NULL) {
        return -1;
    }
    char *quoted = strstr(reason, "onfiguration property \"");
    char *end = NULL;
    if (quoted != NULL) {
        quoted = strchr(quoted, '"') + 1;
        end = strchr(quoted, '"');
    }
    if (end != NULL) {
        *quoted = '\0';
        /* %s, because the quoted value may end in the middle of a character. */
        invalid(self, "%s%U%s%U", reason, key, end, allowed);
    }
    else if (strstr(reason, name) != NULL) {
        invalid(self, "%s%U", reason, allowed);
    }
    else {
        invalid(self, "Configuration property \"%U\": %s%U", key, reason, allowed);
    }
    Py_DECREF(allowed);
    return -1;
}

/*
 * librdkafka parses the beginning of a text as an integer and keeps 32 bits of it, so that
 * "1.5", "5 minutes" and 2**33 would become other numbers. (A property that is a text keeps the
 * text unchanged, and a property with named values returns a name.)
 */
static int
check_number(reader *self, PyObject *key, const char *name, const char *setting)
{
    char kept[32];
    size_t size = sizeof(kept);
    char *end, *end_of_kept;
    double given = strtod(setting, &end);
    if (end == setting
        || rd_kafka_conf_get(self->conf, name, kept, &size) != RD_KAFKA_CONF_OK
        || size > sizeof(kept)) {
        return 0; /* it does not fit into `kept`: a text, such as a password, and not a number */
    }
    long long number = strtoll(kept, &end_of_kept, 10);
    bool is_integer = *end_of_kept == '\0' && number >= INT32_MIN && number <= INT32_MAX;
    end += strspn(end, " \t\r\n");
    if (!is_integer || strcmp(kept, setting) == 0
        || (*end == '\0' && given == (double)number)) {
        return 0;
    }
    return invalid(self,
                   "Invalid value \"%s\" for configuration property \"%U\": it must be an "
                   "integer of 32 bits (librdkafka would take it for %s)",
                   setting, key, kept);
}

/* A `setting` of NULL means the default. */
static int
set_text(reader *self, PyObject *key, const char *name, const char *setting)
{
    char reason[512];
    rd_kafka_conf_res_t result = RD_KAFKA_CONF_UNKNOWN;
    if (strcmp(name, UNIT_TEST_HOOK) != 0) {
        result = rd_kafka_conf_set(self->conf, name, setting, reason, sizeof(reason));
    }
    if (result == RD_KAFKA_CONF_UNKNOWN) {
        return unknown_key(self, key);
    }
    if (setting == NULL) {
        return 0; /* librdkafka refuses NULL for most properties, which keep their default then */
    }
    return result == RD_KAFKA_CONF_OK ? check_number(self, key, name, setting)
                                      : refused(self, key, name, reason);
}

/*
 * Kafka writes the duration of KIP-1106 into the value: "by_duration:PT1H". In librdkafka,
 * our patch reset-duration adds a property of its own for the duration.
 */
static int
set_offset_reset(reader *self, PyObject *key, const char *setting)
{
    const char *duration = setting + strlen(BY_DURATION);
    double ms = *duration == ':' ? duration_ms(duration + 1) : -1;
    if (ms < 0) {
        return invalid(self,
                       "Invalid value \"%s\" for configuration property \"%U\": by_duration "
                       "needs a colon and a duration of ISO 8601, such as by_duration:PT1H",
                       setting, key);
    }
    char text[32];
    snprintf(text, sizeof(text), "%.0f", ms);
    char reason[512];
    if (rd_kafka_conf_set(self->conf, OFFSET_RESET ".duration.ms", text, reason, sizeof(reason))
        != RD_KAFKA_CONF_OK) {
        return invalid(self,
                       "Configuration property \"%U\" cannot be \"%s\": this librdkafka lacks "
                       "the patch reset-duration",
                       key, setting);
    }
    return set_text(self, key, OFFSET_RESET, BY_DURATION);
}

/* The text for librdkafka of a Python value; new reference, NULL with an exception. */
static PyObject *
value_text(reader *self, PyObject *key, PyObject *value)
{
    if (PyBool_Check(value)) {
        return PyUnicode_FromString(value == Py_True ? "true" : "false");
    }
    if (PyFloat_Check(value)) {
        double number = PyFloat_AS_DOUBLE(value);
        if (!isfinite(number)) {
            invalid(self, "Invalid value %R for configuration property \"%U\"", value, key);
            return NULL;
        }
        /* A float such as 6000.0 for an integer property: librdkafka only reads "6000". */
        if (number == floor(number) && fabs(number) < 1e15) {
            return PyUnicode_FromFormat("%lld", (long long)number);
        }
        return PyObject_Str(value);
    }
    PyObject *text = text_of_value(value);
    if (text != Py_None) {
        return text;
    }
    /* It is more likely a callback under a wrong name than a value for a property. */
    if (set_text(self, key, PyUnicode_AsUTF8(key), NULL) == 0) {
        invalid(self,
                "Configuration property \"%U\" must be str, int, float, bool or None, "
                "not %.100s",
                key, Py_TYPE(value)->tp_name);
    }
    Py_DECREF(text);
    return NULL;
}

static int
set_property(reader *self, PyObject *key, PyObject *value)
{
    const char *name = PyUnicode_AsUTF8(key);
    if (value == Py_None) {
        return set_text(self, key, name, NULL);
    }
    const char *here = name == NULL ? NULL : property_of_c(name);
    if (here != NULL) {
        return invalid(self, "Configuration property \"%U\" is for programs in C (%s)", key,
                       here);
    }
    PyObject *text = value_text(self, key, value);
    if (text == NULL) {
        return -1;
    }
    const char *setting = arg_utf8(text, name, NULL);
    int result;
    if (setting != NULL && strcmp(name, OFFSET_RESET) == 0
        && strncmp(setting, BY_DURATION, strlen(BY_DURATION)) == 0) {
        result = set_offset_reset(self, key, setting);
    }
    else if (setting != NULL) {
        result = set_text(self, key, name, setting);
    }
    else {
        PyErr_Clear();
        result = invalid(self,
                         "The value of configuration property \"%U\" is not valid text: it "
                         "has a NUL or a lone surrogate",
                         key);
    }
    Py_DECREF(text);
    return result;
}

/* The field of the client that a key sets, unless the key is a bool. */
static PyObject **
python_field(Client *client, const python_key *entry)
{
    return (PyObject **)((char *)client + entry->offset);
}

/* Raises confluent-kafka's errors, which programs match: -1 with an exception. */
static int
refuse_callback(reader *self, const python_key *entry, PyObject *value)
{
    const char *given = Py_TYPE(value)->tp_name;
    if (entry->kind == CONFIG_OWN_CALLABLE) {
        return invalid(self, "%s requires a callable object or None, not %.100s", entry->key,
                       given);
    }
    PyErr_Format(PyExc_TypeError,
                 "expected %s property as a callable function or None, not %.100s", entry->key,
                 given);
    return -1;
}

static int
set_callable(reader *self, const python_key *entry, PyObject *value)
{
    if (value != Py_None && !PyCallable_Check(value)) {
        return refuse_callback(self, entry, value);
    }
    Py_XSETREF(*python_field(self->client, entry), value == Py_None ? NULL : Py_NewRef(value));
    return 0;
}

/* Makes a Logger for the client whose only handler is the given logging.Handler. */
static PyObject *
logger_for_handler(PyObject *handler)
{
    PyObject *logger_type = import_attribute("logging", "Logger");
    PyObject *logger =
        logger_type == NULL ? NULL : PyObject_CallFunction(logger_type, "s", "confluent_kafka");
    PyObject *added =
        logger == NULL ? NULL : PyObject_CallMethod(logger, "addHandler", "O", handler);
    Py_XDECREF(logger_type);
    if (added == NULL) {
        Py_CLEAR(logger);
    }
    Py_XDECREF(added);
    return logger;
}

static int
set_logger(reader *self, const python_key *entry, PyObject *value)
{
    PyObject *logger = NULL;
    if (PyObject_HasAttrString(value, "log")) {
        logger = Py_NewRef(value);
    }
    else if (PyObject_HasAttrString(value, "emit")) {
        logger = logger_for_handler(value);
        if (logger == NULL) {
            return -1;
        }
    }
    else if (value != Py_None) {
        return invalid(self,
                       "Configuration property \"logger\" must be a logging.Logger, a "
                       "logging.Handler or None, not %.100s",
                       Py_TYPE(value)->tp_name);
    }
    Py_XSETREF(*python_field(self->client, entry), logger);
    return 0;
}

static int
set_flag(reader *self, const python_key *entry, PyObject *value)
{
    bool *field = (bool *)((char *)self->client + entry->offset);
    if (value == Py_None) {
        *field = false;
        return 0;
    }
    static const char *const texts[] = {"false", "true"};
    for (int i = 0; i < 2; i++) {
        if (value == (i ? Py_True : Py_False)
            || (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, texts[i]) == 0)) {
            *field = i;
            return 0;
        }
    }
    return invalid(self, "Configuration property \"%s\" must be True or False, not %R",
                   entry->key, value);
}

static const python_key *
find_python_key(const python_key *keys, PyObject *key)
{
    for (; keys->key != NULL; keys++) {
        if (PyUnicode_CompareWithASCIIString(key, keys->key) == 0) {
            return keys;
        }
    }
    return NULL;
}

static int read_dict(reader *self, PyObject *dict);

static int
read_item(reader *self, PyObject *key, PyObject *value)
{
    if (!PyUnicode_Check(key)) {
        return invalid(self, "Configuration keys must be str, not %.100s: %R",
                       Py_TYPE(key)->tp_name, key);
    }
    if (arg_utf8(key, "key", NULL) == NULL) {
        PyErr_Clear();
        return invalid(self, "Configuration key %A has a NUL or a lone surrogate", key);
    }
    if (PyUnicode_CompareWithASCIIString(key, "default.topic.config") == 0) {
        if (value == Py_None) {
            return 0;
        }
        if (!PyDict_Check(value)) {
            return invalid(self,
                           "Configuration property \"%U\" must be dict or None, not %.100s",
                           key, Py_TYPE(value)->tp_name);
        }
        return read_dict(self, value);
    }
    const python_key *entry = find_python_key(self->own_keys, key);
    if (entry == NULL) {
        entry = find_python_key(client_keys, key);
    }
    if (entry == NULL) {
        return set_property(self, key, value);
    }
    switch (entry->kind) {
    case CONFIG_LOGGER:
        return set_logger(self, entry, value);
    case CONFIG_BOOL:
        return set_flag(self, entry, value);
    default:
        return set_callable(self, entry, value);
    }
}

static int
read_dict(reader *self, PyObject *dict)
{
    PyObject *items = PyDict_Items(dict); /* a copy: reading can run Python code */
    if (items == NULL) {
        return -1;
    }
    int result = Py_EnterRecursiveCall(" while reading the configuration") ? -1 : 0;
    if (result == 0) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items) && result == 0; i++) {
            PyObject *item = PyList_GET_ITEM(items, i);
            result = read_item(self, PyTuple_GET_ITEM(item, 0), PyTuple_GET_ITEM(item, 1));
        }
        Py_LeaveRecursiveCall();
    }
    Py_DECREF(items);
    return result;
}

/* Loads plugins before other properties, because they add configuration properties. */
static int
read_plugins(reader *self, PyObject *dict)
{
    PyObject *key = PyUnicode_FromString("plugin.library.paths");
    if (key == NULL) {
        return -1;
    }
    PyObject *value = PyDict_GetItemWithError(dict, key);
    int result = 0;
    if (value != NULL) {
        result = set_property(self, key, value);
        if (result == 0) {
            result = PyDict_DelItem(dict, key);
        }
    }
    else if (PyErr_Occurred()) {
        result = -1;
    }
    Py_DECREF(key);
    return result;
}

/* Merges config_dict and keywords into one dict, which the caller owns; new reference. */
static PyObject *
merge_arguments(Client *client, PyObject *args, PyObject *kwargs)
{
    Py_ssize_t given = PyTuple_GET_SIZE(args);
    PyObject *config = given == 1 ? PyTuple_GET_ITEM(args, 0) : NULL;
    if (given > 1 || (config != NULL && !PyDict_Check(config))
        || (config == NULL && kwargs == NULL)) {
        PyErr_SetString(PyExc_TypeError, given > 1 ? "expected tuple containing single dict"
                                                   : "expected configuration dict");
        add_note("%s needs its configuration: a dict such as {'bootstrap.servers': "
                 "'localhost:9092'}, or keywords%s%.100s",
                 client_type_name(client), config == NULL ? "" : ", not ",
                 config == NULL ? "" : Py_TYPE(config)->tp_name);
        return NULL;
    }
    PyObject *merged = config == NULL ? PyDict_New() : PyDict_Copy(config);
    if (merged != NULL && kwargs != NULL && PyDict_Update(merged, kwargs) < 0) {
        Py_CLEAR(merged);
    }
    return merged;
}

/* Brokers and librdkafka's log show which client this is (KIP-511). */
static int
set_software_name(reader *self)
{
    char version[128];
    char reason[512];
    PyOS_snprintf(version, sizeof(version), "%s-librdkafka-%s", CONFLUENT_KAFKA_VERSION,
                  rd_kafka_version_str());
    if (rd_kafka_conf_set(self->conf, "client.software.name", "confluent-kafka-python", reason,
                          sizeof(reason)) != RD_KAFKA_CONF_OK
        || rd_kafka_conf_set(self->conf, "client.software.version", version, reason,
                             sizeof(reason)) != RD_KAFKA_CONF_OK) {
        return invalid(self, "%s", reason);
    }
    return 0;
}

static void
forget_python_keys(Client *client, const python_key *keys)
{
    for (; keys->key != NULL; keys++) {
        char *field = (char *)client + keys->offset;
        if (keys->kind == CONFIG_BOOL) {
            *(bool *)field = false;
        }
        else {
            Py_CLEAR(*python_field(client, keys));
        }
    }
}

/* librdkafka accepts aws_iam, but cannot get such a token itself: 0, or -1 with an exception. */
static int
refuse_aws_iam(reader *self)
{
    static const char name[] = "sasl.oauthbearer.metadata.authentication.type";
    char type[32];
    size_t size = sizeof(type);
    if (self->client->tokens.oauth_cb != NULL
        || rd_kafka_conf_get(self->conf, name, type, &size) != RD_KAFKA_CONF_OK
        || strcmp(type, "aws_iam") != 0) {
        return 0;
    }
    return invalid(self,
                   "%s=aws_iam is not supported: give an oauth_cb that returns the AWS token, "
                   "with sasl.mechanism=OAUTHBEARER",
                   name);
}

rd_kafka_conf_t *
config_read(Client *self, PyObject *args, PyObject *kwargs, const python_key *own_keys)
{
    PyObject *merged = merge_arguments(self, args, kwargs);
    if (merged == NULL) {
        return NULL;
    }
    reader reader = {self, own_keys, rd_kafka_conf_new()};
    /* An earlier __init__ may have failed halfway. */
    forget_python_keys(self, client_keys);
    forget_python_keys(self, own_keys);
    if (set_software_name(&reader) < 0 || read_plugins(&reader, merged) < 0
        || read_dict(&reader, merged) < 0 || refuse_aws_iam(&reader) < 0
        || settings_check_brokers(self, reader.conf) < 0) {
        rd_kafka_conf_destroy(reader.conf);
        reader.conf = NULL;
    }
    Py_DECREF(merged);
    return reader.conf;
}

#include "client/properties.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

/* ---- librdkafka's table ---- */

/*
 * Calls `take(name, range, to)` for each property until it returns something other than 0, and
 * returns that. Aliases such as bootstrap.servers, and ranges, are only in librdkafka's printed
 * table, whose rows begin with "name | where | range | ". Printing needs a temporary file; if there
 * is none, there are no rows.
 */
static int
for_each_property(int (*take)(const char *name, char *range, void *to), void *to)
{
    char line[1024];
    bool at_start = true;
    int result = 0;
    FILE *table = tmpfile();
    if (table == NULL) {
        return 0;
    }
    rd_kafka_conf_properties_show(table);
    rewind(table);
    while (result == 0 && fgets(line, sizeof(line), table) != NULL) {
        char *where = islower((unsigned char)line[0]) ? strstr(line, " | ") : NULL;
        bool is_row = at_start && where != NULL;
        at_start = strchr(line, '\n') != NULL;
        char *range = is_row ? strstr(where + 3, " | ") : NULL;
        char *end = range == NULL ? NULL : strstr(range + 3, " | ");
        if (end != NULL) {
            line[strcspn(line, " ")] = '\0';
            *end = '\0';
            result = take(line, range + 3, to);
        }
    }
    fclose(table);
    return result;
}

static int
append_name(const char *name, char *Py_UNUSED(range), void *list)
{
    PyObject *object = PyUnicode_FromString(name);
    int result = object == NULL ? -1 : PyList_Append(list, object);
    Py_XDECREF(object);
    return result;
}

int
properties_append_names(PyObject *list)
{
    return for_each_property(append_name, list);
}

typedef struct {
    const char *name;
    PyObject *range;
} range_search;

static int
take_range(const char *name, char *range, void *to)
{
    range_search *search = to;
    if (strcmp(name, search->name) != 0) {
        return 0;
    }
    range += strspn(range, " ");
    size_t size = strlen(range);
    while (size > 0 && range[size - 1] == ' ') {
        size--;
    }
    range[size] = '\0';
    search->range = size == 0 ? Py_NewRef(Py_None) : text_from(range);
    return search->range == NULL ? -1 : 1;
}

PyObject *
property_range(const char *name)
{
    range_search search = {name, NULL};
    int found = for_each_property(take_range, &search);
    return found == 0 ? Py_NewRef(Py_None) : search.range;
}

/* ---- other clients' names ---- */

#define SERIALIZE "a Producer sends bytes: serialize before produce(), or use SerializingProducer"
#define DESERIALIZE                                                                      \
    "a Consumer returns bytes: deserialize what poll() returned, or use DeserializingConsumer"

typedef struct {
    const char *name, *here;
} renamed;

static const char *
find_renamed(const renamed *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, table[i].name) == 0) {
            return table[i].here;
        }
    }
    return NULL;
}

#define FIND_RENAMED(table, name) find_renamed(table, sizeof(table) / sizeof((table)[0]), name)

#define ON_DELIVERY "use produce(on_delivery=)"
#define NO_SOCKETS "leave it out: librdkafka's sockets cannot be replaced from Python"

const char *
property_of_c(const char *name)
{
    static const renamed of_c[] = {
        {"log_cb", "use 'logger', a logging.Logger"},
        {"rebalance_cb", "use subscribe(on_assign=, on_revoke=, on_lost=)"},
        {"consume_cb", "use poll(), consume(), or a loop over the consumer"},
        {"offset_commit_cb", "use 'on_commit'"},
        {"dr_cb", ON_DELIVERY},
        {"dr_msg_cb", ON_DELIVERY},
        {"background_event_cb", "leave it out: poll() runs the callbacks"},
        {"oauthbearer_token_refresh_cb", "use 'oauth_cb'"},
        {"opaque", "use functools.partial(callback, ...)"},
        {"socket_cb", NO_SOCKETS},
        {"connect_cb", NO_SOCKETS},
        {"closesocket_cb", NO_SOCKETS},
        {"open_cb", NO_SOCKETS},
        {"resolve_cb", NO_SOCKETS},
        {"ssl.certificate.verify_cb", "leave it out: librdkafka verifies certificates"},
        {"default_topic_conf", "put the topic's properties next to the client's properties"},
        {"interceptors", "leave it out: 'plugin.library.paths' loads interceptors"},
    };
    return FIND_RENAMED(of_c, name);
}

const char *
property_elsewhere(const char *name)
{
    static const renamed elsewhere[] = {
        {"key.serializer", SERIALIZE},
        {"value.serializer", SERIALIZE},
        {"key.deserializer", DESERIALIZE},
        {"value.deserializer", DESERIALIZE},
        {"buffer.memory", "use 'queue.buffering.max.kbytes'"},
        {"max.request.size", "use 'message.max.bytes'"},
        {"max.block.ms", "use produce(block=seconds)"},
        {"consumer.timeout.ms", "use the timeout of poll() and consume()"},
        {"ssl.cafile", "use 'ssl.ca.location'"},
        {"ssl.certfile", "use 'ssl.certificate.location'"},
        {"ssl.keyfile", "use 'ssl.key.location'"},
        {"ssl.password", "use 'ssl.key.password'"},
        {"sasl.plain.username", "use 'sasl.username'"},
        {"sasl.plain.password", "use 'sasl.password'"},
        {"api.version", "leave it out: the client asks the brokers"},
    };
    return FIND_RENAMED(elsewhere, name);
}

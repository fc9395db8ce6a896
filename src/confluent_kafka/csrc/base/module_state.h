/*
 * The module's state. It replaces all global variables.
 */
#ifndef CONFLUENT_KAFKA_BASE_MODULE_STATE_H
#define CONFLUENT_KAFKA_BASE_MODULE_STATE_H

#include "base/compat.h"

#include <stdbool.h>
#include <stdint.h>
#include <librdkafka/rdkafka.h>

#include "base/names.h"
#include "base/parameters.h"

/* Every object that the module owns: X(C type, field). NULL if librdkafka is too old for it. */
#define MODULE_OBJECTS(X)                                                                \
    X(PyTypeObject, Client)                                                              \
    X(PyTypeObject, Producer)                                                            \
    X(PyTypeObject, AdminClient)                                                         \
    X(PyTypeObject, AdminAnswers)                                                        \
    X(PyTypeObject, NewTopic)                                                            \
    X(PyTypeObject, NewPartitions)                                                       \
    X(PyTypeObject, Consumer)                                                            \
    X(PyTypeObject, ShareConsumer)                                                       \
    X(PyTypeObject, Message)                                                             \
    X(PyTypeObject, MessageBatch)                                                        \
    X(PyTypeObject, Record)                                                              \
    X(PyTypeObject, RowProgram)                                                          \
    X(PyTypeObject, DecodedRows)                                                         \
    X(PyTypeObject, ColumnBatch)                                                         \
    X(PyTypeObject, PayloadProgram)                                                      \
    X(PyTypeObject, EncodedRows)                                                         \
    X(PyTypeObject, AvroWriter)                                                          \
    X(PyTypeObject, TopicPartition)                                                      \
    X(PyTypeObject, KafkaError)                                                          \
    X(PyTypeObject, Uuid)                                                                \
    X(PyTypeObject, MockCluster)                                                         \
    X(PyTypeObject, MockRequest)                                                         \
    X(PyTypeObject, MockOffers)                                                          \
    X(PyTypeObject, TokenRefresher)                                                      \
    X(PyObject, KafkaException)                                                          \
    X(PyObject, IllegalStateException)                                                   \
    X(PyObject, ConcurrentModificationException)

struct Client;

/*
 * Memory of freed messages for new ones: a consumer makes and frees millions of messages. It is
 * used only if there is a GIL to guard it.
 */
#define FREE_MESSAGES 1024
typedef struct {
    void *messages[FREE_MESSAGES]; /* from PyObject_GC_New(), already deallocated */
    int count; /* FREE_MESSAGES while the module is being cleared, so that nothing is added */
} message_free_list;

/*
 * The headers that were handed out last, each at a place that its name determines: most messages
 * have the same header names as the message before, and often the same values. It is used only
 * if there is a GIL to guard it.
 */
#define KEPT_HEADERS 64
typedef struct {
    PyObject *name; /* ASCII; NULL if the place is free */
    PyObject *pair; /* with the last value, or NULL if that is large */
} kept_header;

/* The message whose headers were read last (values/last_headers.h). Only used with a GIL. */
#define LAST_HEADERS 8
typedef struct {
    struct Message *message;       /* borrowed; NULL if there is none */
    PyObject *pairs[LAST_HEADERS]; /* the items of its list; own references */
    int count;
} last_headers;

/* The pair that timestamp() returned last. Only used with a GIL. */
typedef struct {
    PyObject *pair; /* NULL if there is none */
    int64_t milliseconds;
    int32_t type;
} last_timestamp;

typedef struct {
#define FIELD(ctype, name) ctype *name;
    MODULE_OBJECTS(FIELD)
#undef FIELD
    PyObject *parameters[PARAMETER_COUNT]; /* interned keyword names, see args.h */
    PyObject *names[NAME_COUNT];           /* interned attribute names, see names.h */
    message_free_list free_messages;
    kept_header kept_headers[KEPT_HEADERS];
    last_headers last_headers;
    last_timestamp last_timestamp;
    struct Client *live_clients;           /* linked list, see client.h */
    object_mutex live_clients_mutex;
    _Atomic int warned_of_missing_patches; /* see base/build_info.h */
    _Atomic unsigned long exiting_thread; /* the thread that runs the exit handler, or 0 */
} module_state;

/* The module itself; module.c adds its functions and its types. */
extern struct PyModuleDef cimpl_module;

/* Fills in everything that needs no type: 0, or -1 with an exception. */
int module_state_init(module_state *state);

/* The state of the module that defined `type` or one of its bases; never NULL for our types. */
module_state *module_state_of_type(PyTypeObject *type);

/* Creates the heap type and adds it to the module under its own name; new reference. */
PyTypeObject *module_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base);

/* Adds methods from a further table: PyType_Spec takes only one. 0, or -1. */
int module_add_methods(PyTypeObject *type, PyMethodDef *methods);

/*
 * Attribute `name` of the Python module `module_name`. The module is imported at its first use,
 * so that importing the package stays fast. New reference, or NULL with an exception.
 */
PyObject *import_attribute(const char *module_name, const char *name);
/* Attribute `name`; interned, because a new str each time fills CPython's method cache. */
PyObject *attribute_of(PyObject *object, const char *name);

/*
 * Calls `callable` with a tuple of arguments, which is stolen. If the tuple is NULL, or an
 * exception is set, nothing is called. So calls can be nested: an inner call that failed has set
 * an exception. New reference or NULL.
 */
PyObject *call_with(PyObject *callable, PyObject *arguments);

/* Runs method `method` of `object` on a daemon thread with this name: 0, or -1. */
int start_daemon_thread(PyObject *object, const char *method, const char *name);

#endif

/*
 * The module's state: everything that would otherwise be a global.
 */
#ifndef CONFLUENT_KAFKA_BASE_MODULE_STATE_H
#define CONFLUENT_KAFKA_BASE_MODULE_STATE_H

#include "base/compat.h"

#include <stdbool.h>
#include <stdint.h>
#include <librdkafka/rdkafka.h>

#include "base/names.h"
#include "base/parameters.h"

/* Every object the module owns: X(C type, field). NULL where librdkafka is too old for it. */
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
 * Memory of messages that are gone, for the next ones: a consumer makes and drops millions
 * of them. Only where the GIL guards it.
 */
#define FREE_MESSAGES 1024
typedef struct {
    void *messages[FREE_MESSAGES]; /* of PyObject_GC_New(), their deallocation done */
    int count; /* FREE_MESSAGES once the module is being cleared: nothing is kept then */
} message_free_list;

/*
 * The headers handed out last, each where its name says: most messages have names of the message
 * before, and some of its values, too. Only where the GIL guards them.
 */
#define KEPT_HEADERS 64
typedef struct {
    PyObject *name; /* ASCII; NULL: none */
    PyObject *pair; /* with its last value, or NULL if that is large */
} kept_header;

/* The message whose headers were read last (values/last_headers.h). Only where the GIL guards it. */
#define LAST_HEADERS 8
typedef struct {
    struct Message *message;       /* borrowed; NULL: none */
    PyObject *pairs[LAST_HEADERS]; /* what its list had; own references */
    int count;
} last_headers;

/* The pair that timestamp() gave last. Only where the GIL guards it. */
typedef struct {
    PyObject *pair; /* NULL: none */
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
    _Atomic unsigned long exiting_thread; /* the one that runs the exit handler, or 0 */
} module_state;

/* The module itself; module.c gives it its functions and its types. */
extern struct PyModuleDef cimpl_module;

/* Fills in what needs no type: 0, or -1 with an exception. */
int module_state_init(module_state *state);

/* State of the module that defined `type` or one of its bases; never NULL for our types. */
module_state *module_state_of_type(PyTypeObject *type);

/* Creates the heap type and adds it to the module under its own name; new reference. */
PyTypeObject *module_add_type(PyObject *module, PyType_Spec *spec, PyTypeObject *base);

/* Adds methods from a further table: PyType_Spec takes only one. 0, or -1. */
int module_add_methods(PyTypeObject *type, PyMethodDef *methods);

/*
 * Attribute `name` of Python module `module_name`, imported when first needed so that
 * importing the package stays cheap; new reference or NULL with an exception.
 */
PyObject *import_attribute(const char *module_name, const char *name);
/* Attribute `name`; interned, because a new str each time fills CPython's method cache. */
PyObject *attribute_of(PyObject *object, const char *name);

/*
 * Calls `callable` with a tuple of arguments, which is stolen and may be NULL with an
 * exception. Nor is it called when an exception is set otherwise: where results are
 * arguments of each other some are made after one has failed. New reference or NULL.
 */
PyObject *call_with(PyObject *callable, PyObject *arguments);

/* Runs method `method` of `object` on a daemon thread with this name: 0, or -1. */
int start_daemon_thread(PyObject *object, const char *method, const char *name);

#endif

/*
 * AdminClient: requests to the cluster whose answers arrive later.
 *
 * Each kind of request is one admin_request, which defines how its argument is read, which
 * librdkafka function sends it, and how its answer is converted. All other code is shared: the
 * call frame (type.c), reading arguments (reading.c), the options (options.c) and the thread that
 * waits for answers (answers.c). C only converts values, from and to tuples; the classes that
 * users see are defined in confluent_kafka.admin.
 */
#ifndef CONFLUENT_KAFKA_ADMIN_ADMIN_H
#define CONFLUENT_KAFKA_ADMIN_ADMIN_H

#include "client/client.h"

typedef struct {
    Client client;
    PyObject *answers; /* AdminAnswers; NULL before the first request */
} AdminClient;

int admin_client_type_add(PyObject *module, module_state *state);

/* ---- one request ---- */

struct admin_request;

typedef struct {
    module_state *state;
    const struct admin_request *request;
    PyObject *argument; /* owned; a tuple after admin_read_items() has read it */
    void **items;       /* the list for librdkafka's function */
    size_t count;
    void (*destroy_item)(void *item); /* NULL: the items belong to `argument` */
    rd_kafka_t *rk;
    rd_kafka_AdminOptions_t *options;
} admin_call;

typedef struct admin_request {
    const char *name;
    rd_kafka_admin_op_t operation;
    rd_kafka_event_type_t event; /* the type of the answer's event */
    /* Makes `items` from `argument`: 0, or -1 with a TypeError or ValueError. */
    int (*read)(admin_call *call);
    /* Passes the items to librdkafka, which copies them; called without the GIL, never waits. */
    void (*send)(const admin_call *call, rd_kafka_queue_t *queue);
    /* Converts an answer that has no error; new reference. */
    PyObject *(*result)(module_state *state, rd_kafka_event_t *event);
} admin_request;

/* The tables, one for each topic area. An entry without a name ends a table. */
extern const admin_request admin_topic_requests[], admin_config_requests[],
    admin_acl_requests[], admin_group_requests[], admin_record_requests[],
    admin_scram_requests[], admin_cluster_requests[], admin_raw_requests[];

/* The kind of request with this name (a str), or NULL with an exception. */
const admin_request *admin_request_by_name(PyObject *name);
/* The kind of request that an answer's event belongs to; NULL for other events. */
const admin_request *admin_request_of_event(rd_kafka_event_type_t event);

/*
 * Fills `items` from the sequence `argument`. `read_item` returns one item, or NULL with an
 * exception. Returns 0 or -1.
 */
int admin_read_items(admin_call *call, const char *of_what,
                     void *(*read_item)(admin_call *call, PyObject *item),
                     void (*destroy_item)(void *item));

/* The same for a sequence of str; the items are their UTF-8 texts. */
int admin_read_texts(admin_call *call);

/* Sets the only item of a request about one thing; `item` may be NULL with an exception. */
int admin_read_one(admin_call *call, void *item, void (*destroy_item)(void *item));

/* For a request without an argument (None). */
int admin_read_nothing(admin_call *call);

/* destroy_item for a rd_kafka_topic_partition_list_t. */
void admin_destroy_partitions(void *item);

/* ---- options.c ---- */

/* Reads a dict of options (None: not given); NULL with an exception that names the option. */
rd_kafka_AdminOptions_t *admin_options_from(rd_kafka_t *rk, const admin_request *request,
                                            PyObject *options);

/* ---- answers.c ---- */

int admin_answers_type_add(PyObject *module, module_state *state);

/* Starts a thread that waits for the client's answers; new reference or NULL. */
PyObject *admin_answers_start(Client *client);
/* The same without a thread, for a client whose io_event_enable() was called. */
PyObject *admin_answers_start_polled(Client *client);
/* Serves the answers that have arrived, for such a client. */
void admin_answers_serve(PyObject *answers);
/*
 * Sends the request. Calls `on_answer(result, None)` or `on_answer(None, exception)` once, on the
 * thread of the answers; if that raises MemoryError, it is called again with that error. 0, or -1
 * with an exception if nothing was sent.
 */
int admin_answers_send(PyObject *answers, admin_call *call, PyObject *on_answer);
/*
 * Ends the thread, if there is one; pending requests fail with _DESTROY. Without a thread, and
 * unless the client was `closed`, pending requests are dropped instead. Drops the reference.
 */
void admin_answers_stop(PyObject *answers, bool closed);
Py_ssize_t admin_answers_pending(PyObject *answers);

/* ---- values.c: converting the parts of answers ---- */

/* A list of the converted items for `count` pointers at `array`; new reference. */
PyObject *admin_list_from(module_state *state, const void *array, size_t count,
                          PyObject *(*convert)(module_state *state, const void *item));
/* A KafkaError; None for NULL and for "no error". */
PyObject *admin_error_from(module_state *state, const rd_kafka_error_t *error);
/* (id, host, port, rack), or None for NULL. */
PyObject *admin_node_from(module_state *state, const void *node);
/* A list of int; None if they were not requested. */
PyObject *admin_operations_from(const rd_kafka_AclOperation_t *operations, size_t count);

/* ---- new_topic.c ---- */

int new_topic_types_add(PyObject *module, module_state *state);

/* ---- list_groups.c ---- */

PyObject *admin_list_groups(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);
extern const char admin_list_groups_doc[];

#endif

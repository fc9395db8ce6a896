/*
 * AdminClient: requests to the cluster whose answers come later.
 *
 * Each kind of request is one admin_request: how its argument is read, which librdkafka
 * function sends it, how its answer is converted. All else is written once: the call frame
 * (type.c), its argument (reading.c), the options (options.c) and the thread that waits for
 * answers (answers.c). C converts values only, from and to tuples; the classes that users see
 * are made in confluent_kafka.admin.
 */
#ifndef CONFLUENT_KAFKA_ADMIN_ADMIN_H
#define CONFLUENT_KAFKA_ADMIN_ADMIN_H

#include "client/client.h"

typedef struct {
    Client client;
    PyObject *answers; /* AdminAnswers, from the first request on */
} AdminClient;

int admin_client_type_add(PyObject *module, module_state *state);

/* ---- one request ---- */

struct admin_request;

typedef struct {
    module_state *state;
    const struct admin_request *request;
    PyObject *argument; /* owned; a tuple once admin_read_items() has read it */
    void **items;       /* what librdkafka takes a list of */
    size_t count;
    void (*destroy_item)(void *item); /* NULL: the items belong to `argument` */
    rd_kafka_t *rk;
    rd_kafka_AdminOptions_t *options;
} admin_call;

typedef struct admin_request {
    const char *name;
    rd_kafka_admin_op_t operation;
    rd_kafka_event_type_t event; /* of the answer */
    /* Makes `items` from `argument`: 0, or -1 with a TypeError or ValueError. */
    int (*read)(admin_call *call);
    /* Hands the items to librdkafka, which copies them; without the GIL, never waits. */
    void (*send)(const admin_call *call, rd_kafka_queue_t *queue);
    /* What an answer without an error says; new reference. */
    PyObject *(*result)(module_state *state, rd_kafka_event_t *event);
} admin_request;

/* Ended by an entry without a name; one table for each topic area. */
extern const admin_request admin_topic_requests[], admin_config_requests[],
    admin_acl_requests[], admin_group_requests[], admin_record_requests[],
    admin_scram_requests[], admin_cluster_requests[], admin_raw_requests[];

/* The kind of this name (a str), or NULL with an exception. */
const admin_request *admin_request_by_name(PyObject *name);
/* The request that an answer's event belongs to; NULL for an event of another kind. */
const admin_request *admin_request_of_event(rd_kafka_event_type_t event);

/*
 * Fills `items` from the sequence `argument`: `read_item` returns one, or NULL with an
 * exception. 0 or -1.
 */
int admin_read_items(admin_call *call, const char *of_what,
                     void *(*read_item)(admin_call *call, PyObject *item),
                     void (*destroy_item)(void *item));

/* The same for a sequence of str; the items are their UTF-8. */
int admin_read_texts(admin_call *call);

/* The only item of a request that takes one thing; `item` may be NULL with an exception. */
int admin_read_one(admin_call *call, void *item, void (*destroy_item)(void *item));

/* For a request without an argument (None). */
int admin_read_nothing(admin_call *call);

/* destroy_item for a rd_kafka_topic_partition_list_t. */
void admin_destroy_partitions(void *item);

/* ---- options.c ---- */

/* From a dict of options (None: not given); NULL with an exception that names the option. */
rd_kafka_AdminOptions_t *admin_options_from(rd_kafka_t *rk, const admin_request *request,
                                            PyObject *options);

/* ---- answers.c ---- */

int admin_answers_type_add(PyObject *module, module_state *state);

/* What waits for the client's answers, with a thread of its own; new reference or NULL. */
PyObject *admin_answers_start(Client *client);
/* The same without a thread, for a client whose io_event_enable() has been called. */
PyObject *admin_answers_start_polled(Client *client);
/* Serves the answers that have come to such a client. */
void admin_answers_serve(PyObject *answers);
/*
 * Sends the request and calls `on_answer(result, None)` or `on_answer(None, exception)` once,
 * on the thread of the answers; where that raises MemoryError, once more with it. 0, or -1
 * with an exception when nothing was sent.
 */
int admin_answers_send(PyObject *answers, admin_call *call, PyObject *on_answer);
/*
 * Ends the thread, if there is one; what is not answered fails with _DESTROY. Without a thread,
 * and unless the client was `closed`, it is forgotten instead. Drops the reference.
 */
void admin_answers_stop(PyObject *answers, bool closed);
Py_ssize_t admin_answers_pending(PyObject *answers);

/* ---- values.c: what answers are made of ---- */

/* A list of what `convert` makes of each of `count` pointers at `array`; new reference. */
PyObject *admin_list_from(module_state *state, const void *array, size_t count,
                          PyObject *(*convert)(module_state *state, const void *item));
/* A KafkaError, or None for NULL and for no error. */
PyObject *admin_error_from(module_state *state, const rd_kafka_error_t *error);
/* (id, host, port, rack), or None for NULL. */
PyObject *admin_node_from(module_state *state, const void *node);
/* A list of int; None when librdkafka was not asked for it. */
PyObject *admin_operations_from(const rd_kafka_AclOperation_t *operations, size_t count);

/* ---- new_topic.c ---- */

int new_topic_types_add(PyObject *module, module_state *state);

/* ---- list_groups.c ---- */

PyObject *admin_list_groups(PyObject *self, PyObject *const *args, Py_ssize_t nargs,
                            PyObject *kwnames);
extern const char admin_list_groups_doc[];

#endif

/*
 * MockCluster: a Kafka cluster inside this process, made of librdkafka's mock brokers
 * (rdkafka_mock.h) on real TCP listeners.
 *
 * type.c           the type, and the life of the cluster
 * call.c           the guard, and arguments that several methods have
 * topology.c       topics, partitions and brokers
 * groups.c         coordinators and the timeouts of groups
 * share_groups.c   the timeouts and limits of share groups
 * request_kinds.c  the kinds of requests, by name
 * requests.c       injected errors and protocol versions
 * request_log.c    the log of received requests
 * offers.c         requests that Python answers
 * administration.c the state that administration requests read and change
 * logs.c           logs of partitions that Python writes
 * rules.c          what topics accept
 * transactions.c   the version of the transaction protocol, and markers
 * quotas.c         how much clients may send and read
 * state.c          restores the state of an earlier run
 */
#ifndef CONFLUENT_KAFKA_MOCK_MOCK_H
#define CONFLUENT_KAFKA_MOCK_MOCK_H

#include "base/args.h"

#include <librdkafka/rdkafka_mock.h>

/* Requests that wait for Python (offers.c). */
typedef struct mock_offers mock_offers;

typedef struct {
    PyObject_HEAD
    module_state *state;
    rd_kafka_t *rk;                   /* the brokers' own handle; NULL once closed */
    rd_kafka_mock_cluster_t *cluster; /* NULL once closed */
    PyThread_type_lock lock;          /* one call at a time; held without the GIL */
    PyObject *bootstrap_servers;
    int32_t brokers;                  /* the number of brokers; their ids are 1 to `brokers` */
    bool tracking;                    /* whether the request log is on; guarded by `lock` */
    mock_offers *offers;              /* NULL until Python asks for them; guarded by `lock` */
    long owner_pid;                   /* the process in which the brokers' thread exists */
} MockCluster;

/* What a topic accepts; rules.c explains the fields. */
#ifdef RD_KAFKA_HAS_MOCK_TOPIC_RULES
typedef rd_kafka_mock_topic_rules_t mock_topic_rules;
#else
typedef struct {
    int32_t max_message_bytes;
    int64_t timestamp_before_max_ms, timestamp_after_max_ms;
    int log_append_time, compacted;
} mock_topic_rules;
#endif

/*
 * One call of the mock API with its arguments. `run` is called without the GIL. Texts are borrowed
 * from the Python arguments, which outlive the call.
 */
typedef struct mock_call {
    rd_kafka_resp_err_t (*run)(MockCluster *self, struct mock_call *call);
    const char *topic, *text, *key;
    int32_t partition, broker_id; /* broker_id -1: all brokers; for a leader or follower: none */
    int32_t leader_epoch;
    int64_t low, high, producer_id;
    int milliseconds;
    int16_t api_key;              /* -1: every request kind */
    rd_kafka_resp_err_t *errors;
    size_t count;
    rd_kafka_mock_request_t **requests; /* a result, which the caller destroys */
    void *bytes;                        /* a result or an argument: `count` bytes or items */
    mock_offers *offers;
    const mock_topic_rules *rules;
} mock_call;

/* True if the brokers' thread belongs to another process. */
bool mock_in_forked_child(MockCluster *self);

/*
 * Without the patch mock-on-request, keeps two calls a millisecond apart. If a command reaches the
 * brokers' thread after it has answered the last command and before it empties its wake-up pipe,
 * the command loses its wake-up and waits for the end of that thread's sleep, one second
 * (rd_kafka_mock_cluster_io_poll()).
 */
void mock_let_brokers_settle(MockCluster *self);

/* ---- call.c ---- */

/*
 * The guard and the call: 0 with librdkafka's result in `error`, or -1 with a RuntimeError (the
 * cluster is closed, or this is a forked child).
 */
int mock_cluster_call(MockCluster *self, mock_call *call, rd_kafka_resp_err_t *error);

/* The same for a method: None, or NULL with an exception. */
PyObject *mock_cluster_do(MockCluster *self, mock_call *call);

/* Arguments that several methods have. 0, or -1 with an exception. */
int mock_arg_broker_id(MockCluster *self, PyObject *object, int32_t *result);
int mock_arg_topic(PyObject *object, const char **result);
int mock_arg_milliseconds(PyObject *seconds, const char *name, int *result);
/* A code that a broker can send (KafkaError or int); _TRANSPORT if `or_disconnect`. */
int mock_arg_error(MockCluster *self, PyObject *object, const char *name,
                   bool or_disconnect, rd_kafka_resp_err_t *result);

/* ---- request_kinds.c ---- */

typedef struct {
    const char *name; /* in Kafka's protocol; NULL after the last one */
    int16_t api_key;
    int16_t highest_version; /* the highest version that a new cluster offers */
} mock_request_kind;

extern const mock_request_kind mock_request_kinds[];

/* A request kind by its name, such as "Produce". 0, or -1 with an exception. */
int mock_arg_request(PyObject *object, int16_t *api_key);
/* A request's name in Kafka's protocol; new str. */
PyObject *mock_request_name(int16_t api_key);

/* ---- offers.c ---- */

/* Closes the queue of offers after the brokers have ended; needs no GIL. */
void mock_offers_close(MockCluster *self);
/* Creates the type of the iterator over offers. */
int mock_offers_type_add(PyObject *module, module_state *state);

/* Methods: the functions and docstrings of the other files. */
#if HAVE_SHARE_CONSUMER
#define MOCK_SHARE_METHODS(X)                                                            \
    X(set_share_group_auto_offset_reset)                                                 \
    X(set_share_group_heartbeat_interval)                                                \
    X(set_share_group_record_lock_duration)                                              \
    X(set_share_group_delivery_count_limit)
#else
#define MOCK_SHARE_METHODS(X)
#endif
#define MOCK_METHODS(X)                                                                  \
    X(create_topic)                                                                      \
    X(set_topic_error)                                                                   \
    X(set_leader)                                                                        \
    X(set_follower)                                                                      \
    X(set_follower_watermarks)                                                           \
    X(set_broker_down)                                                                   \
    X(set_broker_up)                                                                     \
    X(set_rack)                                                                          \
    X(set_round_trip_time)                                                               \
    X(set_coordinator)                                                                   \
    X(set_transaction_version)                                                           \
    X(set_group_initial_rebalance_delay)                                                 \
    X(set_group_consumer_heartbeat_interval)                                             \
    X(set_group_consumer_session_timeout)                                                \
    X(inject_errors)                                                                     \
    X(pending_errors)                                                                    \
    X(clear_errors)                                                                      \
    X(set_api_versions)                                                                  \
    X(_answers)                                                                          \
    X(_offer_requests)                                                                   \
    X(_answer)                                                                           \
    X(_records)                                                                          \
    X(_write_records)                                                                    \
    X(_add_partitions)                                                                   \
    X(_delete_topic)                                                                     \
    X(_delete_records)                                                                   \
    X(_delete_group)                                                                     \
    X(_delete_offset)                                                                    \
    X(_set_replicas)                                                                     \
    X(_set_share_offset)                                                                 \
    X(_set_topic_rules)                                                                  \
    X(_write_marker)                                                                     \
    X(_set_client_quota)                                                                 \
    X(_set_cluster_id)                                                                   \
    X(_set_topic_id)                                                                     \
    X(_set_leader_epoch)                                                                 \
    X(_add_aborted)                                                                      \
    X(_commit_offset)                                                                    \
    MOCK_SHARE_METHODS(X)

#define MOCK_METHODS_WITHOUT_ARGUMENTS(X)                                                \
    X(start_request_tracking)                                                            \
    X(stop_request_tracking)                                                             \
    X(requests)                                                                          \
    X(clear_requests)                                                                    \
    X(_offers)                                                                           \
    X(_snapshot)

#define DECLARE(name)                                                                    \
    PyObject *mock_##name(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,    \
                          PyObject *kwnames);                                            \
    extern const char mock_##name##_doc[];
MOCK_METHODS(DECLARE)
#undef DECLARE

#define DECLARE(name)                                                                    \
    PyObject *mock_##name(MockCluster *self, PyObject *unused);                          \
    extern const char mock_##name##_doc[];
MOCK_METHODS_WITHOUT_ARGUMENTS(DECLARE)
#undef DECLARE

/* Adds MockCluster and MockRequest. */
int mock_cluster_type_add(PyObject *module, module_state *state);
/* Adds MockRequest, an entry of the request log. */
int mock_request_type_add(PyObject *module, module_state *state);

#endif

/*
 * Client: what Producer, Consumer, ShareConsumer and AdminClient have in common.
 *
 * A client consists of parts. Each part has its own file, which alone accesses the part's fields
 * and states how threads share them; `make lint` checks that.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CLIENT_H
#define CONFLUENT_KAFKA_CLIENT_CLIENT_H

#include "base/deadline.h"
#include "client/core.h"
#include "client/diagnosis.h"
#include "client/parked.h"
#include "values/error.h"
#include "values/message.h"

#include <string.h>

struct Client;

/* ---- guard.c: which calls may enter ---- */

enum client_phase {
    CLIENT_NEW,     /* __init__ has not begun, or has failed */
    CLIENT_OPENING, /* a thread is inside __init__ */
    CLIENT_OPEN,
    CLIENT_CLOSING, /* only the closing thread and its callbacks may enter */
    CLIENT_CLOSED,
    CLIENT_FORKED,  /* this is a child process: the handle belongs to the parent */
};

typedef struct {
    _Atomic int phase;
    _Atomic uint64_t calls;               /* the sum of call_tag() of all calls in flight */
    _Atomic unsigned long closing_thread; /* the thread that is inside close(), or 0 */
    PyThread_type_lock left; /* released by each call that leaves while the client closes */
    PyObject *misuse;        /* the exception type for calls in a wrong state; a RuntimeError */
} client_guard;

/* ---- signals.c: which threads run signal handlers inside a call ---- */

typedef struct signal_scope {
    unsigned long thread;
    struct signal_scope *previous, *next;
} signal_scope;

typedef struct {
    object_mutex mutex;
    signal_scope *first; /* a list; its items are on the stacks of the threads */
    _Atomic int32_t until_interrupt; /* for tests: checks until Ctrl-C is simulated; 0: never */
} client_signals;

/* ---- serve.c: which thread holds the serving lock ---- */

/*
 * One call that serves callbacks. `released` is the thread state while the call is inside
 * librdkafka without the GIL. A callback takes the GIL back from here and returns it afterwards.
 */
typedef struct serve_frame {
    struct serve_frame *outer; /* a callback may poll the client again */
    PyThreadState *released;
    bool yielded;     /* the call has yielded the lock, and ends without it */
    bool interrupted; /* by wakeup() or close(): nothing in this call waits any more */
    bool waits;       /* the application allows the call to wait */
} serve_frame;

typedef struct {
    _Atomic unsigned long holder; /* the thread that holds the serving lock, or 0 */
    _Atomic int waiters;
    PyThread_type_lock released; /* released with the serving lock if other threads wait for it */
    PyThread_type_lock urgent;   /* held by the thread that gets the serving lock next */
    _Atomic unsigned long urgent_thread; /* that thread, or 0 */
    _Atomic int yield_wanted;    /* that thread asks the holder to yield */
    _Atomic int woken;           /* wakeup() was called and has not ended a wait yet */
    serve_frame *frame;          /* only the holder uses this and the next field */
    Py_ssize_t served;           /* callbacks that ran since the outermost call began */
} client_serving;

/* ---- callbacks.c: the application's callbacks; set before the handle exists ---- */

typedef struct {
    PyObject *error_cb, *throttle_cb, *stats_cb;
} client_callbacks;

/* ---- logs.c: the logger ---- */

typedef struct {
    PyObject *logger; /* NULL: the logger "confluent_kafka", which is looked up when needed */
} client_logs;

/* ---- oauth.c ---- */

typedef struct {
    PyObject *oauth_cb;  /* set before the handle exists */
    PyObject *refresher; /* TokenRefresher from client_open() until it is stopped, or NULL */
} client_tokens;

/* ---- request.c: requests that threads wait for ---- */

struct request;

typedef struct {
    object_mutex mutex;
    struct request *first;
} client_requests;

/* ---- loop.c: the event loop that uses the client; only the loop's thread accesses it ---- */

typedef struct {
    PyObject *is_running;    /* a method of the loop; NULL if no loop has joined */
    PyObject *create_future; /* a callable without arguments */
    PyObject *unclosed;      /* str: the warning for a client that nobody closed */
    uint64_t thread;
    deadline turn; /* when the turn ends, so that other tasks of the loop can run */
} client_loop;

/* ---- registry.c: the list of open clients; guarded by the mutex in the module's state ---- */

typedef struct {
    PyObject *reference; /* a weak reference to the client, from client_open() on */
    struct Client *previous, *next;
} client_registration;

/* The names of a kind of client in errors: confluent-kafka's words, which programs match. */
typedef struct {
    const char *name;               /* "Consumer already initialized" */
    const char *noun;               /* "Failed to create consumer" */
    const char *closed;             /* the error of its methods if it is not open */
    const char *credentials_closed; /* the same for set_sasl_credentials() */
} client_words;

/* The error of methods that need the handle, if the client (of any kind) is not open. */
#define HANDLE_CLOSED "Handle has been closed"

/* What each kind of client provides to the shared code. */
typedef struct {
    rd_kafka_type_t type;
    /* Calls rd_kafka_new() and does what must follow; called without the GIL. */
    rd_kafka_t *(*create)(struct Client *self, rd_kafka_conf_t *conf, char *reason,
                          size_t size);
    /* Raises the error for a configuration that `create` refused; NULL: a KafkaException. */
    void (*raise_refusal)(const char *reason);
    /* Releases everything that refers to the handle, before the handle ends; may be NULL. */
    void (*release)(struct Client *self);
    /*
     * Serves callbacks once, waits up to `timeout_ms`, and keeps everything else that arrives;
     * between serve_begin() and serve_end(). 0, or 1 if it could not serve. Exceptions of
     * callbacks are parked. NULL if other code serves this kind.
     */
    int (*serve)(struct Client *self, int timeout_ms);
    /*
     * Records the errors that wait to be served, while the caller holds the serving lock, and
     * keeps everything else for poll(). For clients whose application has no callbacks for errors.
     * NULL if nothing can be kept.
     */
    void (*note_errors)(struct Client *self);
} client_kind;

typedef struct Client {
    PyObject_HEAD
    module_state *state;
    const client_words *words;
    const client_kind *kind; /* NULL before client_open() */
    client_core *core;
    rd_kafka_t *rk; /* the same as core->rk, for the hot paths */

    client_guard guard;
    client_signals signals;
    client_serving serving;
    client_callbacks callbacks;
    client_logs logs;
    parked_exceptions parked;
    diagnosis diagnosis;
    client_tokens tokens;
    client_requests requests;
    client_loop loop;
    client_registration registration;

    atomic_bool hurries; /* an exception has ended its block: close() waits for a short time only */

    topic_names names; /* of the last messages handed out; used by the serving thread only */
    PyObject *called;  /* str: the name of the application's class around this client, or NULL */
    PyObject *weak_references;
} Client;

/* The name of the client's class in messages: the application's name, or the type's name. */
static inline const char *
client_type_name(const Client *self)
{
    if (self->called != NULL) {
        return PyUnicode_AsUTF8(self->called); /* cached in the str since _be_called() */
    }
    const char *name = Py_TYPE(self)->tp_name;
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

/* type.c: the base type of all clients. */
int client_type_add(PyObject *module, module_state *state);

#endif

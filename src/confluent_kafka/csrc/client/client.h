/*
 * Client: what Producer, Consumer, ShareConsumer and AdminClient share.
 *
 * A client is made of parts. Each has a file of its own, which alone touches its fields and
 * says by which rule threads share them; `make lint` checks that.
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

/* ---- guard.c: who may be inside ---- */

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
    _Atomic uint64_t calls;               /* in flight, and whose: the sum of their call_tag() */
    _Atomic unsigned long closing_thread; /* the one thread that is inside close(), or 0 */
    PyThread_type_lock left; /* released by each call that leaves while closing */
    PyObject *misuse;        /* what calls in a wrong state raise: a RuntimeError */
} client_guard;

/* ---- signals.c: which threads run signal handlers inside a call ---- */

typedef struct signal_scope {
    unsigned long thread;
    struct signal_scope *previous, *next;
} signal_scope;

typedef struct {
    object_mutex mutex;
    signal_scope *first; /* on the stacks of the threads */
    _Atomic int32_t until_interrupt; /* of tests: so many checks from now Ctrl-C comes; 0 never */
} client_signals;

/* ---- serve.c: which thread holds the serving lock ---- */

/*
 * One call that serves callbacks. `released` is the thread state while the call is inside
 * librdkafka without the GIL: a callback takes the GIL back from here and returns it.
 */
typedef struct serve_frame {
    struct serve_frame *outer; /* a callback may poll the client again */
    PyThreadState *released;
    bool yielded;     /* the lock, and the call ends before it came back */
    bool interrupted; /* by wakeup() or close(): nothing in this call waits any more */
    bool waits;       /* the application has given it time */
} serve_frame;

typedef struct {
    _Atomic unsigned long holder; /* the thread that holds the serving lock, or 0 */
    _Atomic int waiters;
    PyThread_type_lock released; /* when the lock is, and others wait for it */
    PyThread_type_lock urgent;   /* held by the thread that is the next to have the lock */
    _Atomic unsigned long urgent_thread; /* that thread, or 0 */
    _Atomic int yield_wanted;    /* by that thread */
    _Atomic int woken;           /* wakeup() was called and not yet noticed */
    serve_frame *frame;          /* the holder's own, and so is the next */
    Py_ssize_t served;           /* callbacks since the outermost call began */
} client_serving;

/* ---- callbacks.c: the application's; set before the handle exists ---- */

typedef struct {
    PyObject *error_cb, *throttle_cb, *stats_cb;
} client_callbacks;

/* ---- logs.c: where log records go ---- */

typedef struct {
    PyObject *logger; /* NULL: the one named "confluent_kafka", looked up when needed */
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

/* ---- loop.c: the event loop that uses the client; only its thread reads and writes it ---- */

typedef struct {
    PyObject *is_running;    /* its method; NULL: none has joined */
    PyObject *create_future; /* callable without arguments */
    PyObject *unclosed;      /* str: the warning of a client that nobody closed */
    uint64_t thread;
    deadline turn; /* until which it may use the client before other tasks run */
} client_loop;

/* ---- registry.c: the list of open clients; under the mutex of the module's state ---- */

typedef struct {
    PyObject *reference; /* a weak one to the client, from client_open() on */
    struct Client *previous, *next;
} client_registration;

/* What a kind of client says of itself in errors: confluent-kafka's words, which programs match. */
typedef struct {
    const char *name;               /* "Consumer already initialized" */
    const char *noun;               /* "Failed to create consumer" */
    const char *closed;             /* what its methods raise when it is not open */
    const char *credentials_closed; /* what set_sasl_credentials() raises then */
} client_words;

/* What methods that belong to the handle raise when it is not open, by whatever kind. */
#define HANDLE_CLOSED "Handle has been closed"

/* What the kinds of clients give to what they share. */
typedef struct {
    rd_kafka_type_t type;
    /* rd_kafka_new() and what must follow it; called without the GIL. */
    rd_kafka_t *(*create)(struct Client *self, rd_kafka_conf_t *conf, char *reason,
                          size_t size);
    /* Raises for a configuration that `create` refused; NULL: a KafkaException. */
    void (*raise_refusal)(const char *reason);
    /* Lets go of everything that refers to the handle, before it ends; NULL: nothing does. */
    void (*release)(struct Client *self);
    /*
     * Serves callbacks once, waiting up to `timeout_ms`, and keeps whatever else comes; between
     * serve_begin() and serve_end(). 0, or 1 when it could not. What callbacks raise is parked.
     * NULL where others serve it.
     */
    int (*serve)(struct Client *self, int timeout_ms);
    /*
     * Notes the errors that wait to be told, while the caller holds the serving lock, and keeps
     * what else waits for poll(). For a client whose application has no callbacks for them.
     * NULL where nothing can be kept.
     */
    void (*note_errors)(struct Client *self);
} client_kind;

typedef struct Client {
    PyObject_HEAD
    module_state *state;
    const client_words *words;
    const client_kind *kind; /* NULL before client_open() */
    client_core *core;
    rd_kafka_t *rk; /* core->rk, for the hot paths */

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

    atomic_bool hurries; /* close() does not wait for long: an exception has ended its block */

    topic_names names; /* of messages handed out last; the serving thread's */
    PyObject *called;  /* str: the application's class around this client; NULL: there is none */
    PyObject *weak_references;
} Client;

/* What the application calls the client, for messages: the type's name without its module. */
static inline const char *
client_type_name(const Client *self)
{
    if (self->called != NULL) {
        return PyUnicode_AsUTF8(self->called); /* which the text keeps since _be_called() */
    }
    const char *name = Py_TYPE(self)->tp_name;
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

/* type.c: the type that all clients derive from. */
int client_type_add(PyObject *module, module_state *state);

#endif

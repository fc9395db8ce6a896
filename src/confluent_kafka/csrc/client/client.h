/*
 * Client: what Producer, Consumer and the admin client share.
 *
 * Three mechanisms live here, each written once:
 *   the guard    client_enter()/client_leave() open every method: is the client open, is
 *                this the process that made it? close() waits for the calls in between.
 *   serving      serve_begin()/serve_end() bracket every call that may run callbacks. One
 *                thread at a time serves a client, so callbacks never run concurrently.
 *   the end      client_close() and the exit handler.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CLIENT_H
#define CONFLUENT_KAFKA_CLIENT_CLIENT_H

#include "base/deadline.h"
#include "client/core.h"
#include "client/latest.h"
#include "client/outage.h"
#include "client/parked.h"
#include "client/refusal.h"
#include "values/error.h"
#include "values/message.h"

enum client_phase {
    CLIENT_NEW,     /* __init__ has not begun, or has failed */
    CLIENT_OPENING, /* a thread is inside __init__ */
    CLIENT_OPEN,
    CLIENT_CLOSING, /* only the closing thread and its callbacks may enter */
    CLIENT_CLOSED,
    CLIENT_FORKED,  /* this is a child process: the handle belongs to the parent */
};

/*
 * One call that serves callbacks. `released` is the thread state while the call is inside
 * librdkafka without the GIL: a callback takes the GIL back from here and returns it.
 */
typedef struct serve_frame {
    struct serve_frame *outer; /* a callback may poll the client again */
    PyThreadState *released;
    bool interrupted; /* by wakeup() or close(): nothing in this call waits any more */
} serve_frame;

typedef struct Client {
    PyObject_HEAD
    module_state *state;
    client_core *core;
    rd_kafka_t *rk; /* core->rk, for the hot paths */

    _Atomic int phase;
    _Atomic Py_ssize_t calls;           /* calls in flight */
    _Atomic int woken;                  /* wakeup() was called and not yet noticed */
    _Atomic unsigned long closing_thread;
    _Atomic unsigned long serving_thread; /* whose turn it is to serve callbacks, or 0 */
    _Atomic int waiting_for_turn;
    _Atomic unsigned long signal_thread; /* running signal handlers inside a call */
    PyThread_type_lock turn_free;       /* released when a turn ends that others wait for */
    PyThread_type_lock taking_turn;     /* held by the thread that wants its turn at once */
    _Atomic int turn_wanted;
    PyThread_type_lock left;            /* released by each call that leaves while closing */
    serve_frame *frame;
    Py_ssize_t served;                  /* callbacks since the outermost call began */
    PyObject *misuse;                   /* what calls in a wrong state raise: a RuntimeError */
    parked_exceptions parked;

    /* The subtype's: lets go of everything that refers to the handle, before it ends. */
    void (*release)(struct Client *self);
    /*
     * The subtype's: serves callbacks once, waiting up to `timeout_ms`, and keeps whatever else
     * comes; between serve_begin() and serve_end(). 0, or 1 when it could not. What callbacks
     * raise is parked. NULL where others serve it.
     */
    int (*serve)(struct Client *self, int timeout_ms);
    /*
     * The subtype's: notes the errors that wait to be told, in this thread's turn, and keeps
     * what else waits for poll(). For a client whose application has no callbacks for them.
     * NULL where nothing can be kept.
     */
    void (*note_errors)(struct Client *self);

    PyObject *error_cb, *throttle_cb, *stats_cb, *oauth_cb, *logger;
    PyObject *refresher; /* TokenRefresher until it is stopped, or NULL, see oauth.h */
    refusal refusal;
    outage outage;
    latest latest;
    topic_names names;

    struct request *waiting; /* requests that a thread waits for, see request.h */
    object_mutex waiting_mutex;

    PyObject *weak_references;
    PyObject *reference;            /* a weak one to itself, from client_open() on */
    struct Client *previous, *next; /* module_state.live_clients */
} Client;

int client_type_add(PyObject *module, module_state *state);

/* What the subtypes' slots call. */
PyObject *client_new(PyTypeObject *type, PyObject *args, PyObject *kwargs);
int client_traverse(Client *self, visitproc visit, void *arg);
int client_clear(Client *self);
void client_finalize(PyObject *self);
/*
 * Brackets tp_dealloc: begin ends the handle, for which `release` needs all that the subtype
 * has; end frees the object. Between them the subtype frees its own. False: the finalizer made
 * the object live again.
 */
bool client_dealloc_begin(PyObject *self);
void client_dealloc_end(PyObject *self);

/*
 * Brackets __init__: begin is 0, or -1 with a RuntimeError when it has run or is running;
 * end takes __init__'s own result and returns it.
 */
int client_init_begin(Client *self);
int client_init_end(Client *self, int result);

/*
 * Creates the handle from `conf` (always consumed) and opens the client. Returns 0, or -1
 * with an exception.
 */
int client_open(Client *self, rd_kafka_type_t kind, rd_kafka_conf_t *conf);

/* Like rd_kafka_new(); called without the GIL. */
typedef rd_kafka_t *new_handle(Client *self, rd_kafka_conf_t *conf, char *reason, size_t size);
int client_open_with(Client *self, rd_kafka_type_t kind, rd_kafka_conf_t *conf,
                     new_handle *create);

/* The guard. 0, or -1 with a RuntimeError that says what to do. */
int client_enter(Client *self);
void client_leave(Client *self);
/*
 * True, with SystemExit set, in a daemon thread that uses the client while another one exits
 * the interpreter: it ends without a traceback, as it would without this client.
 */
bool client_end_thread_at_exit(Client *self);

/* ---- serve.c ---- */

/* Waits for `lock` with the GIL released, in slices: 1 acquired, 0 time is up, -1 signal. */
int lock_within(Client *self, PyThread_type_lock lock, deadline *until);

/*
 * Serving. serve_begin() waits for its turn until `until` and raises what an earlier
 * callback left to be raised: 1 it is this thread's turn, 0 time is up, -1 exception.
 */
int serve_begin(Client *self, serve_frame *frame, deadline *until);
void serve_end(Client *self, serve_frame *frame);
/*
 * For a client that only one thread at a time may use: 1 it is this thread's turn, 0 it has
 * been already (a callback or signal handler), -1 it is another thread's. Raises nothing.
 */
int serve_try_turn(Client *self, serve_frame *frame);
/*
 * The same for a call that changes what a waiting poll() of another thread will find: that
 * thread steps aside and goes on afterwards. Raises nothing that a callback left. 0, or -1
 * with an exception of a signal handler.
 */
typedef struct {
    serve_frame frame;
    bool took; /* false inside a callback, where it is this thread's turn already */
} serve_turn;

int serve_take_turn(Client *self, serve_turn *turn);
void serve_end_turn(Client *self, serve_turn *turn);
/* Brackets one librdkafka call that waits or may run callbacks. */
void serve_release_gil(Client *self);
void serve_take_gil(Client *self);

/*
 * Between two librdkafka calls of a wait: runs signal handlers, raises a parked exception,
 * steps aside for serve_take_turn(). 1 to go on, 0 when wakeup() or close() ended the wait,
 * -1 with an exception.
 */
int serve_check(Client *self);

/* Runs signal handlers inside a call: 0, or -1 with an exception. */
int client_check_signals(Client *self);
/*
 * True when a wait must end: wakeup() was called (which is used up by this) or another
 * thread closes the client. close() itself is not woken: it has things to finish.
 */
bool client_interrupted(Client *self);

/*
 * True when a callback left an exception that the call which serves is to raise. While the
 * client closes it is not: close() does all its work first.
 */
bool client_has_parked(Client *self);
/* Raises the oldest exception that is to be raised. 0 when there is none, else -1. */
int client_raise_parked(Client *self);
/* Shows those that no call will raise any more (sys.unraisablehook). */
void client_report_parked(Client *self);
/*
 * Keeps the exception that is set, to be raised by the call that serves callbacks. Of a client
 * that has ended it is shown.
 */
void client_park_exception(Client *self);

/* ---- requests that failed ---- */

/*
 * Raise KafkaException for a request of this client. Where the error only says that no broker
 * answered, what librdkafka last said about a broken connection is added: wrong credentials
 * and certificates show nowhere else in a program that has no error_cb.
 */
void client_raise_error(Client *self, rd_kafka_resp_err_t code, const char *what);
/* NULL gives 0. Otherwise destroys `error` and gives -1. */
int client_raise_if_error(Client *self, rd_kafka_error_t *error);
/* The same for a KafkaError (stolen; NULL: an exception is set), without the client. */
void raise_with_cause(module_state *state, const client_core *core, PyObject *error);

/* ---- the end ---- */

/*
 * close(): waits until no other thread is inside, lets the subtype end its work with `leave` in
 * this thread's turn (NULL: there is none; -1: a signal handler raised, and a later close() goes
 * on), destroys the handle, and raises what callbacks left. 0, or -1 with an exception.
 */
typedef int leave_function(Client *self, deadline *until);
int client_close(Client *self, leave_function *leave, deadline *until);

/* Destroys all clients that are left when the interpreter exits. */
PyObject *close_live_clients(PyObject *module, PyObject *unused);
/* Marks all clients as their parent's, in a forked child. */
PyObject *mark_clients_forked(PyObject *module, PyObject *unused);

#endif

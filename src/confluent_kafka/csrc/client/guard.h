/*
 * The guard: who may be inside a client. It opens every method: is the client open, is this the
 * process that made it? close() waits for the calls in between.
 *
 * All its fields are atomic, or set before the client is open. A call is counted before the
 * phase is read, and close() sets the phase before it reads the count: one of the two always
 * sees the other. Who closes is who sets `closing_thread` from 0.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_GUARD_H
#define CONFLUENT_KAFKA_CLIENT_GUARD_H

#include "base/args.h"
#include "client/client.h"

/* 0, or -1 with a MemoryError. */
int guard_init(Client *self);
void guard_free(Client *self);
int guard_traverse(Client *self, visitproc visit, void *arg);

/* What calls in a wrong state raise, instead of RuntimeError. */
void guard_set_misuse(Client *self, PyObject *exception_type);

/* ---- __init__ ---- */

/*
 * Brackets __init__: begin is 0, or -1 with a RuntimeError when it has run or is running;
 * end takes __init__'s own result and returns it.
 */
int client_init_begin(Client *self);
int client_init_end(Client *self, int result);
/* The handle is there: other calls may enter. */
void guard_open(Client *self);

/* ---- calls ---- */

/* 0, or -1 with a RuntimeError: the kind's own text, and a note that says what to do. */
int client_enter(Client *self);
/* The same, with another text for a client that is not open. */
int client_enter_or(Client *self, const char *closed);
void client_leave(Client *self);
/*
 * args_parse() of a client's method: a client that cannot be used is reported before arguments
 * that are wrong. It is entered only once they are all read.
 */
int client_args(Client *self, const signature *sig, PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames, PyObject **values);
int client_args_or(Client *self, const char *closed, const signature *sig,
                   PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                   PyObject **values);

bool client_is_open(Client *self);
bool client_is_closing(Client *self);
bool client_is_closed(Client *self);
/* Not open yet, or closed: nothing of its own is outstanding. */
bool client_has_no_handle(Client *self);
/* True in the thread that is inside close(), its callbacks among it. */
bool client_is_closed_by_this_thread(Client *self);

/* ---- the end ---- */

/* True in a call of this client, of this thread, unless other threads are inside as well. */
bool guard_has_only_calls_of_this_thread(Client *self);
/* Raises that close() must not be called inside a call, for which it would wait for ever: -1. */
int guard_refuse_closing(Client *self);
/*
 * close() begins: waits until no other thread is inside, nor closes. 1 go on, 0 closed already,
 * -1 exception: of a signal handler, or this thread is inside a call; a later close() may go on.
 */
int guard_begin_closing(Client *self);
/* A later close() may go on. */
void guard_stop_closing(Client *self);
void guard_end_closing(Client *self);

/*
 * The same at the exit of the interpreter, where nobody waits for long: 1 go on, 0 the handle is
 * in use, or has ended.
 */
int guard_begin_closing_at_exit(Client *self);

/* In a forked child: the handle belongs to the parent. */
void guard_mark_forked(Client *self);

#endif

/*
 * The guard decides which calls may enter a client. Every method begins with it: is the client
 * open, and is this the process that made it? close() waits for calls that have entered.
 *
 * All its fields are atomic, or set before the client is open. A call is counted before the
 * phase is read, and close() sets the phase before it reads the count, so one of the two always
 * sees the other. The thread that changes `closing_thread` from 0 is the one that closes.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_GUARD_H
#define CONFLUENT_KAFKA_CLIENT_GUARD_H

#include "base/args.h"
#include "client/client.h"

/* Returns 0, or -1 with a MemoryError. */
int guard_init(Client *self);
void guard_free(Client *self);
int guard_traverse(Client *self, visitproc visit, void *arg);

/* Sets the exception type for calls in a wrong state, instead of RuntimeError. */
void guard_set_misuse(Client *self, PyObject *exception_type);

/* ---- __init__ ---- */

/*
 * Brackets __init__. The begin returns 0, or -1 with a RuntimeError if __init__ has run or is
 * running. The end takes the result of __init__ and returns it.
 */
int client_init_begin(Client *self);
int client_init_end(Client *self, int result);
/* The handle exists: other calls may enter. */
void guard_open(Client *self);

/* ---- calls ---- */

/* Enters: 0, or -1 with a RuntimeError in the kind's own words, with a note that gives advice. */
int client_enter(Client *self);
/* The same, with another text if the client is not open. */
int client_enter_or(Client *self, const char *closed);
void client_leave(Client *self);
/*
 * args_parse() for a client's method. The error of an unusable client takes precedence over wrong
 * arguments. The caller enters the client only after it has read all arguments.
 */
int client_args(Client *self, const signature *sig, PyObject *const *args, Py_ssize_t nargs,
                PyObject *kwnames, PyObject **values);
int client_args_or(Client *self, const char *closed, const signature *sig,
                   PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames,
                   PyObject **values);

bool client_is_open(Client *self);
bool client_is_closing(Client *self);
bool client_is_closed(Client *self);
/* True if the client is not open yet, or closed: it has nothing outstanding. */
bool client_has_no_handle(Client *self);
/* True in the thread that is inside close(), including its callbacks. */
bool client_is_closed_by_this_thread(Client *self);

/* ---- the end ---- */

/* True inside a call of this client on this thread, if no other thread is inside. */
bool guard_has_only_calls_of_this_thread(Client *self);
/* Raises that close() must not be called inside a call, which it would wait for: returns -1. */
int guard_refuse_closing(Client *self);
/*
 * close() begins: waits until no other thread is inside or closes. 1: go on; 0: already closed; -1:
 * an exception of a signal handler, or this thread is inside a call; a later close() may continue.
 */
int guard_begin_closing(Client *self);
/* close() ends early; a later close() may continue. */
void guard_stop_closing(Client *self);
void guard_end_closing(Client *self);

/*
 * The same at the exit of the interpreter, with a short wait. 1: go on; 0: the handle is in use, or
 * has ended.
 */
int guard_begin_closing_at_exit(Client *self);

/* In a forked child: the handle belongs to the parent. */
void guard_mark_forked(Client *self);

#endif

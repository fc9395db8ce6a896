/*
 * Answers: they must arrive without anybody calling poll(), and no Python may run on
 * librdkafka's threads. So each client that has sent a request has one daemon thread, which
 * waits on a queue of its own with the GIL released.
 *
 * It holds the librdkafka handle, not the client: a client can be collected while requests are
 * pending, and they fail then. Which request an event answers is said by a number, librdkafka's
 * opaque; the number is forgotten with the answer, so nothing can be answered twice.
 */
#include "admin/admin.h"

/* How long close() waits for an answer's callbacks that are running. */
#define STOP_TIMEOUT_US 2000000

typedef struct {
    PyObject_HEAD
    client_core *core;
    rd_kafka_queue_t *queue;
    PyObject *pending; /* dict: number of a request to its on_answer */
    uintptr_t last_number;
    atomic_bool stopping;
    object_mutex mutex; /* of core, queue and last_number */
    _Atomic unsigned long thread; /* the one that is in run(), or 0 */
    PyThread_type_lock ended; /* released when run() has let go of the handle */
} AdminAnswers;

/* ---- one answer ---- */

/* Calls on_answer(result, exception); NULL for `result` means the exception that is set. */
static void
deliver(PyObject *on_answer, PyObject *result)
{
    PyObject *exception = result == NULL ? PyErr_GetRaisedException() : NULL;
    PyObject *arguments[] = {result == NULL ? Py_None : result,
                             exception == NULL ? Py_None : exception};
    PyObject *done = PyObject_Vectorcall(on_answer, arguments, 2, NULL);
    if (done == NULL) {
        PyErr_WriteUnraisable(on_answer); /* a done callback raised more than Exception */
    }
    Py_XDECREF(done);
    Py_XDECREF(exception);
}

/* The event's result, or NULL with the exception that the request failed with. */
static PyObject *
result_of(AdminAnswers *self, rd_kafka_event_t *event)
{
    module_state *state = module_state_of_type(Py_TYPE(self));
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        PyObject *error = kafka_error_new(state, code, rd_kafka_event_error_string(event));
        raise_with_cause(state, self->core, error);
        return NULL;
    }
    const admin_request *request = admin_request_of_event(rd_kafka_event_type(event));
    if (request == NULL) {
        PyErr_Format(PyExc_RuntimeError, "an answer of an unknown kind: %s",
                     rd_kafka_event_name(event));
        return NULL;
    }
    return request->result(state, event);
}

/* Takes `number` out of the pending requests: its on_answer, or NULL; new reference. */
static PyObject *
take_pending(AdminAnswers *self, uintptr_t number)
{
    PyObject *key = PyLong_FromUnsignedLongLong(number);
    PyObject *on_answer = NULL;
    if (key == NULL || PyDict_GetItemRef(self->pending, key, &on_answer) < 0
        || (on_answer != NULL && PyDict_DelItem(self->pending, key) < 0)) {
        PyErr_WriteUnraisable(self->pending);
        Py_CLEAR(on_answer);
    }
    Py_XDECREF(key);
    return on_answer;
}

static void
serve(AdminAnswers *self, rd_kafka_event_t *event)
{
    PyObject *on_answer = take_pending(self, (uintptr_t)rd_kafka_event_opaque(event));
    if (on_answer != NULL) {
        PyObject *result = result_of(self, event);
        deliver(on_answer, result);
        Py_XDECREF(result);
        Py_DECREF(on_answer);
    }
    rd_kafka_event_destroy(event);
}

/* ---- the thread ---- */

/* The client has ended: no answer will come any more, and nobody can send a request. */
static void
fail_pending(AdminAnswers *self)
{
    module_state *state = module_state_of_type(Py_TYPE(self));
    PyObject *waiting = PyDict_Values(self->pending);
    if (waiting == NULL) {
        PyErr_WriteUnraisable(self->pending);
        return;
    }
    PyDict_Clear(self->pending);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(waiting); i++) {
        raise_kafka_error(state, RD_KAFKA_RESP_ERR__DESTROY,
                          "the AdminClient ended before the answer came");
        deliver(PyList_GET_ITEM(waiting, i), NULL);
    }
    Py_DECREF(waiting);
}

/* Drops the queue and the share of the handle, which close() is waiting for. */
static void
let_go(AdminAnswers *self)
{
    object_mutex_lock(&self->mutex);
    client_core *core = self->core;
    rd_kafka_queue_t *queue = self->queue;
    self->core = NULL;
    self->queue = NULL;
    object_mutex_unlock(&self->mutex);
    if (core == NULL) {
        return;
    }
    bool own = core_owned_by_this_process(core);
    Py_BEGIN_ALLOW_THREADS
    if (queue != NULL && own) {
        rd_kafka_queue_destroy(queue);
    }
    core_release(core);
    Py_END_ALLOW_THREADS
}

PyDoc_STRVAR(run_doc, "run($self, /)\n--\n\n"
                      "Serve answers until the client ends (on a thread).");

static PyObject *
run(PyObject *object, PyObject *Py_UNUSED(unused))
{
    AdminAnswers *self = (AdminAnswers *)object;
    atomic_store(&self->thread, PyThread_get_thread_ident());
    while (!atomic_load(&self->stopping)) {
        rd_kafka_event_t *event;
        Py_BEGIN_ALLOW_THREADS
        event = rd_kafka_queue_poll(self->queue, 1000);
        Py_END_ALLOW_THREADS
        if (event != NULL) {
            serve(self, event);
        }
    }
    fail_pending(self);
    let_go(self);
    PyThread_release_lock(self->ended);
    Py_RETURN_NONE;
}

/* ---- the type ---- */

static int
answers_traverse(PyObject *object, visitproc visit, void *arg)
{
    AdminAnswers *self = (AdminAnswers *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->pending);
    return 0;
}

static void
answers_dealloc(PyObject *object)
{
    AdminAnswers *self = (AdminAnswers *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    let_go(self); /* the thread could not be started */
    Py_CLEAR(self->pending);
    if (self->ended != NULL) {
        PyThread_free_lock(self->ended);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef answers_methods[] = {
    {"run", run, METH_NOARGS, run_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot answers_slots[] = {
    {Py_tp_doc, (void *)"Waits for the answers to a client's requests, on a thread of its own."},
    {Py_tp_dealloc, answers_dealloc},
    {Py_tp_traverse, answers_traverse},
    {Py_tp_methods, answers_methods},
    {0, NULL},
};

static PyType_Spec answers_spec = {
    .name = "confluent_kafka.cimpl._AdminAnswers",
    .basicsize = sizeof(AdminAnswers),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = answers_slots,
};

int
admin_answers_type_add(PyObject *module, module_state *state)
{
    state->AdminAnswers = (PyTypeObject *)PyType_FromModuleAndSpec(module, &answers_spec, NULL);
    return state->AdminAnswers == NULL ? -1 : 0;
}

/* ---- for the client ---- */

static AdminAnswers *
new_answers(Client *client)
{
    PyTypeObject *type = client->state->AdminAnswers;
    AdminAnswers *self = (AdminAnswers *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->core = core_retain(client->core);
    self->pending = PyDict_New();
    self->ended = PyThread_allocate_lock();
    self->queue = rd_kafka_queue_new(client->rk);
    if (self->pending == NULL || self->ended == NULL || self->queue == NULL) {
        if (!PyErr_Occurred()) {
            PyErr_NoMemory();
        }
        Py_DECREF(self);
        return NULL;
    }
    PyThread_acquire_lock(self->ended, NOWAIT_LOCK); /* new, so this cannot fail */
    return self;
}

PyObject *
admin_answers_start(Client *client)
{
    PyObject *answers = (PyObject *)new_answers(client);
    if (answers != NULL
        && start_daemon_thread(answers, "run", "confluent_kafka AdminClient") < 0) {
        Py_CLEAR(answers);
    }
    return answers;
}

/* A new number under which `on_answer` waits: the number, or NULL with an exception. */
static PyObject *
add_pending(AdminAnswers *self, PyObject *on_answer)
{
    object_mutex_lock(&self->mutex);
    uintptr_t number = ++self->last_number;
    object_mutex_unlock(&self->mutex);
    PyObject *key = PyLong_FromUnsignedLongLong(number);
    if (key != NULL && PyDict_SetItem(self->pending, key, on_answer) < 0) {
        Py_CLEAR(key);
    }
    return key;
}

int
admin_answers_send(PyObject *answers, admin_call *call, PyObject *on_answer)
{
    AdminAnswers *self = (AdminAnswers *)answers;
    PyObject *number = add_pending(self, on_answer);
    if (number == NULL) {
        return -1;
    }
    /* The caller is inside the client's guard: the thread ends only after it has left. */
    rd_kafka_AdminOptions_set_opaque(call->options,
                                     (void *)(uintptr_t)PyLong_AsUnsignedLongLong(number));
    Py_DECREF(number);
    Py_BEGIN_ALLOW_THREADS
    call->request->send(call, self->queue);
    Py_END_ALLOW_THREADS
    return 0;
}

/* Ends the wait of run(); false when it has ended already. */
static bool
tell_to_stop(AdminAnswers *self)
{
    atomic_store(&self->stopping, true);
    object_mutex_lock(&self->mutex);
    bool running = self->queue != NULL && core_owned_by_this_process(self->core);
    if (running) {
        rd_kafka_queue_yield(self->queue);
    }
    object_mutex_unlock(&self->mutex);
    return running;
}

void
admin_answers_stop(PyObject *answers)
{
    AdminAnswers *self = (AdminAnswers *)answers;
    if (tell_to_stop(self) && atomic_load(&self->thread) != PyThread_get_thread_ident()) {
        /* Whoever lets go of the handle last destroys it: that should be us, unless the
         * callback of a future takes long. */
        Py_BEGIN_ALLOW_THREADS
        PyThread_acquire_lock_timed(self->ended, STOP_TIMEOUT_US, 0);
        Py_END_ALLOW_THREADS
    }
    Py_DECREF(self);
}

Py_ssize_t
admin_answers_pending(PyObject *answers)
{
    return PyDict_GET_SIZE(((AdminAnswers *)answers)->pending);
}

/*
 * Answers must arrive without a call of poll(), and no Python code may run on librdkafka's
 * threads. So each client that has sent a request has one daemon thread, which waits on its own
 * queue with the GIL released. A client of an event loop needs no thread: the loop is woken for
 * this queue as for the client's other queue, and serves it.
 *
 * The thread holds the librdkafka handle and not the client, so that a client can be collected
 * while requests are pending. The thread then fails these requests. If the client has no thread,
 * its pending requests are dropped: a task that waits for an answer keeps the client alive, so
 * nobody waits any more, and the garbage collector may have cleared the callbacks.
 *
 * librdkafka's opaque is a number that identifies the request of an event. The number is removed
 * when the answer comes, so that no request is answered twice.
 */
#include "admin/admin.h"

#include "client/failure.h"
#include "client/worker.h"
#include "values/metadata.h"

typedef struct {
    PyObject_HEAD
    worker worker;
    PyObject *pending; /* dict: the number of a request to its on_answer */
    bool polled;       /* an event loop serves the answers: there is no thread */
    object_mutex mutex; /* guards last_number */
    uintptr_t last_number;
} AdminAnswers;

/* ---- one answer ---- */

/* Calls on_answer(result, exception, cluster_id), NULL as None: 0, or -1 with an exception. */
static int
call_on_answer(PyObject *on_answer, PyObject *result, PyObject *exception, PyObject *cluster_id)
{
    PyObject *arguments[] = {result == NULL ? Py_None : result,
                             exception == NULL ? Py_None : exception,
                             cluster_id == NULL ? Py_None : cluster_id};
    PyObject *done = PyObject_Vectorcall(on_answer, arguments, 3, NULL);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/*
 * Ends a request with `result`, which is stolen, or with the current exception (NULL). If there is
 * no memory for the answer, the request gets the MemoryError.
 */
static void
deliver(AdminAnswers *self, PyObject *on_answer, PyObject *result)
{
    PyObject *exception = result == NULL ? PyErr_GetRaisedException() : NULL;
    PyObject *cluster_id = cluster_id_known(self->worker.core->rk);
    int called =
        cluster_id == NULL ? -1 : call_on_answer(on_answer, result, exception, cluster_id);
    Py_XDECREF(cluster_id);
    Py_XDECREF(result);
    if (called < 0 && PyErr_ExceptionMatches(PyExc_MemoryError)) {
        Py_XSETREF(exception, PyErr_GetRaisedException());
        called = call_on_answer(on_answer, NULL, exception, NULL);
    }
    if (called < 0) {
        PyErr_WriteUnraisable(on_answer); /* a done callback raised something beyond Exception */
    }
    Py_XDECREF(exception);
}

/* The result in the event, or NULL with the exception of the failed request. */
static PyObject *
result_of(AdminAnswers *self, rd_kafka_event_t *event)
{
    module_state *state = module_state_of_type(Py_TYPE(self));
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        PyObject *error = kafka_error_new(state, code, rd_kafka_event_error_string(event));
        raise_with_cause(state, self->worker.core, error);
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

/* Numbers of requests begin at 1. */
#define ANY_NUMBER 0

/*
 * Removes `number` from the pending requests: its on_answer, or NULL; new reference. It allocates
 * nothing: if a request could not be found for lack of memory, it would wait for ever.
 */
static PyObject *
take_pending(AdminAnswers *self, uintptr_t number)
{
    PyObject *key, *on_answer, *taken = NULL;
    Py_ssize_t position = 0;
    Py_BEGIN_CRITICAL_SECTION(self->pending);
    while (taken == NULL && PyDict_Next(self->pending, &position, &key, &on_answer)) {
        if (number == ANY_NUMBER || PyLong_AsUnsignedLongLong(key) == number) {
            taken = Py_NewRef(on_answer);
            Py_INCREF(key);
            if (PyDict_DelItem(self->pending, key) < 0) {
                PyErr_WriteUnraisable(self->pending);
            }
            Py_DECREF(key);
        }
    }
    Py_END_CRITICAL_SECTION();
    return taken;
}

static void
serve(AdminAnswers *self, rd_kafka_event_t *event)
{
    PyObject *on_answer = take_pending(self, (uintptr_t)rd_kafka_event_opaque(event));
    if (on_answer != NULL) {
        deliver(self, on_answer, result_of(self, event));
        Py_DECREF(on_answer);
    }
    rd_kafka_event_destroy(event);
}

/* ---- the thread ---- */

/* The client has ended: no more answers will arrive, and nobody can send a request. */
static void
fail_pending(PyObject *object)
{
    AdminAnswers *self = (AdminAnswers *)object;
    module_state *state = module_state_of_type(Py_TYPE(self));
    PyObject *on_answer;
    while ((on_answer = take_pending(self, ANY_NUMBER)) != NULL) {
        raise_kafka_error(state, RD_KAFKA_RESP_ERR__DESTROY,
                          "the AdminClient was closed before the answer arrived");
        deliver(self, on_answer, NULL);
        Py_DECREF(on_answer);
    }
}

static void
serve_once(PyObject *object)
{
    AdminAnswers *self = (AdminAnswers *)object;
    rd_kafka_event_t *event;
    Py_BEGIN_ALLOW_THREADS
    event = rd_kafka_queue_poll(self->worker.queue, 1000);
    Py_END_ALLOW_THREADS
    if (event != NULL) {
        serve(self, event);
    }
}

PyDoc_STRVAR(run_doc, "run($self, /)\n--\n\n"
                      "Serve answers until the client ends (on a thread).");

static PyObject *
run(PyObject *object, PyObject *Py_UNUSED(unused))
{
    worker_run(&((AdminAnswers *)object)->worker, object, serve_once, fail_pending);
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
    worker_clear(&self->worker);
    Py_CLEAR(self->pending);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef answers_methods[] = {
    {"run", run, METH_NOARGS, run_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot answers_slots[] = {
    {Py_tp_doc, (void *)"Waits for the answers to a client's requests, on its own thread."},
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
    int started = worker_init(&self->worker, client->core, rd_kafka_queue_new(client->rk));
    self->pending = started < 0 ? NULL : PyDict_New();
    if (self->pending == NULL) {
        Py_CLEAR(self);
    }
    return self;
}

PyObject *
admin_answers_start(Client *client)
{
    PyObject *answers = (PyObject *)new_answers(client);
    if (answers != NULL
        && start_daemon_thread(answers, "run", "confluent_kafka AdminClient") < 0) {
        /* A signal handler may have raised after the thread had started. */
        worker_tell_to_stop(&((AdminAnswers *)answers)->worker);
        Py_CLEAR(answers);
    }
    return answers;
}

PyObject *
admin_answers_start_polled(Client *client)
{
    static const char payload[] = {1};
    AdminAnswers *self = new_answers(client);
    if (self != NULL) {
        self->polled = true;
        rd_kafka_queue_io_event_enable(self->worker.queue, client->core->event_fd, payload,
                                       sizeof(payload));
    }
    return (PyObject *)self;
}

void
admin_answers_serve(PyObject *answers)
{
    AdminAnswers *self = (AdminAnswers *)answers;
    rd_kafka_event_t *event;
    do {
        Py_BEGIN_ALLOW_THREADS
        event = rd_kafka_queue_poll(self->worker.queue, 0);
        Py_END_ALLOW_THREADS
        if (event != NULL) {
            serve(self, event);
        }
    } while (event != NULL);
}

/* Registers `on_answer` under a new number: the number, or NULL with an exception. */
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
    /* The caller is inside the client's guard, so the thread cannot end before the caller leaves. */
    rd_kafka_AdminOptions_set_opaque(call->options,
                                     (void *)(uintptr_t)PyLong_AsUnsignedLongLong(number));
    Py_DECREF(number);
    Py_BEGIN_ALLOW_THREADS
    call->request->send(call, self->worker.queue);
    Py_END_ALLOW_THREADS
    return 0;
}

void
admin_answers_stop(PyObject *answers, bool closed)
{
    AdminAnswers *self = (AdminAnswers *)answers;
    if (!self->polled) {
        worker_stop(&self->worker);
    }
    else if (closed) {
        fail_pending(answers);
    }
    Py_DECREF(answers);
}

Py_ssize_t
admin_answers_pending(PyObject *answers)
{
    return PyDict_GET_SIZE(((AdminAnswers *)answers)->pending);
}

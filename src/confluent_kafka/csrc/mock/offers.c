/*
 * Requests that the brokers offer to Python instead of answering them. The brokers' thread puts
 * them into a queue; a Python thread takes and answers them.
 */
#include "mock/mock.h"

#include <stdlib.h>
#include <string.h>

#include "values/error.h"

#define MAX_API_KEY 127

/* The outcome of an offer. */
enum { ANSWERED, BY_DEFAULT, DISCONNECTED };

#ifdef RD_KAFKA_HAS_MOCK_ON_REQUEST

/* One request; `bytes` has the client id, followed by the body. */
typedef struct offer {
    struct offer *next;
    rd_kafka_mock_offer_t fields;
    char bytes[];
} offer;

/* It belongs to the cluster and the iterator, and is freed with the last of them. */
struct mock_offers {
    atomic_int references;
    PyThread_type_lock mutex;   /* guards the fields below; never held while waiting */
    PyThread_type_lock arrived; /* the thread that acquires it looks for requests */
    bool told;                  /* `arrived` has been released */
    bool closed;
    offer *first, **end;
};

/* ---- the queue ---- */

static void
offers_release(mock_offers *self)
{
    if (self == NULL || atomic_fetch_sub(&self->references, 1) > 1) {
        return;
    }
    for (offer *each = self->first, *next; each != NULL; each = next) {
        next = each->next;
        free(each);
    }
    if (self->mutex != NULL) {
        PyThread_free_lock(self->mutex);
    }
    if (self->arrived != NULL) {
        PyThread_free_lock(self->arrived);
    }
    free(self);
}

static mock_offers *
offers_new(void)
{
    mock_offers *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    atomic_store(&self->references, 1);
    self->end = &self->first;
    self->mutex = PyThread_allocate_lock();
    self->arrived = PyThread_allocate_lock();
    if (self->mutex == NULL || self->arrived == NULL) {
        PyErr_NoMemory();
        offers_release(self);
        return NULL;
    }
    PyThread_acquire_lock(self->arrived, NOWAIT_LOCK); /* new, so this cannot fail */
    return self;
}

/* Wakes the thread that waits for requests; the caller holds the mutex. */
static void
tell_lock_held(mock_offers *self)
{
    if (!self->told) {
        self->told = true;
        PyThread_release_lock(self->arrived);
    }
}

/* Runs in the brokers' thread. If there is no memory for a request, its connection is closed. */
static void
on_offer(rd_kafka_mock_cluster_t *cluster, const rd_kafka_mock_offer_t *fields, void *opaque)
{
    mock_offers *self = opaque;
    offer *copy = malloc(sizeof(*copy) + fields->client_id_size + fields->size);
    if (copy == NULL) {
        rd_kafka_mock_answer(cluster, fields->id, RD_KAFKA_MOCK_ANSWER_DISCONNECT, NULL, 0);
        return;
    }
    copy->next = NULL;
    copy->fields = *fields;
    if (fields->client_id_size > 0) {
        memcpy(copy->bytes, fields->client_id, fields->client_id_size);
    }
    memcpy(copy->bytes + fields->client_id_size, fields->body, fields->size);
    PyThread_acquire_lock(self->mutex, WAIT_LOCK);
    *self->end = copy;
    self->end = &copy->next;
    tell_lock_held(self);
    PyThread_release_lock(self->mutex);
}

/* The next request, or NULL; `closed` is set if no more can arrive. */
static offer *
take(mock_offers *self, bool *closed)
{
    PyThread_acquire_lock(self->mutex, WAIT_LOCK);
    *closed = self->closed;
    offer *taken = self->closed ? NULL : self->first;
    if (taken != NULL) {
        self->first = taken->next;
        if (self->first == NULL) {
            self->end = &self->first;
        }
    }
    PyThread_release_lock(self->mutex);
    return taken;
}

static void
wait_for_offer(mock_offers *self)
{
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(self->arrived, WAIT_LOCK);
    PyThread_acquire_lock(self->mutex, WAIT_LOCK);
    self->told = false;
    PyThread_release_lock(self->mutex);
    Py_END_ALLOW_THREADS
}

void
mock_offers_close(MockCluster *self)
{
    mock_offers *offers = self->offers;
    if (offers == NULL) {
        return;
    }
    self->offers = NULL;
    PyThread_acquire_lock(offers->mutex, WAIT_LOCK);
    offers->closed = true;
    tell_lock_held(offers);
    PyThread_release_lock(offers->mutex);
    offers_release(offers);
}

/* ---- the iterator ---- */

typedef struct {
    PyObject_HEAD
    mock_offers *offers;
} MockOffers;

static void
offers_dealloc(MockOffers *self)
{
    PyTypeObject *type = Py_TYPE(self);
    offers_release(self->offers);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
offer_as_tuple(const offer *from)
{
    const rd_kafka_mock_offer_t *fields = &from->fields;
    PyObject *client_id =
        fields->client_id == NULL
            ? Py_NewRef(Py_None)
            : PyUnicode_DecodeUTF8(from->bytes, (Py_ssize_t)fields->client_id_size, "replace");
    if (client_id == NULL) {
        return NULL;
    }
    return Py_BuildValue("(LiiiiNy#)", (long long)fields->id, (int)fields->ApiKey,
                         (int)fields->ApiVersion, (int)fields->broker_id, (int)fields->CorrId,
                         client_id, from->bytes + fields->client_id_size,
                         (Py_ssize_t)fields->size);
}

static PyObject *
offers_next(MockOffers *self)
{
    bool closed;
    offer *taken;
    while ((taken = take(self->offers, &closed)) == NULL && !closed) {
        wait_for_offer(self->offers);
    }
    if (taken == NULL) {
        return NULL;
    }
    PyObject *result = offer_as_tuple(taken);
    free(taken);
    return result;
}

PyDoc_STRVAR(mock_offers_doc,
"Yields requests that wait for an answer from Python, until the cluster is closed.\n\n"
"Each is a tuple: number of the offer, API key, version, broker, correlation id, client id, body.");

static PyType_Slot offers_slots[] = {
    {Py_tp_doc, (void *)mock_offers_doc},
    {Py_tp_dealloc, offers_dealloc},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, offers_next},
    {0, NULL},
};

static PyType_Spec offers_spec = {
    .name = "confluent_kafka.cimpl._MockOffers",
    .basicsize = sizeof(MockOffers),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = offers_slots,
};

int
mock_offers_type_add(PyObject *module, module_state *state)
{
    state->MockOffers =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &offers_spec, NULL);
    return state->MockOffers == NULL ? -1 : 0;
}

/* ---- methods of the cluster ---- */

/* Runs under the cluster's lock, which close() also holds when it ends the offers. So offers cannot
 * begin in a closed cluster, and a second iterator cannot replace the first one's offers. Nobody
 * would end the offers in these cases. */
WITHOUT_GIL static rd_kafka_resp_err_t
run_take_offers(MockCluster *self, mock_call *call)
{
    if (self->offers != NULL) {
        return RD_KAFKA_RESP_ERR__CONFLICT;
    }
    self->offers = call->offers;
    atomic_fetch_add(&self->offers->references, 1);
    return rd_kafka_mock_set_offer_cb(self->cluster, on_offer, self->offers);
}

static PyObject *
take_offers(MockCluster *self)
{
    MockOffers *iterator = PyObject_New(MockOffers, self->state->MockOffers);
    if (iterator == NULL) {
        return NULL;
    }
    iterator->offers = offers_new();
    rd_kafka_resp_err_t error;
    mock_call call = {.run = run_take_offers, .offers = iterator->offers};
    if (iterator->offers == NULL || mock_cluster_call(self, &call, &error) < 0) {
        Py_DECREF(iterator);
        return NULL;
    }
    if (error) {
        PyErr_SetString(PyExc_RuntimeError, "another iterator already takes the brokers' offers");
        Py_DECREF(iterator);
        return NULL;
    }
    return (PyObject *)iterator;
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_offer_requests(MockCluster *self, mock_call *call)
{
    return rd_kafka_mock_offer_requests(self->cluster, call->api_key, (int16_t)call->low,
                                        (int16_t)call->high, (int16_t)call->partition);
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_answer(MockCluster *self, mock_call *call)
{
    static const rd_kafka_mock_answer_t answers[] = {
        [ANSWERED] = RD_KAFKA_MOCK_ANSWER_BODY,
        [BY_DEFAULT] = RD_KAFKA_MOCK_ANSWER_DEFAULT,
        [DISCONNECTED] = RD_KAFKA_MOCK_ANSWER_DISCONNECT,
    };
    rd_kafka_mock_answer(self->cluster, call->low, answers[call->partition], call->text,
                         call->count);
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static int
check_patch(MockCluster *self)
{
    (void)self;
    return 0;
}

#else

void
mock_offers_close(MockCluster *self)
{
    (void)self;
}

int
mock_offers_type_add(PyObject *module, module_state *state)
{
    (void)module, (void)state;
    return 0;
}

static int
check_patch(MockCluster *self)
{
    raise_kafka_error(self->state, RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED,
                      "the brokers of this librdkafka (%s) cannot ask Python for answers: this "
                      "needs the patch mock-on-request, which the pinned librdkafka has; build "
                      "this package without LIBRDKAFKA=system",
                      rd_kafka_version_str());
    return -1;
}

/* These three fields are unused. */

static PyObject *
take_offers(MockCluster *self)
{
    (void)self;
    return NULL;
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_offer_requests(MockCluster *self, mock_call *call)
{
    (void)self, (void)call;
    return RD_KAFKA_RESP_ERR__NOT_IMPLEMENTED;
}

WITHOUT_GIL static rd_kafka_resp_err_t
run_answer(MockCluster *self, mock_call *call)
{
    return run_offer_requests(self, call);
}

#endif

const char mock__offers_doc[] =
"_offers($self, /)\n--\n\n"
"Return an iterator over the requests that the brokers offer. Call it once.\n\n"
"Returns:\n"
"    iterator: It yields tuples: number of the offer, API key, version, broker, correlation id,\n"
"    client id, body. It waits for requests, and ends when the cluster is closed.";

PyObject *
mock__offers(MockCluster *self, PyObject *unused)
{
    (void)unused;
    return check_patch(self) < 0 ? NULL : take_offers(self);
}

const char mock__offer_requests_doc[] =
"_offer_requests($self, /, api_key, min_version, max_version, flexible_version)\n--\n\n"
"Let the brokers offer requests of one kind to _offers().\n\n"
"Args:\n"
"    api_key (int): the kind of request.\n"
"    min_version, max_version (int or None): the versions that the brokers report to clients.\n"
"        None for both: the versions that the brokers themselves answer.\n"
"    flexible_version (int or None): the first version with tagged fields; -1 if none has. None\n"
"        stops offering these requests.";

/* Reads a version; -1 for None. */
static int
arg_version(PyObject *object, const char *name, int64_t *result)
{
    *result = -1;
    return object == Py_None ? 0 : arg_int64(object, name, 0, INT16_MAX, result);
}

PyObject *
mock__offer_requests(MockCluster *self, PyObject *const *args, Py_ssize_t nargs,
                     PyObject *kwnames)
{
    SIGNATURE(arguments, "_offer_requests()", 4, 4, P_api_key, P_min_version, P_max_version,
              P_flexible_version);
    PyObject *values[4];
    int64_t api_key;
    mock_call call = {.run = run_offer_requests, .partition = -1};
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || arg_int64(values[0], "api_key", 0, MAX_API_KEY, &api_key) < 0
        || arg_version(values[1], "min_version", &call.low) < 0
        || arg_version(values[2], "max_version", &call.high) < 0
        || (values[3] != Py_None
            && arg_int32(values[3], "flexible_version", -1, INT16_MAX, &call.partition) < 0)
        || check_patch(self) < 0) {
        return NULL;
    }
    call.api_key = (int16_t)api_key;
    if (values[1] == Py_None && values[3] != Py_None) {
        call.high = 0; /* offered, in the versions that the brokers support */
    }
    return mock_cluster_do(self, &call);
}

const char mock__answer_doc[] =
"_answer($self, /, offer, action, body)\n--\n\n"
"End an offer.\n\n"
"Args:\n"
"    offer (int): its number; nothing happens if its connection is closed.\n"
"    action (int): 0 answers with the body, 1 leaves it to the brokers, 2 closes the connection.\n"
"    body (bytes): the answer after its header.";

PyObject *
mock__answer(MockCluster *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    SIGNATURE(arguments, "_answer()", 3, 3, P_offer, P_action, P_body);
    PyObject *values[3];
    mock_call call = {.run = run_answer};
    bytes_view body;
    if (args_parse(self->state, &arguments, args, nargs, kwnames, values) < 0
        || arg_int64(values[0], "offer", 0, INT64_MAX, &call.low) < 0
        || arg_int32(values[1], "action", ANSWERED, DISCONNECTED, &call.partition) < 0
        || check_patch(self) < 0 || bytes_view_get(values[2], "body", &body) < 0) {
        return NULL;
    }
    call.text = body.data;
    call.count = body.size;
    PyObject *result = mock_cluster_do(self, &call);
    bytes_view_release(&body);
    return result;
}

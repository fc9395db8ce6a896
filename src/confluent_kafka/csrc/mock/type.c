#include "mock/mock.h"

#include <errno.h>
#include <signal.h>

#include "values/error.h"

/* A broker needs descriptors for a listener and its connections. */
#define MAX_BROKERS 100
/* Descriptors that must remain free: for librdkafka's pipes and connections. */
#define SPARE_DESCRIPTORS 50

/* ---- life cycle ---- */

/* Drops the log of the brokers' handle: it is of no use, and stderr belongs to the user. */
static void
discard_log(const rd_kafka_t *rk, int level, const char *facility, const char *message)
{
    (void)rk, (void)level, (void)facility, (void)message;
}

/*
 * Refuses to start if too few file descriptors are free: if a mock broker gets none, librdkafka
 * aborts the process.
 */
static int
check_file_descriptors(int needed)
{
#ifndef _WIN32
    int opened[MAX_BROKERS + SPARE_DESCRIPTORS];
    int count = 0;
    while (count < needed && (opened[count] = dup(STDIN_FILENO)) >= 0) {
        count++;
    }
    int failure = count < needed ? errno : 0;
    while (count > 0) {
        close(opened[--count]);
    }
    if (failure == EMFILE || failure == ENFILE) {
        errno = failure;
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
#else
    (void)needed;
#endif
    return 0;
}

/* API keys in Kafka's protocol. */
enum { PRODUCE = 0, FETCH = 1 };

/* Sets how much a partition keeps; 0 means the default. On failure it fills in `error_text`. */
static bool
set_retention(rd_kafka_conf_t *conf, int32_t bytes, char *error_text, size_t size)
{
    char value[16];
    char unused[128];
    snprintf(value, sizeof(value), "%d", (int)bytes);
    if (bytes == 0
        || rd_kafka_conf_set(conf, "test.mock.partition.bytes", value, unused,
                             sizeof(unused)) == RD_KAFKA_CONF_OK) {
        return true;
    }
    snprintf(error_text, size,
             "retention_bytes needs the patch mock-retention, which this librdkafka lacks");
    return false;
}

/*
 * Blocks signals in the mock brokers' thread, as librdkafka does in its other threads. A signal
 * that interrupts the thread's wait ends the thread and frees the cluster, which this module still
 * uses.
 */
WITHOUT_GIL static rd_kafka_mock_cluster_t *
new_cluster(rd_kafka_t *rk, int32_t brokers)
{
#ifdef _WIN32
    return rd_kafka_mock_cluster_new(rk, brokers);
#else
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(rk, brokers);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return cluster;
#endif
}

/* Creates handle and brokers without the GIL. On failure it fills in `error_text`. */
WITHOUT_GIL static bool
start_brokers(MockCluster *self, int32_t retention_bytes, char *error_text, size_t size)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, discard_log);
    if (!set_retention(conf, retention_bytes, error_text, size)) {
        rd_kafka_conf_destroy(conf);
        return false;
    }
    rd_kafka_t *rk = rd_kafka_new(RD_KAFKA_PRODUCER, conf, error_text, size);
    if (rk == NULL) {
        rd_kafka_conf_destroy(conf);
        return false;
    }
    rd_kafka_mock_cluster_t *cluster = new_cluster(rk, self->brokers);
    if (cluster == NULL) {
        snprintf(error_text, size, "the mock brokers could not be started");
        rd_kafka_destroy(rk);
        return false;
    }
    /* librdkafka's default of 3 s would be the longest part of most tests. Without any delay, two
     * members that start together would need an additional rebalance. */
    rd_kafka_mock_group_initial_rebalance_delay_ms(cluster, 100);
    /* Without a controller, clients would look for one until they time out, for requests that no
     * broker here answers. With a controller, they report the error at once. */
    rd_kafka_mock_set_controller_id(cluster, 1);
    self->rk = rk;
    self->cluster = cluster;
    /* Newer versions of Fetch report the partition's leader (KIP-951), and the brokers crash if
     * there is none: after set_leader(None), or for a topic that does not exist. Without the patch,
     * newer versions of Produce have the same fault. */
    mock_let_brokers_settle(self);
    rd_kafka_mock_set_apiversion(cluster, FETCH, 0, 11);
    mock_let_brokers_settle(self);
#ifdef RD_KAFKA_HAS_MOCK_TRANSACTION_VERSION
    rd_kafka_mock_set_transaction_version(cluster, 2); /* as in a new cluster of Kafka 4 */
#else
    rd_kafka_mock_set_apiversion(cluster, PRODUCE, 0, 9);
#endif
    return true;
}

/* May be called twice. Needs no GIL, and should be called without it. */
WITHOUT_GIL static void
stop_brokers(MockCluster *self)
{
    PyThread_acquire_lock(self->lock, WAIT_LOCK);
    if (self->cluster != NULL) {
        mock_let_brokers_settle(self);
        rd_kafka_mock_cluster_destroy(self->cluster);
        rd_kafka_destroy(self->rk);
        self->cluster = NULL;
        self->rk = NULL;
    }
    mock_offers_close(self);
    PyThread_release_lock(self->lock);
}

static int
mock_cluster_start(MockCluster *self, int32_t retention_bytes)
{
    char error_text[512] = "";
    bool started;
    if (check_file_descriptors(self->brokers + SPARE_DESCRIPTORS) < 0) {
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS
    started = start_brokers(self, retention_bytes, error_text, sizeof(error_text));
    Py_END_ALLOW_THREADS
    if (!started) {
        raise_kafka_error(self->state, RD_KAFKA_RESP_ERR__CRIT_SYS_RESOURCE, "%s",
                          error_text);
        return -1;
    }
    self->bootstrap_servers =
        PyUnicode_FromString(rd_kafka_mock_cluster_bootstraps(self->cluster));
    return self->bootstrap_servers == NULL ? -1 : 0;
}

static PyObject *
mock_cluster_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    SIGNATURE(arguments, "MockCluster()", 0, 1, P_brokers, P_retention_bytes);
    module_state *state = module_state_of_type(type);
    PyObject *values[2];
    int32_t brokers = 3, retention_bytes = 0;
    if (args_parse_tuple(state, &arguments, args, kwargs, values) < 0
        || (values[0] != NULL
            && arg_int32(values[0], "brokers", 1, MAX_BROKERS, &brokers) < 0)
        || (values[1] != NULL && values[1] != Py_None
            && arg_int32(values[1], "retention_bytes", 1, INT32_MAX, &retention_bytes)
                   < 0)) {
        return NULL;
    }
    MockCluster *self = (MockCluster *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->state = state;
    self->brokers = brokers;
    self->owner_pid = process_id();
    self->lock = PyThread_allocate_lock();
    if (self->lock == NULL) {
        PyErr_NoMemory();
        Py_DECREF(self);
        return NULL;
    }
    if (mock_cluster_start(self, retention_bytes) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/* Warns if a cluster is deleted without close(), as files and sockets do. */
static void
mock_cluster_finalize(PyObject *object)
{
    MockCluster *self = (MockCluster *)object;
    if (self->cluster == NULL || mock_in_forked_child(self)) {
        return;
    }
    PyObject *raised = PyErr_GetRaisedException();
    if (PyErr_ResourceWarning(
            object, 1, "MockCluster was not closed: call close() or use 'with'") < 0) {
        PyErr_WriteUnraisable(object);
    }
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

static int
mock_cluster_traverse(MockCluster *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static void
mock_cluster_dealloc(MockCluster *self)
{
    if (PyObject_CallFinalizerFromDealloc((PyObject *)self) < 0) {
        return; /* code that records warnings keeps their source alive */
    }
    PyObject_GC_UnTrack(self);
    PyTypeObject *type = Py_TYPE(self);
    /* A forked child keeps its copy of the handle until the process ends. The handle's threads,
     * which may hold its locks, exist only in the parent. */
    if (self->cluster != NULL && !mock_in_forked_child(self)) {
        Py_BEGIN_ALLOW_THREADS
        stop_brokers(self);
        Py_END_ALLOW_THREADS
    }
    if (self->lock != NULL) {
        PyThread_free_lock(self->lock);
    }
    Py_XDECREF(self->bootstrap_servers);
    type->tp_free(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(close_doc,
"close($self, /)\n--\n\n"
"Stop the brokers and free their ports; connected clients lose their connections.\n\n"
"Later calls do nothing, and any other use of a closed cluster raises RuntimeError.\n"
"In a forked child close() does nothing: the brokers are the parent's.\n\n"
"librdkafka: rd_kafka_mock_cluster_destroy().");

static PyObject *
mock_cluster_close(MockCluster *self, PyObject *unused)
{
    (void)unused;
    if (!mock_in_forked_child(self)) {
        Py_BEGIN_ALLOW_THREADS
        stop_brokers(self);
        Py_END_ALLOW_THREADS
    }
    Py_RETURN_NONE;
}

static rd_kafka_resp_err_t
do_nothing(MockCluster *self, mock_call *call)
{
    (void)self, (void)call;
    return RD_KAFKA_RESP_ERR_NO_ERROR;
}

static int
check_open(MockCluster *self)
{
    mock_call call = {.run = do_nothing};
    rd_kafka_resp_err_t error;
    return mock_cluster_call(self, &call, &error);
}

PyDoc_STRVAR(enter_doc, "__enter__($self, /)\n--\n\nReturn the cluster itself.");

static PyObject *
mock_cluster_enter(MockCluster *self, PyObject *unused)
{
    (void)unused;
    return check_open(self) < 0 ? NULL : Py_NewRef((PyObject *)self);
}

PyDoc_STRVAR(exit_doc,
"__exit__($self, exc_type, exc_value, traceback, /)\n--\n\nClose the cluster.");

static PyObject *
mock_cluster_exit(MockCluster *self, PyObject *exception)
{
    PyObject *type, *value, *traceback;
    if (!PyArg_UnpackTuple(exception, "__exit__()", 3, 3, &type, &value, &traceback)) {
        return NULL;
    }
    return mock_cluster_close(self, NULL);
}

PyDoc_STRVAR(reduce_doc,
"__reduce__($self, /)\n--\n\nRaise TypeError: a running cluster cannot be pickled.");

static PyObject *
mock_cluster_reduce(MockCluster *self, PyObject *unused)
{
    (void)self, (void)unused;
    PyErr_SetString(PyExc_TypeError,
                    "MockCluster cannot be pickled or copied: give other processes its "
                    "bootstrap_servers, they can connect to the same brokers");
    return NULL;
}

static PyObject *
mock_cluster_repr(MockCluster *self)
{
    if (!mock_in_forked_child(self) && check_open(self) < 0) {
        PyErr_Clear();
        return PyUnicode_FromString("<MockCluster, closed>");
    }
    return PyUnicode_FromFormat("<MockCluster %U>", self->bootstrap_servers);
}

/* ---- the type ---- */

PyDoc_STRVAR(bootstrap_servers_doc,
"The addresses of all brokers, \"127.0.0.1:port,127.0.0.1:port,...\", as clients take\n"
"them in 'bootstrap.servers'. librdkafka: rd_kafka_mock_cluster_bootstraps().");

static PyObject *
get_bootstrap_servers(MockCluster *self, void *unused)
{
    (void)unused;
    /* It also works in a forked child, where it is the address of the parent's brokers. */
    if (!mock_in_forked_child(self) && check_open(self) < 0) {
        return NULL;
    }
    return Py_NewRef(self->bootstrap_servers);
}

PyDoc_STRVAR(brokers_doc,
"The number of brokers in the cluster; their ids are 1 to this number.");

static PyObject *
get_brokers(MockCluster *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(self->brokers);
}

static PyGetSetDef mock_cluster_getset[] = {
    {"bootstrap_servers", (getter)get_bootstrap_servers, NULL, bootstrap_servers_doc,
     NULL},
    {"brokers", (getter)get_brokers, NULL, brokers_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef mock_cluster_methods[] = {
#define METHOD(name)                                                                     \
    {#name, (PyCFunction)(void (*)(void))mock_##name, METH_FASTCALL | METH_KEYWORDS,     \
     mock_##name##_doc},
    MOCK_METHODS(METHOD)
#undef METHOD
#define METHOD(name) {#name, (PyCFunction)mock_##name, METH_NOARGS, mock_##name##_doc},
    MOCK_METHODS_WITHOUT_ARGUMENTS(METHOD)
#undef METHOD
    {"close", (PyCFunction)mock_cluster_close, METH_NOARGS, close_doc},
    {"__enter__", (PyCFunction)mock_cluster_enter, METH_NOARGS, enter_doc},
    {"__exit__", (PyCFunction)mock_cluster_exit, METH_VARARGS, exit_doc},
    {"__reduce__", (PyCFunction)mock_cluster_reduce, METH_NOARGS, reduce_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(mock_cluster_doc,
"MockCluster(brokers=3, *, retention_bytes=None)\n--\n\n"
"A Kafka cluster inside this process, for tests, demonstrations and laptops.\n\n"
"Its brokers are librdkafka's mock brokers, which have everything in memory. They listen on\n"
"127.0.0.1, on ports that the system chooses, and speak Kafka's protocol. Any client in any\n"
"process of this machine can connect. Use the cluster as a\n"
"context manager, or call close(). A forked child cannot control it\n"
"(RuntimeError), but clients there can connect to its bootstrap_servers.\n\n"
"Args:\n"
"    brokers (int): the number of brokers, 1 to 100; their ids are 1 to this number.\n"
"    retention_bytes (int or None): how many bytes of record batches each partition keeps, 1 to\n"
"        2,147,483,647; None for 5 MiB. The batches are in the memory of this process.\n\n"
"Raises:\n"
"    OSError: the process has too few free file descriptors.\n"
"    KafkaException: the brokers could not be started.\n\n"
"Differences from Apache Kafka:\n\n"
"- A partition keeps 5 MiB of record batches, or retention_bytes, in the form in which they were\n"
"  sent (compressed or not). The oldest batches are dropped, and the low watermark moves up. The\n"
"  latest batch stays, whatever its size is. There is no retention by time, compact() is the only\n"
"  compaction.\n"
"- A topic that a client asks for is created with 4 partitions and 3 replicas (fewer\n"
"  with fewer brokers). Replicas share their records, so a new leader never lacks any.\n"
"- A new group of the classic protocol waits 0.1 s for members, see\n"
"  set_group_initial_rebalance_delay() (Kafka: 3 s). With a librdkafka without our patches\n"
"  (the system's), every later rebalance takes session.timeout.ms less 1 s, even if all members\n"
"  have joined again.\n"
"- With a librdkafka without our patches, transactions follow version 1 of the protocol,\n"
"  consumers with isolation.level=read_committed also see the records of aborted transactions,\n"
"  the offsets of a transaction are accepted but not committed, and a message that an idempotent\n"
"  producer sends again is stored twice.\n"
"- Fetch is offered up to version 11. Its responses do not name a new leader (KIP-951), so the\n"
"  client requests metadata.\n"
"- The brokers answer the requests of producers (including idempotent and transactional ones),\n"
"  consumers (classic and KIP-848 groups), share consumers and telemetry (KIP-714). They also\n"
"  answer the administration requests that docs/guides/testing.md lists. Other requests fail at\n"
"  once with KafkaError._UNSUPPORTED_FEATURE; on_request() can answer them. A librdkafka without\n"
"  our patches (the system's) answers no administration requests.\n\n"
"librdkafka: rd_kafka_mock_cluster_new().");

static PyType_Slot mock_cluster_slots[] = {
    {Py_tp_doc, (void *)mock_cluster_doc},
    {Py_tp_new, mock_cluster_new},
    {Py_tp_dealloc, mock_cluster_dealloc},
    {Py_tp_finalize, mock_cluster_finalize},
    {Py_tp_traverse, mock_cluster_traverse},
    {Py_tp_repr, mock_cluster_repr},
    {Py_tp_methods, mock_cluster_methods},
    {Py_tp_getset, mock_cluster_getset},
    {0, NULL},
};

static PyType_Spec mock_cluster_spec = {
    .name = "confluent_kafka.cimpl.MockCluster",
    .basicsize = sizeof(MockCluster),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = mock_cluster_slots,
};

int
mock_cluster_type_add(PyObject *module, module_state *state)
{
    state->MockCluster = module_add_type(module, &mock_cluster_spec, NULL);
    if (state->MockCluster == NULL) {
        return -1;
    }
    return mock_request_type_add(module, state) < 0 ? -1 : mock_offers_type_add(module, state);
}

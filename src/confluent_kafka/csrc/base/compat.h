/*
 * The only place that distinguishes versions of CPython and librdkafka, and compilers.
 */
#ifndef CONFLUENT_KAFKA_BASE_COMPAT_H
#define CONFLUENT_KAFKA_BASE_COMPAT_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <librdkafka/rdkafka.h>
#include <stdatomic.h>
#ifdef _WIN32
#include <io.h>
#include <process.h>
#else
#include <unistd.h>
#endif

#if PY_VERSION_HEX < 0x030b0000
#error "confluent_kafka needs CPython 3.11 or newer"
#endif

/* tools/librdkafka.py (OLDEST) makes the same check when the system's library is requested. */
#if RD_KAFKA_VERSION < 0x020e0000
#error "confluent_kafka needs librdkafka 2.14 or newer"
#endif

/* Critical sections are no-ops where the GIL already serialises (and absent before 3.13). */
#ifndef Py_BEGIN_CRITICAL_SECTION
#define Py_BEGIN_CRITICAL_SECTION(op) {
#define Py_END_CRITICAL_SECTION() }
#endif

/*
 * They bracket the body of tp_dealloc in types whose objects can contain objects of the same
 * type. Objects that are nested too deep for the stack are put aside and freed later. Newer
 * versions of CPython do that for every type.
 */
#ifndef Py_TRASHCAN_BEGIN
#define Py_TRASHCAN_BEGIN(op, dealloc)
#define Py_TRASHCAN_END
#endif

/* Without it, importing the module turns on the GIL of a free-threaded build. */
#ifdef Py_mod_gil
#define GIL_NOT_USED_SLOT {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#else
#define GIL_NOT_USED_SLOT
#endif

/* Subinterpreters that share the GIL are supported. One with a GIL of its own may start no daemon
 * threads, which tokens and admin answers need: importing the module there raises ImportError. */
#ifdef Py_mod_multiple_interpreters
#define INTERPRETERS_SLOT \
    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_SUPPORTED},
#else
#define INTERPRETERS_SLOT
#endif

/*
 * Marks a function that may wait for librdkafka and is called without the GIL: on a thread
 * without Python, or after the caller has released the GIL. tools/gil.py checks the calls.
 */
#define WITHOUT_GIL

/* Guards C data between Python threads; without a GIL it is a real lock. */
#ifdef Py_GIL_DISABLED
typedef PyMutex object_mutex;
#define object_mutex_lock(mutex) PyMutex_Lock(mutex)
#define object_mutex_unlock(mutex) PyMutex_Unlock(mutex)
#else
typedef struct {
    char unused;
} object_mutex;
#define object_mutex_lock(mutex) ((void)(mutex))
#define object_mutex_unlock(mutex) ((void)(mutex))
#endif

/* Adds to a counter that only Python threads change: the GIL makes a locked instruction
 * unnecessary. */
static inline void
shared_count_add(_Atomic Py_ssize_t *count, Py_ssize_t change)
{
#ifdef Py_GIL_DISABLED
    atomic_fetch_add(count, change);
#else
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + change,
                          memory_order_relaxed);
#endif
}

#if defined(__linux__) && defined(__has_builtin)
#if __has_builtin(__builtin_thread_pointer)
#define HAS_THREAD_POINTER 1
#endif
#endif

/* Returns 0 with errno on failure. */
static inline int
compat_is_readable(const char *path)
{
#ifdef _WIN32
    return _access(path, 4) == 0;
#else
    return access(path, R_OK) == 0;
#endif
}

/* A number that identifies the running thread; the first of the two ways costs no call. */
static inline uint64_t
thread_number(void)
{
#ifdef HAS_THREAD_POINTER
    return (uint64_t)(uintptr_t)__builtin_thread_pointer();
#else
    return (uint64_t)PyThread_get_thread_ident();
#endif
}

/* The same as shared_count_add(), for a sum that may wrap around. */
static inline void
shared_sum_add(_Atomic uint64_t *sum, uint64_t change)
{
#ifdef Py_GIL_DISABLED
    atomic_fetch_add(sum, change);
#else
    atomic_store_explicit(sum, atomic_load_explicit(sum, memory_order_relaxed) + change,
                          memory_order_relaxed);
#endif
}

/*
 * True when the caller holds the only reference to `op`. The free-threaded build keeps
 * two counts, so a plain Py_REFCNT() comparison would be wrong there.
 */
static inline int
compat_uniquely_referenced(PyObject *op)
{
#if PY_VERSION_HEX >= 0x030e0000
    return PyUnstable_Object_IsUniquelyReferenced(op);
#elif defined(Py_GIL_DISABLED)
    (void)op;
    return 0;
#else
    return Py_REFCNT(op) == 1;
#endif
}

#if PY_VERSION_HEX < 0x030c0000
/* Takes the current exception, normalised and with its traceback, or NULL. */
static inline PyObject *
PyErr_GetRaisedException(void)
{
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    if (type == NULL) {
        return NULL;
    }
    PyErr_NormalizeException(&type, &value, &traceback);
    if (traceback != NULL) {
        PyException_SetTraceback(value, traceback);
        Py_DECREF(traceback);
    }
    Py_DECREF(type);
    return value;
}

/* Raises `exception`, whose reference is stolen. */
static inline void
PyErr_SetRaisedException(PyObject *exception)
{
    PyErr_Restore(Py_NewRef((PyObject *)Py_TYPE(exception)), exception,
                  PyException_GetTraceback(exception));
}
#endif

#if PY_VERSION_HEX < 0x030d0000
#define Py_IsFinalizing _Py_IsFinalizing

/* New references: without a GIL, a borrowed item can be freed before it is used. */
static inline PyObject *
PyList_GetItemRef(PyObject *list, Py_ssize_t index)
{
    return Py_XNewRef(PyList_GetItem(list, index));
}

/* 1 with the item, 0 without one, -1 with an exception. */
static inline int
PyDict_GetItemRef(PyObject *dict, PyObject *key, PyObject **item)
{
    *item = Py_XNewRef(PyDict_GetItemWithError(dict, key));
    return *item != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
}

/* 1 with the object, 0 if it was deleted or is being deleted, -1 with an exception. */
static inline int
PyWeakref_GetRef(PyObject *reference, PyObject **object)
{
    PyObject *found = PyWeakref_GetObject(reference);
    *object = found == NULL || found == Py_None ? NULL : Py_NewRef(found);
    return *object != NULL ? 1 : found == NULL ? -1 : 0;
}

static inline int
PyModule_Add(PyObject *module, const char *name, PyObject *value)
{
    int result = PyModule_AddObjectRef(module, name, value);
    Py_XDECREF(value);
    return result;
}
#endif

/* Share consumers (KIP-932) need librdkafka 2.15. Files that need them are compiled as a whole
 * or not at all. */
#define HAVE_SHARE_CONSUMER (RD_KAFKA_VERSION >= 0x020f0000)

/* Older mock clusters have no controller, so that admin requests would wait until they time out. */
#if RD_KAFKA_VERSION < 0x020f0000
#define rd_kafka_mock_set_controller_id(cluster, broker_id) ((void)(cluster))
#endif

/* Part of the patch fetched-messages. Without it, rd_kafka_yield() makes
 * rd_kafka_consume_batch_queue() lose the next message of the queue. */
#ifndef RD_KAFKA_HAS_MESSAGE_DESTROY_ARRAY
#define rd_kafka_yield(rk) ((void)(rk))

static inline void
rd_kafka_message_destroy_array(rd_kafka_message_t **messages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rd_kafka_message_destroy(messages[i]);
    }
}
#endif

/* Part of the patch headers. */
#ifndef RD_KAFKA_HAS_ENCODED_HEADERS
typedef struct {
    int64_t cnt;
} rd_kafka_encoded_headers_t;

static inline size_t
rd_kafka_message_encoded_headers(const rd_kafka_message_t *Py_UNUSED(message),
                                 const void **Py_UNUSED(data))
{
    return 0;
}

static inline rd_kafka_resp_err_t
rd_kafka_encoded_headers_init(rd_kafka_encoded_headers_t *Py_UNUSED(headers),
                              const void *Py_UNUSED(data), size_t Py_UNUSED(size))
{
    return RD_KAFKA_RESP_ERR__NOENT;
}

static inline rd_kafka_resp_err_t
rd_kafka_encoded_headers_next(rd_kafka_encoded_headers_t *Py_UNUSED(headers),
                              const char **Py_UNUSED(name), size_t *Py_UNUSED(name_size),
                              const void **Py_UNUSED(value), size_t *Py_UNUSED(size))
{
    return RD_KAFKA_RESP_ERR__NOENT;
}
#endif

/* Part of the patch recreated-topic. */
#ifndef RD_KAFKA_HAS_MESSAGE_IS_OF_FORMER_TOPIC
static inline int
rd_kafka_message_is_of_former_topic(const rd_kafka_message_t *Py_UNUSED(message))
{
    return 0;
}
static inline int32_t
rd_kafka_topic_version(rd_kafka_t *Py_UNUSED(rk), const char *Py_UNUSED(topic),
                       int32_t Py_UNUSED(partition))
{
    return 0;
}
#endif

/* Part of the patch first-position. */
#ifndef RD_KAFKA_HAS_NEXT_POSITION
#define rd_kafka_next_position rd_kafka_position
#endif

/* The id of this process: the threads of a handle exist in one process only. */
static inline long
process_id(void)
{
#ifdef _WIN32
    return (long)_getpid();
#else
    return (long)getpid();
#endif
}

/* For bug reports, see build_info(). */
#if defined(__clang__)
#define COMPILER __VERSION__
#elif defined(__GNUC__)
#define COMPILER "GCC " __VERSION__
#elif defined(_MSC_VER)
#define COMPILER_TEXT_(number) "MSVC " #number
#define COMPILER_TEXT(number) COMPILER_TEXT_(number)
#define COMPILER COMPILER_TEXT(_MSC_FULL_VER)
#else
#define COMPILER "unknown"
#endif

#ifdef Py_GIL_DISABLED
#define FREE_THREADED_BUILD 1
#else
#define FREE_THREADED_BUILD 0
#endif

/* Tells the processor that the memory will be read soon; any address is allowed. */
#if defined(__GNUC__)
#define PREFETCH_MEMORY(address) __builtin_prefetch(address)
#else
#define PREFETCH_MEMORY(address) ((void)(address))
#endif

#endif

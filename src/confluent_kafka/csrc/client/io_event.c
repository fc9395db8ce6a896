/*
 * Wakes an event loop when a client has something to serve.
 */
#include "client/io_event.h"

#include "client/client.h"
#include "client/core.h"
#include "client/guard.h"

#ifdef _WIN32
#include <winsock2.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

/*
 * A copy of the descriptor for librdkafka's threads. They may still write after the application has
 * closed its own descriptor, whose number may then belong to another file. Owned by the core; -1
 * with an exception.
 */
static int
duplicate(int fd)
{
#ifdef _WIN32
    return fd; /* a socket's handle */
#else
    int flags = fcntl(fd, F_GETFL);
    if (flags != -1 && (flags & O_NONBLOCK) == 0) {
        PyErr_Format(PyExc_ValueError,
                     "fd %d blocks: librdkafka's threads would wait on it while nobody reads; "
                     "set it to be non-blocking",
                     fd);
        return -1;
    }
    int own = flags == -1 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own == -1) {
        PyErr_SetFromErrno(PyExc_OSError);
    }
    return own;
#endif
}

static const char payload[] = {1};

static void
enable_for(rd_kafka_queue_t *queue, int own)
{
    rd_kafka_queue_io_event_enable(queue, own, payload, sizeof(payload));
    if (own != -1 && rd_kafka_queue_length(queue) > 0) {
        /* librdkafka only reports events that arrive in an empty queue. For the events that are
         * already in the queue, write now. If the pipe is full, it is readable anyway. */
#ifdef _WIN32
        (void)send((SOCKET)own, payload, sizeof(payload), 0);
#else
        ssize_t Py_UNUSED(written) = write(own, payload, sizeof(payload));
#endif
    }
}

static void
enable(client_core *core, int own)
{
    enable_for(core->queue, own);
    if (core->callbacks != NULL) {
        enable_for(core->callbacks, own);
    }
    core_set_event_fd(core, own);
}

PyDoc_STRVAR(io_event_enable_doc,
"io_event_enable($self, fd, /)\n--\n\n"
"Write a byte to a file descriptor each time poll() gets something to serve, and at once if it\n"
"has something already.\n\n"
"For event loops: wait until the other end is readable, read the bytes, and then call poll(0) or\n"
"consume(n, 0) until they return nothing. At most one byte is written between two such calls,\n"
"and none for an event that arrives while others are waiting. So also poll a few times a second\n"
"without being woken: these calls hand over log records, and max.poll.interval.ms counts the time\n"
"between them.\n\n"
"Args:\n"
"    fd (int): a non-blocking pipe or socket to write to. It is duplicated, so it can be closed\n"
"        at any time. It replaces an earlier one; -1 turns notification off.\n\n"
"Raises:\n"
"    OSError: the descriptor is not open.\n"
"    ValueError: the descriptor is in blocking mode.\n\n"
"librdkafka: rd_kafka_queue_io_event_enable().");

static PyObject *
io_event_enable(PyObject *object, PyObject *argument)
{
    Client *self = (Client *)object;
    int32_t fd;
    if (client_enter(self) < 0) {
        return NULL;
    }
    if (arg_int32(argument, "fd", -1, INT32_MAX, &fd) < 0) {
        client_leave(self);
        return NULL;
    }
    int own = fd == -1 ? -1 : duplicate(fd);
    bool failed = own == -1 && fd != -1;
    if (!failed) {
        Py_BEGIN_CRITICAL_SECTION(self);
        enable(self->core, own);
        Py_END_CRITICAL_SECTION();
    }
    client_leave(self);
    return failed ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(queue_length_doc,
"_queue_length($self, /)\n--\n\n"
"The number of events for poll() to serve. While it is not 0, no byte is written for new events:\n"
"poll(0) may leave some events. Its result does not count errors and statistics that have no\n"
"callback.");

static PyObject *
queue_length(PyObject *object, PyObject *Py_UNUSED(unused))
{
    Client *self = (Client *)object;
    if (client_enter(self) < 0) {
        return NULL;
    }
    size_t length = rd_kafka_queue_length(self->core->queue);
    client_leave(self);
    return PyLong_FromSize_t(length);
}

PyMethodDef io_event_methods[] = {
    {"_queue_length", queue_length, METH_NOARGS, queue_length_doc},
    {"io_event_enable", io_event_enable, METH_O, io_event_enable_doc},
    {NULL, NULL, 0, NULL},
};

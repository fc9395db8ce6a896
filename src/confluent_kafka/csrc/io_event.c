/*
 * Telling an event loop that a client has something to serve.
 */
#include "io_event.h"

#include "client.h"

#ifndef _WIN32
#include <fcntl.h>
#endif

/* 0, or -1 with an exception: librdkafka ignores what is wrong with a descriptor. */
static int
check_descriptor(int fd)
{
#ifndef _WIN32
    int flags = fd == -1 ? O_NONBLOCK : fcntl(fd, F_GETFL);
    if (flags == -1) {
        PyErr_SetFromErrno(PyExc_OSError);
        return -1;
    }
    if ((flags & O_NONBLOCK) == 0) {
        PyErr_Format(PyExc_ValueError,
                     "fd %d blocks: librdkafka's threads would wait on it while nobody reads; "
                     "set it to be non-blocking",
                     fd);
        return -1;
    }
#endif
    return 0;
}

PyDoc_STRVAR(io_event_enable_doc,
"io_event_enable($self, fd, /)\n--\n\n"
"Write a byte to a file descriptor each time there is something for poll() to serve.\n\n"
"For event loops: wait until the other end is readable, read what is there, and then call\n"
"poll(0) or consume(n, 0) until nothing comes. There is one byte between two such calls,\n"
"however much arrives. Log records come without one; poll a few times a second for them, and\n"
"because to max.poll.interval.ms it is the calls that count.\n\n"
"Parameters\n"
"----------\n"
"fd : int\n"
"    A non-blocking pipe or socket to write to; -1 ends it. End it before closing the\n"
"    descriptor: its number may soon be another file's.\n\n"
"Raises\n"
"------\n"
"OSError\n"
"    No such descriptor.\n"
"ValueError\n"
"    It blocks.\n\n"
"Notes\n"
"-----\n"
"librdkafka: rd_kafka_queue_io_event_enable().");

static PyObject *
io_event_enable(PyObject *object, PyObject *argument)
{
    static const char payload[] = {1};
    Client *self = (Client *)object;
    int32_t fd;
    if (arg_int32(argument, "fd", -1, INT32_MAX, &fd) < 0 || check_descriptor(fd) < 0
        || client_enter(self) < 0) {
        return NULL;
    }
    rd_kafka_queue_io_event_enable(self->core->queue, fd, payload, sizeof(payload));
    if (self->core->callbacks != NULL) {
        rd_kafka_queue_io_event_enable(self->core->callbacks, fd, payload, sizeof(payload));
    }
    client_leave(self);
    Py_RETURN_NONE;
}

PyMethodDef io_event_methods[] = {
    {"io_event_enable", io_event_enable, METH_O, io_event_enable_doc},
    {NULL, NULL, 0, NULL},
};

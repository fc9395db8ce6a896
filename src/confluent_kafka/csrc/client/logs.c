#include "client/logs.h"

#include "base/text.h"
#include "client/core.h"
#include "client/exceptions.h"
#include "client/log_ring.h"

/* Runs on any of librdkafka's threads: no Python is allowed here. */
static void
on_log(const rd_kafka_t *rk, int level, const char *facility, const char *message)
{
    client_core *core = rk == NULL ? NULL : rd_kafka_opaque(rk);
    if (core != NULL) {
        log_ring_push(core->logs, level, facility, message);
    }
}

/* Converts a syslog level to a level of the logging module. */
static int
logging_level(int level)
{
    static const int levels[] = {50, 50, 50, 40, 30, 20, 20, 10};
    return levels[level < 0 ? 0 : level > 7 ? 7 : level];
}

/* The client's own logger; new reference, or NULL. */
static PyObject *
known_logger(Client *self)
{
    PyObject *logger;
    Py_BEGIN_CRITICAL_SECTION(self);
    logger = Py_XNewRef(self->logs.logger);
    Py_END_CRITICAL_SECTION();
    return logger;
}

/* The client's own logger, or the logger "confluent_kafka"; new reference. */
static PyObject *
get_logger(Client *self)
{
    PyObject *logger = known_logger(self);
    PyObject *get = logger != NULL ? NULL : import_attribute("logging", "getLogger");
    if (get == NULL) {
        return logger;
    }
    logger = PyObject_CallFunction(get, "s", "confluent_kafka");
    Py_DECREF(get);
    Py_BEGIN_CRITICAL_SECTION(self);
    if (self->logs.logger == NULL) { /* otherwise another thread has set it meanwhile */
        self->logs.logger = Py_XNewRef(logger);
    }
    Py_END_CRITICAL_SECTION();
    return logger;
}

static int
log_one(PyObject *logger, const char *client_name, const log_record *record)
{
    /* librdkafka may truncate a client's name in the middle of a character. */
    PyObject *result = PyObject_CallMethod(
        logger, "log", "isNNN", logging_level(record->level), "%s [%s] %s",
        text_from(record->facility), text_from(client_name), text_from(record->message));
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

static int
log_dropped(Client *self, PyObject *logger)
{
    size_t dropped = log_ring_take_dropped(self->core->logs);
    if (dropped == 0) {
        return 0;
    }
    PyObject *result = PyObject_CallMethod(
        logger, "log", "isn", 30,
        "%d older log records were dropped: call poll() more often", (Py_ssize_t)dropped);
    Py_XDECREF(result);
    return result == NULL ? -1 : 0;
}

int
serve_logs_or_raise(Client *self)
{
    if (log_ring_is_empty(self->core->logs)) {
        return 0;
    }
    PyObject *logger = get_logger(self);
    if (logger == NULL) {
        return -1;
    }
    int result = log_dropped(self, logger);
    /* At most one full ring: a logger that makes librdkafka log must not cause an endless loop. */
    log_record record;
    for (int i = 0; result == 0 && i < LOG_RING_CAPACITY; i++) {
        if (!log_ring_pop(self->core->logs, &record)) {
            break;
        }
        result = log_one(logger, rd_kafka_name(self->rk), &record);
        log_record_clear(&record);
    }
    Py_DECREF(logger);
    return result;
}

void
serve_logs(Client *self)
{
    if (serve_logs_or_raise(self) < 0) {
        client_park_exception(self);
    }
}

void
logs_warn(Client *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    PyObject *text = PyUnicode_FromFormatV(format, arguments);
    va_end(arguments);
    PyObject *logger = text == NULL ? NULL : get_logger(self);
    PyObject *result =
        logger == NULL ? NULL : PyObject_CallMethod(logger, "log", "isO", 30, "%s", text);
    if (result == NULL) {
        client_park_exception(self);
    }
    Py_XDECREF(result);
    Py_XDECREF(logger);
    Py_XDECREF(text);
}

void
logs_configure(rd_kafka_conf_t *conf)
{
    rd_kafka_conf_set_log_cb(conf, on_log);
}

int
logs_traverse(Client *self, visitproc visit, void *arg)
{
    Py_VISIT(self->logs.logger);
    return 0;
}

void
logs_clear(Client *self)
{
    Py_CLEAR(self->logs.logger);
}

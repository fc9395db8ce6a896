#include "client/diagnosis.h"

#include "values/error.h"

/* librdkafka tries again within reconnect.backoff.max.ms, 10 seconds by default. */
#define OUTAGE_SECONDS 30
#define REFUSAL_SECONDS 15
#define LOG_SECONDS 30

int
diagnosis_traverse(diagnosis *self, visitproc visit, void *arg)
{
    Py_VISIT(self->error);
    Py_VISIT(self->statistics);
    Py_VISIT(self->outage.error);
    Py_VISIT(self->refusal.error);
    return 0;
}

void
diagnosis_clear(diagnosis *self)
{
    Py_CLEAR(self->error);
    Py_CLEAR(self->statistics);
    Py_CLEAR(self->outage.error);
    Py_CLEAR(self->refusal.error);
}

static recent_error
recent_from(PyObject *error, int seconds)
{
    return (recent_error){Py_NewRef(error), coarse_now_us() + seconds * INT64_C(1000000)};
}

static bool
explains_nothing(const recent_error *recent)
{
    return recent->error == NULL || coarse_now_us() >= recent->until_us;
}

/* ---- one field ---- */

static PyObject *
get_field(diagnosis *self, PyObject **field)
{
    object_mutex_lock(&self->mutex);
    PyObject *value = Py_XNewRef(*field);
    object_mutex_unlock(&self->mutex);
    return value == NULL ? Py_NewRef(Py_None) : value;
}

PyObject *
diagnosis_last_error(diagnosis *self)
{
    return get_field(self, &self->error);
}

PyObject *
diagnosis_statistics(diagnosis *self)
{
    return get_field(self, &self->statistics);
}

void
diagnosis_note_statistics(diagnosis *self, PyObject *json)
{
    object_mutex_lock(&self->mutex);
    PyObject *former = self->statistics;
    self->statistics = Py_NewRef(json);
    object_mutex_unlock(&self->mutex);
    Py_XDECREF(former); /* after the mutex is released, because it may run Python code */
}

/* ---- an outage ---- */

/* How specific an error is: a refusal explains more than a broker that cannot be reached. */
static int
error_rank(rd_kafka_resp_err_t code)
{
    switch (code) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
    case RD_KAFKA_RESP_ERR__SSL:
        return 3;
    case RD_KAFKA_RESP_ERR__RESOLVE:
        return 2;
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__DESTROY_BROKER:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
        return 1;
    default:
        return 0;
    }
}

/* Records the error if it is as specific as the known one. Returns the replaced one, or NULL. */
static PyObject *
swap_outage_lock_held(diagnosis *self, PyObject *error)
{
    recent_error *known = &self->outage;
    int rank = error_rank(kafka_error_code(error));
    bool says_more =
        explains_nothing(known) || rank >= error_rank(kafka_error_code(known->error));
    if (rank == 0 || !says_more) {
        return NULL;
    }
    PyObject *old = known->error;
    *known = recent_from(error, OUTAGE_SECONDS);
    return old;
}

void
diagnosis_note_error(diagnosis *self, PyObject *error)
{
    PyObject *replaced = NULL;
    object_mutex_lock(&self->mutex);
    PyObject *former = self->error;
    self->error = Py_NewRef(error);
    if (kafka_error_code(error) == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
        self->all_down = true;
    }
    else {
        replaced = swap_outage_lock_held(self, error);
    }
    object_mutex_unlock(&self->mutex);
    Py_XDECREF(former);
    Py_XDECREF(replaced);
}

/* The error of `recent`, if it is recent enough to explain an outage; new reference, or NULL. */
static PyObject *
recent_lock_held(const recent_error *recent)
{
    return explains_nothing(recent) ? NULL : Py_NewRef(recent->error);
}

PyObject *
diagnosis_outage(diagnosis *self)
{
    object_mutex_lock(&self->mutex);
    PyObject *error = recent_lock_held(&self->outage);
    object_mutex_unlock(&self->mutex);
    return error;
}

void
diagnosis_end_outage(diagnosis *self)
{
    object_mutex_lock(&self->mutex);
    PyObject *ended = self->outage.error;
    self->outage = (recent_error){0};
    self->all_down = false;
    self->down_said_until_us = 0;
    object_mutex_unlock(&self->mutex);
    Py_XDECREF(ended);
}

bool
diagnosis_is_news(diagnosis *self, rd_kafka_resp_err_t code, Py_ssize_t *repeats)
{
    *repeats = 0;
    if (code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
        return true;
    }
    int64_t now = coarse_now_us();
    object_mutex_lock(&self->mutex);
    bool is_news = now >= self->down_said_until_us;
    if (is_news) {
        *repeats = self->down_unsaid;
        self->down_said_until_us = now + LOG_SECONDS * INT64_C(1000000);
    }
    self->down_unsaid = is_news ? 0 : self->down_unsaid + 1;
    object_mutex_unlock(&self->mutex);
    return is_news;
}

/* ---- connect() ---- */

static void
add_watching(diagnosis *self, int difference)
{
    object_mutex_lock(&self->mutex);
    self->watching += difference;
    self->all_down = self->all_down && difference < 0;
    object_mutex_unlock(&self->mutex);
}

void
diagnosis_begin_watching(diagnosis *self)
{
    add_watching(self, 1);
}

void
diagnosis_end_watching(diagnosis *self)
{
    add_watching(self, -1);
}

bool
diagnosis_is_watched(diagnosis *self)
{
    object_mutex_lock(&self->mutex);
    bool watched = self->watching > 0;
    object_mutex_unlock(&self->mutex);
    return watched;
}

bool
diagnosis_all_down(diagnosis *self)
{
    object_mutex_lock(&self->mutex);
    bool down = self->all_down;
    object_mutex_unlock(&self->mutex);
    return down;
}

/* ---- a refusal ---- */

PyObject *
diagnosis_note_refusal(diagnosis *self, PyObject *error)
{
    rd_kafka_resp_err_t code = kafka_error_code(error);
    bool refused = code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL;
    if (!refused && code != RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
        return NULL;
    }
    object_mutex_lock(&self->mutex);
    PyObject *due = refused ? NULL : recent_lock_held(&self->refusal);
    PyObject *old = self->refusal.error;
    self->refusal = refused ? recent_from(error, REFUSAL_SECONDS) : (recent_error){0};
    object_mutex_unlock(&self->mutex);
    Py_XDECREF(old);
    return due;
}

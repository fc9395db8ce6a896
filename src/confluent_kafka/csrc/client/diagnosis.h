/*
 * The last errors and statistics of librdkafka: for last_error and stats(), for connect(), and
 * for consumers whose application has no error_cb.
 *
 * The serving thread writes them and every thread reads them; one mutex guards all of it.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_DIAGNOSIS_H
#define CONFLUENT_KAFKA_CLIENT_DIAGNOSIS_H

#include "base/args.h"
#include "base/deadline.h"

/* A KafkaError, and until when it can explain an outage. */
typedef struct {
    PyObject *error; /* or NULL */
    int64_t until_us; /* on the coarse clock */
} recent_error;

typedef struct {
    object_mutex mutex;
    PyObject *error;      /* the latest KafkaError, or NULL */
    PyObject *statistics; /* str: librdkafka's latest JSON, or NULL */
    recent_error outage;  /* the most specific error about why no broker answers */
    recent_error refusal; /* an error of the credentials or the certificate */
    bool all_down;        /* all brokers are down, since the last diagnosis_end_outage() */
    int watching;         /* the number of connect() calls that wait */
    int64_t down_said_until_us; /* until when the log need not repeat that all brokers are down */
    Py_ssize_t down_unsaid;     /* how often this was not logged since then */
} diagnosis;

int diagnosis_traverse(diagnosis *self, visitproc visit, void *arg);
void diagnosis_clear(diagnosis *self);

/* The latest error or statistics; new reference, None before the first. */
PyObject *diagnosis_last_error(diagnosis *self);
PyObject *diagnosis_statistics(diagnosis *self);

/* Records an error that the client reports, a KafkaError; the caller keeps its reference. */
void diagnosis_note_error(diagnosis *self, PyObject *error);
/* Records statistics, a str; the caller keeps its reference. */
void diagnosis_note_statistics(diagnosis *self, PyObject *json);

/*
 * Records an error for a consumer without error_cb. If brokers refuse such a consumer, its poll()
 * would return None for ever. Once all brokers are down and one of them has refused the
 * credentials or the certificate, returns the KafkaError that poll() must raise, new reference;
 * otherwise NULL. A single broker that refuses, or a broken connection, is only logged.
 */
PyObject *diagnosis_note_refusal(diagnosis *self, PyObject *error);

/* Brackets connect(), which itself raises the errors that are recorded meanwhile. */
void diagnosis_begin_watching(diagnosis *self);
void diagnosis_end_watching(diagnosis *self);
bool diagnosis_is_watched(diagnosis *self);
/* Whether all brokers are down since the last connect() began. */
bool diagnosis_all_down(diagnosis *self);
/* The recorded reason why no broker answers; new reference, or NULL. */
PyObject *diagnosis_outage(diagnosis *self);
/* Records that a broker has answered. */
void diagnosis_end_outage(diagnosis *self);

/*
 * Whether an error is to be logged. At every attempt to connect, up to forty times a second,
 * librdkafka reports that all brokers are down. This is logged at first, and then every half
 * minute, with the number of `repeats` since the last time.
 */
bool diagnosis_is_news(diagnosis *self, rd_kafka_resp_err_t code, Py_ssize_t *repeats);

#endif

/*
 * What went wrong last, and what librdkafka told last: for last_error and stats(), for
 * connect(), and for consumers whose application has no error_cb.
 *
 * Written by the thread that serves and read by any: all of it is under one mutex.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_DIAGNOSIS_H
#define CONFLUENT_KAFKA_CLIENT_DIAGNOSIS_H

#include "base/args.h"
#include "base/deadline.h"

/* A KafkaError and the time until which it explains what happens. */
typedef struct {
    PyObject *error; /* or NULL */
    int64_t until_us; /* on the coarse clock */
} recent_error;

typedef struct {
    object_mutex mutex;
    PyObject *error;      /* the latest KafkaError, or NULL */
    PyObject *statistics; /* str: librdkafka's latest JSON, or NULL */
    recent_error outage;  /* what says most about why no broker answers */
    recent_error refusal; /* of the credentials or the certificate */
    bool all_down;        /* no broker is there, since diagnosis_end_outage() */
    int watching;         /* how many connect() wait */
    int64_t down_said_until_us; /* the log has said that all brokers are down */
    Py_ssize_t down_unsaid;     /* how often they were since then */
} diagnosis;

int diagnosis_traverse(diagnosis *self, visitproc visit, void *arg);
void diagnosis_clear(diagnosis *self);

/* The latest error or statistics; new reference, None before the first. */
PyObject *diagnosis_last_error(diagnosis *self);
PyObject *diagnosis_statistics(diagnosis *self);

/* Notes an error that the client reports, a KafkaError that stays the caller's. */
void diagnosis_note_error(diagnosis *self, PyObject *error);
/* Notes statistics, a str that stays the caller's. */
void diagnosis_note_statistics(diagnosis *self, PyObject *json);

/*
 * Notes an error for a consumer without error_cb, whose poll() would return None for ever where
 * brokers do not let it in. Once all brokers are down and one of them had refused the
 * credentials or the certificate: the KafkaError that poll() is to raise, new reference. Else
 * NULL. One broker that refuses while others do not is information for the log, as is a
 * connection that breaks.
 */
PyObject *diagnosis_note_refusal(diagnosis *self, PyObject *error);

/* Brackets connect(), which raises what is noted meanwhile: nobody else needs to. */
void diagnosis_begin_watching(diagnosis *self);
void diagnosis_end_watching(diagnosis *self);
bool diagnosis_is_watched(diagnosis *self);
/* All brokers are down since the last connect() began. */
bool diagnosis_all_down(diagnosis *self);
/* Why no broker answers, which is still noted; new reference, or NULL. */
PyObject *diagnosis_outage(diagnosis *self);
/* A broker has answered. */
void diagnosis_end_outage(diagnosis *self);

/*
 * Whether the log is to be told of an error. librdkafka reports with every attempt to connect that
 * all brokers are down, up to forty times a second: the log says so when it begins, and then every
 * half a minute with the number of `repeats` since the last time.
 */
bool diagnosis_is_news(diagnosis *self, rd_kafka_resp_err_t code, Py_ssize_t *repeats);

#endif

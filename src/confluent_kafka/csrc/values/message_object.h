/*
 * The fields of Message, for message_origin.c (creating messages) and message_type.c (the
 * methods).
 */
#ifndef CONFLUENT_KAFKA_VALUES_MESSAGE_OBJECT_H
#define CONFLUENT_KAFKA_VALUES_MESSAGE_OBJECT_H

#include "values/message.h"

/*
 * In a free-threaded build the object fields are accessed in the message's critical section.
 * The garbage collector tracks a message only once it can be part of a cycle: a record from
 * librdkafka refers to str and bytes only, and tracking millions of records costs more than
 * creating them.
 */
typedef struct Message {
    PyObject_HEAD
    module_state *state; /* valid as long as the type exists */
    /* NULL means none; with `borrowed` or unread headers it means: not converted yet. */
    PyObject *topic, *key, *value, *headers, *error;
    /* bytes as in the record: not parsed yet, or the source of `headers`; alternatively ... */
    PyObject *encoded_headers;
    rd_kafka_headers_t *unread_headers; /* ... the headers of a delivery report, owned */
    const rd_kafka_message_t *borrowed; /* a delivery report, while its callback runs */
    int64_t offset, timestamp_ms;
    double latency;                     /* seconds; negative: none */
    int32_t partition, leader_epoch;    /* negative: none */
    int32_t delivery_count;             /* 0: none */
    int32_t timestamp_type;             /* rd_kafka_timestamp_type_t */
} Message;

/* An untracked message with undefined fields, or NULL; and releasing a message's memory. */
Message *message_allocate(module_state *state);
void message_free(Message *self);

/* Sets all fields to "none". */
void message_fields_reset(Message *self);

/* Convert a field that has not been read yet. New reference (None for none), or NULL. */
PyObject *message_read_key_lock_held(Message *self);
PyObject *message_read_value_lock_held(Message *self);
PyObject *message_read_headers_lock_held(Message *self);
PyObject *message_read_error_lock_held(Message *self);
/* Seconds; negative for none. For a delivery report it is computed on demand: it reads a clock. */
double message_read_latency_lock_held(Message *self);

/* Releases librdkafka's part of the message; only the Python objects remain. */
void message_drop_unread_headers(Message *self);

/* Makes the garbage collector track the message. */
void message_track(Message *self);

#endif

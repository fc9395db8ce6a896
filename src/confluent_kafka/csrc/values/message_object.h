/*
 * Message's fields, for message_origin.c (where messages come from) and message_type.c (what
 * the application does with them).
 */
#ifndef CONFLUENT_KAFKA_VALUES_MESSAGE_OBJECT_H
#define CONFLUENT_KAFKA_VALUES_MESSAGE_OBJECT_H

#include "values/message.h"

/*
 * In a free-threaded build the object fields are read and written under the message's
 * critical section. The garbage collector tracks a message only once it can be part of a
 * cycle: a record that librdkafka filled refers to str and bytes, and tracking millions of
 * those costs more than making them.
 */
typedef struct Message {
    PyObject_HEAD
    module_state *state; /* valid while the type lives */
    /* NULL: none, or with `borrowed` or unread headers: not converted yet. */
    PyObject *topic, *key, *value, *headers, *error;
    /* bytes, as the record has them: not read, or what `headers` was made of; or else */
    PyObject *encoded_headers;
    rd_kafka_headers_t *unread_headers; /* owned: of a delivery report */
    const rd_kafka_message_t *borrowed; /* a delivery report while its callback runs */
    int64_t offset, timestamp_ms;
    double latency;                     /* seconds; negative: none */
    int32_t partition, leader_epoch;    /* negative: none */
    int32_t delivery_count;             /* 0: none */
    int32_t timestamp_type;             /* rd_kafka_timestamp_type_t */
} Message;

/* An untracked message with undefined fields, or NULL; and the memory of one given back. */
Message *message_allocate(module_state *state);
void message_free(Message *self);

/* Sets all fields to "none". */
void message_fields_reset(Message *self);

/* Convert what has not been read yet. New reference (None for none), or NULL. */
PyObject *message_read_key_lock_held(Message *self);
PyObject *message_read_value_lock_held(Message *self);
PyObject *message_read_headers_lock_held(Message *self);
PyObject *message_read_error_lock_held(Message *self);
/* Seconds, negative: none. Read from a delivery report on demand, since it reads a clock. */
double message_read_latency_lock_held(Message *self);

/* Releases librdkafka's part of the message, so that only the Python objects count. */
void message_drop_unread_headers(Message *self);

/* Lets the garbage collector see the message. */
void message_track(Message *self);

#endif

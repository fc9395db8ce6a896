/*
 * Message: a consumed record, a delivery report, or one that the application made.
 */
#ifndef CONFLUENT_KAFKA_VALUES_MESSAGE_H
#define CONFLUENT_KAFKA_VALUES_MESSAGE_H

#include "base/module_state.h"

int message_type_add(PyObject *module, module_state *state);

/*
 * The topic names of the messages handed out last, so that a message shares its topic's
 * str. Compared by content: a topic handle's address can be used again for another topic.
 */
#define TOPIC_NAMES 8
typedef struct {
    PyObject *names[TOPIC_NAMES];
    /* While a batch of messages is converted, which keeps their handles: the one whose name
     * is names[0]. Later its address may be used again. */
    bool in_batch;
    const rd_kafka_topic_t *current;
} topic_names;

void topic_names_clear(topic_names *cache);
int topic_names_traverse(topic_names *cache, visitproc visit, void *arg);
/* The str of the topic's name; new reference. */
PyObject *topic_names_get(topic_names *cache, const rd_kafka_topic_t *topic);

/*
 * A consumed message. Copies key and value (a fetched message pins its whole fetch buffer)
 * and takes the headers over without parsing them; `rkm` stays the caller's to destroy and
 * is not needed afterwards. New reference.
 */
PyObject *message_from_consumed(module_state *state, topic_names *names,
                                rd_kafka_message_t *rkm);

/*
 * A delivery report that borrows `rkm`: key, value, headers and error are converted when read.
 * Before `rkm` goes away call message_end_borrow(), which keeps what was not yet read if
 * anyone else still holds the message. New reference.
 */
PyObject *message_borrow_delivered(module_state *state, topic_names *names,
                                   const rd_kafka_message_t *rkm);
/* Steals the reference to `message`; -1 with an exception (MemoryError). */
int message_end_borrow(PyObject *message);

/*
 * Where a Message is: its topic (new reference, and its UTF-8, which lives as long), partition,
 * offset and leader epoch, negative for none. 0, or -1 with an exception: the constructor takes
 * any object as topic.
 */
int message_position(PyObject *message, PyObject **topic, const char **name,
                     int32_t *partition, int64_t *offset, int32_t *leader_epoch);
/* The message's error or None, a new reference, or NULL with an exception. A test's message may
 * have an error that is no KafkaError. */
PyObject *message_error(PyObject *message);

/* What a deserializer made of a record: objects, or an error. */
void message_set_objects(PyObject *message, PyObject *key, PyObject *value, PyObject *error);

#endif

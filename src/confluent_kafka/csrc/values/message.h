/*
 * Message: a consumed record, a delivery report, or a message that the application created.
 */
#ifndef CONFLUENT_KAFKA_VALUES_MESSAGE_H
#define CONFLUENT_KAFKA_VALUES_MESSAGE_H

#include "base/module_state.h"

int message_type_add(PyObject *module, module_state *state);

/*
 * The topic names of the last messages, so that messages share their topic's str. They are
 * compared by content, because the address of a topic handle may be used again for another topic.
 */
#define TOPIC_NAMES 8
typedef struct {
    PyObject *names[TOPIC_NAMES];
    /* While a batch of messages is converted: the handle whose name is names[0]. The batch keeps
     * its handles; afterwards an address may be used again. */
    bool in_batch;
    const rd_kafka_topic_t *current;
} topic_names;

void topic_names_clear(topic_names *cache);
int topic_names_traverse(topic_names *cache, visitproc visit, void *arg);
/* The topic's name as a str; new reference. */
PyObject *topic_names_get(topic_names *cache, const rd_kafka_topic_t *topic);

/*
 * A consumed message. Copies key and value, because a fetched message keeps its whole fetch buffer,
 * and takes the headers without parsing them. The caller destroys `rkm`, which is not needed
 * afterwards. New reference.
 */
PyObject *message_from_consumed(module_state *state, topic_names *names,
                                rd_kafka_message_t *rkm);

/*
 * A delivery report that borrows `rkm`: key, value, headers and error are converted when they are
 * read. Before `rkm` is destroyed, call message_end_borrow(). It converts the unread fields if
 * someone else still holds the message. New reference.
 */
PyObject *message_borrow_delivered(module_state *state, topic_names *names,
                                   const rd_kafka_message_t *rkm);
/* Steals the reference to `message`; -1 with an exception (MemoryError). */
int message_end_borrow(PyObject *message);

/*
 * The topic of a Message (new reference, and its UTF-8 with the same lifetime), its partition,
 * offset and leader epoch; negative for none. 0, or -1 with an exception: the constructor accepts
 * any object as the topic.
 */
int message_position(PyObject *message, PyObject **topic, const char **name,
                     int32_t *partition, int64_t *offset, int32_t *leader_epoch);
/* The message's error or None, a new reference, or NULL with an exception. A message that a test
 * made may have an error that is not a KafkaError. */
PyObject *message_error(PyObject *message);

/* Sets the result of a deserializer: objects, or an error. */
void message_set_objects(PyObject *message, PyObject *key, PyObject *value, PyObject *error);

#endif

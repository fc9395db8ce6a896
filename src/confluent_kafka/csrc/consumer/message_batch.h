/*
 * MessageBatch: consumed messages as columns, by the Arrow C data interface and PyCapsule
 * protocol (no pyarrow needed).
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_MESSAGE_BATCH_H
#define CONFLUENT_KAFKA_CONSUMER_MESSAGE_BATCH_H

#include "base/module_state.h"
#include "consumer/message_columns.h"

/* The MessageBatch type: the Arrow PyCapsule methods, len(), eof. */
int message_batch_type_add(PyObject *module, module_state *state);

/*
 * Reads the arguments that select the columns of a batch: `names`, a sequence of column names, or
 * NULL for all columns except the headers; and `with_headers`, which adds the headers. 0, or -1
 * with an exception that suggests the most similar name.
 */
int message_column_set_from_args(PyObject *names, bool with_headers,
                                 message_column_set *wanted);

/*
 * A MessageBatch with the wanted columns of the first messages. The messages have no errors, and
 * the caller keeps them. `*count` is the number of messages, and becomes the number of rows in the
 * batch: fewer if a column would exceed 2 GiB, because its offsets are int32, but at least one; 0
 * with a MemoryError. `eof` (list of TopicPartition) is stolen, even on failure. The buffers are
 * filled without the GIL.
 */
PyObject *message_batch_new(module_state *state, rd_kafka_message_t *const *messages,
                            size_t *count, message_column_set wanted, PyObject *eof);

#endif

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
 * Reads arguments that say which columns a batch has: `names`, a sequence of their names or
 * NULL for all but the headers, and `with_headers`, which adds those. 0, or -1 with an
 * exception that gives the nearest right name.
 */
int message_column_set_from_args(PyObject *names, bool with_headers,
                                 message_column_set *wanted);

/*
 * A MessageBatch with the wanted columns of the first messages, which have no errors and
 * stay the caller's. `*count` is how many messages there are, and becomes how many the batch
 * holds: fewer when a column would have 2 GiB, since its offsets are int32, but at least one;
 * 0 with a MemoryError. `eof` (list of TopicPartition) is stolen, also on failure. The buffers are
 * filled without the GIL.
 */
PyObject *message_batch_new(module_state *state, rd_kafka_message_t *const *messages,
                            size_t *count, message_column_set wanted, PyObject *eof);

#endif

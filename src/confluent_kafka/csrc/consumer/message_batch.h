/*
 * Arrow: consumed messages as columns, and columns to produce, by the Arrow C data
 * interface and PyCapsule protocol (no pyarrow needed).
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_MESSAGE_BATCH_H
#define CONFLUENT_KAFKA_CONSUMER_MESSAGE_BATCH_H

#include "base/module_state.h"
#include "consumer/message_columns.h"

/* The MessageBatch type: the Arrow PyCapsule methods, len(), eof. */
int message_batch_type_add(PyObject *module, module_state *state);

/* Raises ValueError: `argument` names a column that there is none of. */
void refuse_column(const char *argument, PyObject *given);

/*
 * Reads arguments that say which columns a batch has: `names`, a sequence of their names or
 * NULL for all but the headers, and `with_headers`, which adds those. 0, or -1 with an
 * exception that gives the nearest right name.
 */
int message_column_set_from_args(PyObject *names, bool with_headers,
                                 message_column_set *wanted);

/*
 * A MessageBatch with the wanted columns of the first messages, which have no errors and
 * stay the caller's. `*count` is how many messages there are, and becomes how many the batch holds: fewer
 * when a column would have 2 GiB, since its offsets are int32, but at least one; 0 with a
 * MemoryError. `eof` (list of TopicPartition) is stolen, also on failure. The buffers are
 * filled without the GIL.
 */
PyObject *message_batch_new(module_state *state, rd_kafka_message_t *const *messages,
                            size_t *count, message_column_set wanted, PyObject *eof);

/* One row to produce; pointers stay valid until the rows are released. */
typedef struct {
    const char *topic; /* not NUL-terminated; NULL: none */
    size_t topic_size;
    int32_t partition; /* RD_KAFKA_PARTITION_UA when null or no such column */
    int64_t timestamp_ms; /* 0: now */
    const void *key, *value; /* NULL: null */
    size_t key_size, value_size;
} arrow_row;

typedef struct arrow_rows arrow_rows;

/*
 * Imports anything with __arrow_c_array__ or __arrow_c_stream__ (the whole stream):
 * struct arrays with columns among key, value, topic, partition, timestamp, headers, by
 * name; offset and timestampType are ignored so that a consumed batch can be produced
 * again; other names are a ValueError that gives the nearest allowed one; wrong types are
 * a TypeError that names column and type. All of it is checked here, so that reading rows
 * cannot fail; a row that Kafka cannot take (such as a negative partition) is a
 * ValueError. NULL with an exception. No copy.
 */
arrow_rows *arrow_rows_import(PyObject *object, const char *name);
/* With the GIL, since the array's owner may be Python code. */
void arrow_rows_release(arrow_rows *rows);
int64_t arrow_rows_count(const arrow_rows *rows);
bool arrow_rows_has_topic(const arrow_rows *rows);
/* Needs no GIL and cannot fail. */
void arrow_rows_get(const arrow_rows *rows, int64_t index, arrow_row *row);
/*
 * The headers of a row: 0 and `*headers` owned by the caller (NULL: none), -1 without
 * memory. Needs no GIL, sets no exception.
 */
int arrow_rows_headers(const arrow_rows *rows, int64_t index,
                       rd_kafka_headers_t **headers);

#endif

/*
 * Consumed messages as columns in Arrow's memory layout. This is plain C without Python, because
 * readers of the columns may release them on any thread.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_MESSAGE_COLUMNS_H
#define CONFLUENT_KAFKA_CONSUMER_MESSAGE_COLUMNS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <librdkafka/rdkafka.h>

/* Every array of a batch; the children of one array are consecutive. */
enum message_field {
    FIELD_BATCH,
    FIELD_KEY,
    FIELD_VALUE,
    FIELD_TOPIC,
    FIELD_PARTITION,
    FIELD_OFFSET,
    FIELD_TIMESTAMP,
    FIELD_TIMESTAMP_TYPE,
    FIELD_HEADERS,
    FIELD_HEADER,
    FIELD_HEADER_KEY,
    FIELD_HEADER_VALUE,
    FIELD_COUNT
};

/* A set of the batch's children, FIELD_KEY to FIELD_HEADERS: one bit for each. */
typedef uint32_t message_column_set;

#define MESSAGE_COLUMN(field) ((message_column_set)1 << (field))
#define MESSAGE_COLUMNS_BUT_HEADERS                                                      \
    (MESSAGE_COLUMN(FIELD_HEADERS) - MESSAGE_COLUMN(FIELD_KEY))

/* The Arrow type of a field, and the resulting sizes of its buffers. */
typedef struct {
    const char *name, *format; /* as in struct ArrowSchema */
    int64_t flags;
    int n_buffers;
    int width; /* the bytes of an element in buffer 1, which is a value or an offset */
    enum message_field first_child;
    int n_children;
} message_field_type;

extern const message_field_type message_field_types[FIELD_COUNT];

typedef struct {
    int64_t length, null_count;
    const void *buffers[3]; /* validity (or NULL); values or offsets; bytes */
} message_field_data;

/* Immutable once filled; shared by a reference count. The buffers follow in the same block. */
typedef struct {
    atomic_size_t references;
    message_column_set wanted;
    message_field_data fields[FIELD_COUNT];
} message_columns;

/*
 * The wanted columns of the first messages, as many as fit; `*count` becomes that number. NULL if
 * there is no memory.
 */
message_columns *message_columns_new(rd_kafka_message_t *const *messages, size_t *count,
                                     message_column_set wanted);
message_columns *message_columns_share(message_columns *columns);
void message_columns_release(message_columns *columns);

/* Writes the children of a field that exist here to `children`; returns how many. */
int message_columns_children(const message_columns *columns, enum message_field field,
                             enum message_field children[FIELD_COUNT]);

#endif

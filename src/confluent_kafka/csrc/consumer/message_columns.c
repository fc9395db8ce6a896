#include "consumer/message_columns.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/abi.h"
#include "consumer/record_memory.h"

#define NULLABLE ARROW_FLAG_NULLABLE

/* The names, types and nullability of Spark's Kafka source. */
const message_field_type message_field_types[FIELD_COUNT] = {
    [FIELD_BATCH] = {"", "+s", 0, 1, 0, FIELD_KEY, FIELD_HEADERS - FIELD_BATCH},
    [FIELD_KEY] = {"key", "z", NULLABLE, 3, 4, 0, 0},
    [FIELD_VALUE] = {"value", "z", NULLABLE, 3, 4, 0, 0},
    [FIELD_TOPIC] = {"topic", "u", NULLABLE, 3, 4, 0, 0},
    [FIELD_PARTITION] = {"partition", "i", NULLABLE, 2, 4, 0, 0},
    [FIELD_OFFSET] = {"offset", "l", NULLABLE, 2, 8, 0, 0},
    [FIELD_TIMESTAMP] = {"timestamp", "tsu:UTC", NULLABLE, 2, 8, 0, 0},
    [FIELD_TIMESTAMP_TYPE] = {"timestampType", "i", NULLABLE, 2, 4, 0, 0},
    [FIELD_HEADERS] = {"headers", "+l", NULLABLE, 2, 4, FIELD_HEADER, 1},
    [FIELD_HEADER] = {"item", "+s", NULLABLE, 1, 0, FIELD_HEADER_KEY, 2},
    [FIELD_HEADER_KEY] = {"key", "u", NULLABLE, 3, 4, 0, 0},
    [FIELD_HEADER_VALUE] = {"value", "z", NULLABLE, 3, 4, 0, 0},
};

/* Buffers begin at a cache line and fill whole lines, as Arrow recommends (for SIMD readers). */
#define ALIGNMENT 64
/* Offsets are int32, so that a column cannot hold more bytes. */
#define COLUMN_LIMIT INT32_MAX
/* The bytes of this many later messages are fetched into the cache in advance. */
#define PREFETCH_DISTANCE 8

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) ((void)(address))
#endif

/* The messages of a batch, and the sizes of their columns. */
typedef struct {
    rd_kafka_message_t *const *messages;
    size_t count;
    message_column_set wanted;
    rd_kafka_headers_t **headers; /* of each message, or NULL; absent if not wanted */
    int64_t header_count;
    int64_t bytes[FIELD_COUNT]; /* the size of buffer 2 */
    int64_t nulls[FIELD_COUNT];
} source;

static inline bool
has(message_column_set wanted, enum message_field field)
{
    if (field == FIELD_BATCH) {
        return true;
    }
    return (wanted & MESSAGE_COLUMN(field < FIELD_HEADERS ? field : FIELD_HEADERS)) != 0;
}

int
message_columns_children(const message_columns *columns, enum message_field field,
                         enum message_field children[FIELD_COUNT])
{
    const message_field_type *type = &message_field_types[field];
    int count = 0;
    for (int i = 0; i < type->n_children; i++) {
        enum message_field child = type->first_child + i;
        if (has(columns->wanted, child)) {
            children[count++] = child;
        }
    }
    return count;
}

/* The topic name of the previous message, so that its length is not computed each time. */
typedef struct {
    const rd_kafka_topic_t *topic;
    const char *name;
    size_t size;
} last_topic;

static void
last_topic_update(last_topic *last, const rd_kafka_topic_t *topic)
{
    if (last->topic != topic) {
        last->topic = topic;
        last->name = rd_kafka_topic_name(topic);
        last->size = strlen(last->name);
    }
}

/*
 * Microseconds since the epoch. False for a message without a timestamp, and for a timestamp
 * so far away (292,000 years) that the column cannot hold it.
 */
static bool
message_timestamp_us(const rd_kafka_message_t *message, int64_t *timestamp_us,
                     rd_kafka_timestamp_type_t *type)
{
    int64_t milliseconds = rd_kafka_message_timestamp(message, type);
    if (*type == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE || milliseconds == -1
        || milliseconds > INT64_MAX / 1000 || milliseconds < INT64_MIN / 1000) {
        return false;
    }
    *timestamp_us = milliseconds * 1000;
    return true;
}

/* For a message without headers, librdkafka parses the headers anew at each request. */
static rd_kafka_headers_t *
message_headers(const rd_kafka_message_t *message)
{
    rd_kafka_headers_t *headers;
    if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR
        || rd_kafka_header_cnt(headers) == 0) {
        return NULL;
    }
    return headers;
}

static void
measure_headers(source *from, const rd_kafka_headers_t *headers)
{
    if (headers == NULL) {
        from->nulls[FIELD_HEADERS]++;
        return;
    }
    const char *name;
    const void *value;
    size_t size;
    for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size)
                       == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
        from->header_count++;
        from->bytes[FIELD_HEADER_KEY] += (int64_t)strlen(name);
        from->bytes[FIELD_HEADER_VALUE] += value == NULL ? 0 : (int64_t)size;
        from->nulls[FIELD_HEADER_VALUE] += value == NULL;
    }
}

static void
measure_message(source *from, last_topic *last, const rd_kafka_message_t *message)
{
    if (has(from->wanted, FIELD_KEY)) {
        from->bytes[FIELD_KEY] += message->key == NULL ? 0 : (int64_t)message->key_len;
        from->nulls[FIELD_KEY] += message->key == NULL;
    }
    if (has(from->wanted, FIELD_VALUE)) {
        from->bytes[FIELD_VALUE] += message->payload == NULL ? 0 : (int64_t)message->len;
        from->nulls[FIELD_VALUE] += message->payload == NULL;
    }
    if (has(from->wanted, FIELD_TOPIC)) {
        last_topic_update(last, message->rkt);
        from->bytes[FIELD_TOPIC] += (int64_t)last->size;
    }
    if (has(from->wanted, FIELD_TIMESTAMP)) {
        int64_t timestamp_us;
        rd_kafka_timestamp_type_t type;
        from->nulls[FIELD_TIMESTAMP] += !message_timestamp_us(message, &timestamp_us, &type);
    }
}

static bool
fits(const source *from)
{
    return from->bytes[FIELD_KEY] <= COLUMN_LIMIT && from->bytes[FIELD_VALUE] <= COLUMN_LIMIT
           && from->bytes[FIELD_TOPIC] <= COLUMN_LIMIT && from->header_count <= COLUMN_LIMIT
           && from->bytes[FIELD_HEADER_KEY] <= COLUMN_LIMIT
           && from->bytes[FIELD_HEADER_VALUE] <= COLUMN_LIMIT;
}

/* Measures the first `count` messages, or as many as fit into the columns. */
static void
measure(source *from, size_t count)
{
    last_topic last = {.topic = NULL};
    from->header_count = 0;
    memset(from->bytes, 0, sizeof(from->bytes));
    memset(from->nulls, 0, sizeof(from->nulls));
    for (from->count = 0; from->count < count; from->count++) {
        const rd_kafka_message_t *message = from->messages[from->count];
        record_memory_prefetch(from->messages, from->count, count);
        measure_message(from, &last, message);
        if (from->headers != NULL) {
            from->headers[from->count] = message_headers(message);
            measure_headers(from, from->headers[from->count]);
        }
        if (!fits(from)) {
            /* Measure again, without the message that does not fit. */
            measure(from, from->count);
            return;
        }
    }
}

static int64_t
field_length(const source *from, enum message_field field)
{
    return field < FIELD_HEADER ? (int64_t)from->count : from->header_count;
}

/* The size of the field's buffer `index` in bytes, without padding. */
static size_t
buffer_size(const source *from, enum message_field field, int index)
{
    const message_field_type *type = &message_field_types[field];
    size_t length = (size_t)field_length(from, field);
    if (index >= type->n_buffers) {
        return 0;
    }
    if (index == 0) {
        return from->nulls[field] == 0 ? 0 : (length + 7) / 8;
    }
    if (index == 2) {
        return (size_t)from->bytes[field];
    }
    bool offsets = type->n_buffers == 3 || type->n_children > 0;
    return (length + offsets) * (size_t)type->width;
}

static size_t
padded(size_t size)
{
    return (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

/* Allocates one block: the struct, followed by each buffer, which is still to be filled. */
static message_columns *
message_columns_allocate(const source *from)
{
    size_t total = sizeof(message_columns) + ALIGNMENT;
    for (int field = 0; field < FIELD_COUNT; field++) {
        for (int i = 0; i < 3 && has(from->wanted, field); i++) {
            total += padded(buffer_size(from, field, i));
        }
    }
    message_columns *columns = malloc(total);
    if (columns == NULL) {
        return NULL;
    }
    memset(columns, 0, sizeof(*columns));
    atomic_init(&columns->references, 1);
    columns->wanted = from->wanted;
    uint8_t *next = (uint8_t *)padded((uintptr_t)(columns + 1));
    for (int field = 0; field < FIELD_COUNT; field++) {
        if (!has(from->wanted, field)) {
            continue;
        }
        message_field_data *data = &columns->fields[field];
        data->length = field_length(from, field);
        data->null_count = from->nulls[field];
        for (int i = 0; i < message_field_types[field].n_buffers; i++) {
            size_t size = buffer_size(from, field, i);
            if (i == 0 && data->null_count == 0) {
                continue; /* no validity bitmap if nothing is null */
            }
            data->buffers[i] = next;
            memset(next + size, 0, padded(size) - size);
            next += padded(size);
        }
    }
    return columns;
}

/* Where the next element of a field is written; all NULL for a field that is not wanted. */
typedef struct {
    uint8_t *validity; /* all bits are set at first; NULL if nothing is null */
    uint8_t *values;
    int32_t *offsets;
    uint8_t *bytes;
    int32_t end; /* the number of bytes (or list items) so far */
} writer;

static writer
writer_of(message_columns *columns, enum message_field field)
{
    message_field_data *data = &columns->fields[field];
    writer result = {
        .validity = (uint8_t *)data->buffers[0],
        .values = (uint8_t *)data->buffers[1],
        .offsets = (int32_t *)data->buffers[1],
        .bytes = (uint8_t *)data->buffers[2],
    };
    if (result.validity != NULL) {
        memset(result.validity, 0xff, ((size_t)data->length + 7) / 8);
    }
    bool has_offsets = message_field_types[field].n_buffers == 3 || field == FIELD_HEADERS;
    if (has_offsets && result.offsets != NULL) {
        result.offsets[0] = 0;
    }
    return result;
}

static inline void
write_null(writer *to, size_t row)
{
    to->validity[row / 8] &= (uint8_t)~(1u << (row % 8));
}

static inline void
write_bytes(writer *to, size_t row, const void *bytes, size_t size)
{
    if (bytes == NULL) {
        write_null(to, row);
    }
    else {
        memcpy(to->bytes + to->end, bytes, size);
        to->end += (int32_t)size;
    }
    to->offsets[row + 1] = to->end;
}

/*
 * The number of bytes in the UTF-8 sequence at `text`, 0 if it is not valid. `text` ends in NUL,
 * so that reading stops in time.
 */
static int
utf8_sequence(const uint8_t *text)
{
    if (text[0] < 0x80) {
        return 1;
    }
    if (text[0] < 0xc2 || text[0] > 0xf4 || (text[1] & 0xc0) != 0x80) {
        return 0;
    }
    if (text[0] < 0xe0) {
        return 2;
    }
    if ((text[2] & 0xc0) != 0x80 || (text[0] == 0xe0 && text[1] < 0xa0)
        || (text[0] == 0xed && text[1] > 0x9f)) {
        return 0;
    }
    if (text[0] < 0xf0) {
        return 3;
    }
    if ((text[3] & 0xc0) != 0x80 || (text[0] == 0xf0 && text[1] < 0x90)
        || (text[0] == 0xf4 && text[1] > 0x8f)) {
        return 0;
    }
    return 4;
}

/*
 * Kafka does not check header names, but readers of an Arrow string rely on UTF-8 (some with
 * undefined behaviour otherwise). So each byte that is not valid UTF-8 becomes '?'.
 */
static void
write_name(writer *to, size_t row, const char *name)
{
    size_t size = strlen(name);
    uint8_t *copy = to->bytes + to->end;
    write_bytes(to, row, name, size);
    const uint8_t *text = (const uint8_t *)name;
    for (size_t i = 0; i < size;) {
        int length = utf8_sequence(text + i);
        if (length == 0) {
            copy[i] = '?';
        }
        i += length == 0 ? 1 : (size_t)length;
    }
}

typedef struct {
    writer lists, keys, values;
} headers_writer;

static void
write_headers(headers_writer *to, size_t row, const rd_kafka_headers_t *headers)
{
    if (headers == NULL) {
        write_null(&to->lists, row);
    }
    else {
        const char *name;
        const void *value;
        size_t size;
        for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size)
                           == RD_KAFKA_RESP_ERR_NO_ERROR; i++) {
            size_t item = (size_t)to->lists.end++;
            write_name(&to->keys, item, name);
            write_bytes(&to->values, item, value, size);
        }
    }
    to->lists.offsets[row + 1] = to->lists.end;
}

static void
fill_headers(message_columns *columns, const source *from)
{
    headers_writer to = {
        writer_of(columns, FIELD_HEADERS),
        writer_of(columns, FIELD_HEADER_KEY),
        writer_of(columns, FIELD_HEADER_VALUE),
    };
    for (size_t i = 0; i < from->count; i++) {
        write_headers(&to, i, from->headers[i]);
    }
}

static void
fill_times(message_columns *columns, const source *from)
{
    writer times = writer_of(columns, FIELD_TIMESTAMP);
    int64_t *timestamps = (int64_t *)times.values;
    int32_t *types = (int32_t *)writer_of(columns, FIELD_TIMESTAMP_TYPE).values;
    for (size_t i = 0; i < from->count; i++) {
        int64_t timestamp_us = 0;
        rd_kafka_timestamp_type_t type;
        bool is_null = !message_timestamp_us(from->messages[i], &timestamp_us, &type);
        if (timestamps != NULL) {
            timestamps[i] = timestamp_us;
            if (is_null) {
                write_null(&times, i);
            }
        }
        if (types != NULL) {
            /* Spark uses Java's numbers: -1 none, 0 create time, 1 log append time. */
            types[i] = (int32_t)type - 1;
        }
    }
}

static void
fill(message_columns *columns, const source *from)
{
    writer keys = writer_of(columns, FIELD_KEY), values = writer_of(columns, FIELD_VALUE),
           topics = writer_of(columns, FIELD_TOPIC);
    int32_t *partitions = (int32_t *)writer_of(columns, FIELD_PARTITION).values;
    int64_t *offsets = (int64_t *)writer_of(columns, FIELD_OFFSET).values;
    last_topic last = {.topic = NULL};
    /* Local variables, because for the compiler a write to bytes could change anything else. */
    const bool has_key = has(from->wanted, FIELD_KEY), has_value = has(from->wanted, FIELD_VALUE),
               has_topic = has(from->wanted, FIELD_TOPIC);
    for (size_t i = 0; i < from->count; i++) {
        const rd_kafka_message_t *message = from->messages[i];
        if (has_key) {
            write_bytes(&keys, i, message->key, message->key_len);
        }
        if (has_value) {
            if (i + PREFETCH_DISTANCE < from->count) {
                PREFETCH(from->messages[i + PREFETCH_DISTANCE]->payload);
            }
            write_bytes(&values, i, message->payload, message->len);
        }
        if (has_topic) {
            last_topic_update(&last, message->rkt);
            write_bytes(&topics, i, last.name, last.size);
        }
        if (partitions != NULL) {
            partitions[i] = message->partition;
        }
        if (offsets != NULL) {
            offsets[i] = message->offset;
        }
    }
    if (has(from->wanted, FIELD_TIMESTAMP) || has(from->wanted, FIELD_TIMESTAMP_TYPE)) {
        fill_times(columns, from);
    }
    if (has(from->wanted, FIELD_HEADERS)) {
        fill_headers(columns, from);
    }
}

message_columns *
message_columns_new(rd_kafka_message_t *const *messages, size_t *count,
                    message_column_set wanted)
{
    source from = {.messages = messages, .wanted = wanted};
    if (has(wanted, FIELD_HEADERS)) {
        from.headers = malloc((*count + 1) * sizeof(*from.headers));
        if (from.headers == NULL) {
            return NULL;
        }
    }
    measure(&from, *count);
    message_columns *columns = message_columns_allocate(&from);
    if (columns != NULL) {
        fill(columns, &from);
        *count = from.count;
    }
    free(from.headers);
    return columns;
}

message_columns *
message_columns_share(message_columns *columns)
{
    atomic_fetch_add_explicit(&columns->references, 1, memory_order_relaxed);
    return columns;
}

void
message_columns_release(message_columns *columns)
{
    /* Other threads' reads of the columns must happen before the columns are freed. */
    if (atomic_fetch_sub_explicit(&columns->references, 1, memory_order_acq_rel) == 1) {
        free(columns);
    }
}

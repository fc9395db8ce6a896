#include "arrow/chunk.h"

#include <string.h>

#include "arrow/row_columns.h"
#include "base/text.h"

/* An array and its type, at the same place of both trees, with the names for error texts. */
typedef struct {
    const struct ArrowSchema *schema;
    const struct ArrowArray *array;
    const char *batch; /* the name of the argument */
    const char *column;
} node;

/* The allowed types of each column; text_types are a subset of bytes_types. */
static const char bytes_types[] = "binary or string";
static const char text_types[] = "string";
static const char partition_types[] = "int32 (or another integer)";
static const char timestamp_types[] = "timestamp (or int64: milliseconds)";
static const char headers_types[] = "list<struct<key: string, value: binary>>";
static const char header_types[] = "struct<key: string, value: binary>";

static int
broken(const node *found, const char *problem)
{
    PyErr_Format(PyExc_ValueError, "%s column '%s' is not valid Arrow data: %s",
                 found->batch, found->column, problem);
    return -1;
}

static int
wrong_type(const node *found, const char *allowed)
{
    const struct ArrowSchema *dictionary = found->schema->dictionary;
    const char *format = dictionary != NULL ? dictionary->format : found->schema->format;
    PyErr_Format(PyExc_TypeError, "%s column '%s' must be %s, not %s%s; cast it first",
                 found->batch, found->column, allowed,
                 dictionary != NULL ? "dictionary of " : "", arrow_format_words(format));
    return -1;
}

/* Whether the children of an array match its type. */
static bool
is_pair(const struct ArrowSchema *schema, const struct ArrowArray *array)
{
    if (schema == NULL || array == NULL || schema->format == NULL) {
        return false;
    }
    return schema->dictionary == NULL
           || (array->dictionary != NULL && schema->dictionary->format != NULL);
}

static int
child_of(const node *parent, int64_t index, node *child)
{
    const struct ArrowSchema *schema = parent->schema;
    const struct ArrowArray *array = parent->array;
    if (schema->n_children != array->n_children || index >= array->n_children
        || array->children == NULL || schema->children == NULL
        || !is_pair(schema->children[index], array->children[index])) {
        return broken(parent, "its children do not match its type");
    }
    *child = (node){schema->children[index], array->children[index], parent->batch,
                    parent->column};
    return 0;
}

static const char *
field_name(const node *found)
{
    return found->schema->name == NULL ? "" : found->schema->name;
}

/* The format of the values; a dictionary-encoded array has it in its dictionary. */
static arrow_format
format_of(const node *found)
{
    if (found->schema->dictionary != NULL) {
        return (arrow_format){.layout = ARROW_OTHER};
    }
    return arrow_format_parse(found->schema->format);
}

static int
bind_values(const node *found, arrow_format format, int64_t first, int64_t rows,
            arrow_column *column)
{
    const char *problem = arrow_column_bind(column, format, found->array, first, rows);
    return problem == NULL ? 0 : broken(found, problem);
}

static bool
is_bytes(arrow_format format, const char *allowed)
{
    switch (format.layout) {
    case ARROW_NULLS:
        return true;
    case ARROW_BYTES:
    case ARROW_VIEW:
    case ARROW_FIXED:
        return format.is_text || allowed == bytes_types;
    default:
        return false;
    }
}

static int
bind_bytes(const node *found, const char *allowed, int64_t first, int64_t rows,
           arrow_bytes *column)
{
    node values = *found;
    column->is_encoded = found->schema->dictionary != NULL;
    if (column->is_encoded) {
        values.schema = found->schema->dictionary;
        values.array = found->array->dictionary;
    }
    arrow_format format = format_of(&values);
    if (!is_bytes(format, allowed)) {
        return wrong_type(found, allowed);
    }
    if (!column->is_encoded) {
        return bind_values(found, format, first, rows, &column->values);
    }
    arrow_format indices = arrow_format_parse(found->schema->format);
    if (indices.layout != ARROW_INTEGER) {
        return broken(found, "the indices of its dictionary are not integers");
    }
    if (bind_values(found, indices, first, rows, &column->indices) < 0) {
        return -1;
    }
    return bind_values(&values, format, 0, values.array->length, &column->values);
}

static int
bind_integer(const node *found, const char *allowed, int64_t first, int64_t rows,
             arrow_column *column)
{
    arrow_format format = format_of(found);
    bool fits = format.layout == ARROW_INTEGER
                && (!format.is_timestamp || allowed == timestamp_types);
    if (!fits && format.layout != ARROW_NULLS) {
        return wrong_type(found, allowed);
    }
    return bind_values(found, format, first, rows, column);
}

static int
bind_header_field(const node *header, const char *name, const char *column,
                  const char *allowed, arrow_bytes *result)
{
    for (int64_t i = 0; i < header->schema->n_children; i++) {
        node field;
        if (child_of(header, i, &field) < 0) {
            return -1;
        }
        if (strcmp(field_name(&field), name) == 0) {
            field.column = column;
            return bind_bytes(&field, allowed, header->array->offset,
                              header->array->length, result);
        }
    }
    PyErr_Format(PyExc_TypeError, "%s column 'headers.item' must be %s; it has no '%s'",
                 header->batch, header_types, name);
    return -1;
}

static int
bind_headers(const node *found, int64_t first, int64_t rows, arrow_chunk *chunk)
{
    arrow_format format = format_of(found);
    if (format.layout != ARROW_LIST && format.layout != ARROW_NULLS) {
        return wrong_type(found, headers_types);
    }
    if (bind_values(found, format, first, rows, &chunk->headers) < 0) {
        return -1;
    }
    if (format.layout == ARROW_NULLS) {
        return 0;
    }
    node header;
    if (child_of(found, 0, &header) < 0) {
        return -1;
    }
    /* If all lists are empty, some libraries make a list of nulls. */
    format = format_of(&header);
    if (format.layout != ARROW_STRUCT && format.layout != ARROW_NULLS) {
        header.column = "headers.item";
        return wrong_type(&header, header_types);
    }
    if (bind_values(&header, format, 0, header.array->length, &chunk->header) < 0) {
        return -1;
    }
    if (format.layout == ARROW_NULLS) {
        return 0;
    }
    if (bind_header_field(&header, "key", "headers.key", text_types, &chunk->header_key)
        < 0) {
        return -1;
    }
    return bind_header_field(&header, "value", "headers.value", bytes_types,
                             &chunk->header_value);
}

static int
unknown_column(const char *batch, const char *name)
{
    PyObject *given = text_from(name);
    if (given != NULL) {
        refuse_column(batch, given);
        Py_DECREF(given);
    }
    return -1;
}

static int
bind_column(arrow_chunk *chunk, node *found, bool *seen)
{
    int64_t first = chunk->array.offset, rows = chunk->count;
    const char *name = field_name(found);
    int column = row_column_named(name);
    if (column == COLUMN_COUNT) {
        return unknown_column(found->batch, name);
    }
    if (seen[column]) {
        PyErr_Format(PyExc_ValueError, "%s has column '%s' twice", found->batch, name);
        return -1;
    }
    seen[column] = true;
    found->column = row_column_names[column];
    switch (column) {
    case COLUMN_KEY:
        return bind_bytes(found, bytes_types, first, rows, &chunk->key);
    case COLUMN_VALUE:
        return bind_bytes(found, bytes_types, first, rows, &chunk->value);
    case COLUMN_TOPIC:
        return bind_bytes(found, text_types, first, rows, &chunk->topic);
    case COLUMN_PARTITION:
        return bind_integer(found, partition_types, first, rows, &chunk->partition);
    case COLUMN_TIMESTAMP:
        return bind_integer(found, timestamp_types, first, rows, &chunk->timestamp);
    case COLUMN_HEADERS:
        return bind_headers(found, first, rows, chunk);
    default:
        return 0; /* offset and timestampType are ignored, so that consumed batches can be sent */
    }
}

/*
 * A problem in the data of a column; `column` is NULL if the row itself has the problem. `row` is
 * -1 if the column as a whole has it.
 */
typedef struct {
    const char *column, *problem;
    int64_t row;
} defect;

static bool
check_bytes(const arrow_bytes *column, const char *name, int64_t from, int64_t to,
            defect *found)
{
    *found = (defect){name, arrow_bytes_check(column, from, to), -1};
    return found->problem == NULL;
}

/*
 * Whether all rows are null and the column has no buffers. Such a column may claim any number of
 * rows, and checking each would take for ever.
 */
static bool
is_missing(const arrow_column *column)
{
    return column->format.layout == ARROW_NULLS;
}

/* librdkafka reads the name up to a NUL, and would send to another topic. */
static bool
check_topic(const arrow_chunk *chunk, defect *found)
{
    if (is_missing(&chunk->topic.values)) {
        return true;
    }
    if (!check_bytes(&chunk->topic, "topic", 0, chunk->count, found)) {
        return false;
    }
    for (int64_t row = 0; row < chunk->count; row++) {
        size_t size;
        const void *topic = arrow_bytes_get(&chunk->topic, row, &size);
        if (topic != NULL && memchr(topic, '\0', size) != NULL) {
            *found = (defect){"topic", "it must not contain a NUL character", row};
            return false;
        }
    }
    return true;
}

static bool
check_range(const arrow_chunk *chunk, const arrow_column *column, int64_t minimum,
            int64_t maximum, const defect *otherwise, defect *found)
{
    if (is_missing(column)) {
        return true;
    }
    for (int64_t row = 0; row < chunk->count; row++) {
        if (!arrow_column_is_valid(column, row)) {
            continue;
        }
        int64_t value = arrow_column_integer(column, row);
        if (value < minimum || value > maximum) {
            *found = *otherwise;
            found->row = row;
            return false;
        }
    }
    return true;
}

static bool
check_numbers(const arrow_chunk *chunk, defect *found)
{
    static const defect partition = {
        "partition", "it must be from 0 to 2147483647, or null (or -1) for any", 0};
    static const defect timestamp = {
        "timestamp",
        "it must be in 1970 or later and fit into 64 bits as milliseconds, or null for the "
        "time of sending", 0};
    int64_t multiply = chunk->timestamp.format.multiply;
    int64_t latest = multiply > 1 ? INT64_MAX / multiply : INT64_MAX - 1;
    return check_range(chunk, &chunk->partition, RD_KAFKA_PARTITION_UA, INT32_MAX,
                       &partition, found)
           && check_range(chunk, &chunk->timestamp, 0, latest, &timestamp, found);
}

static bool
check_header_rows(const arrow_chunk *chunk, defect *found)
{
    for (int64_t row = 0; row < chunk->count; row++) {
        int64_t from, to;
        arrow_column_list(&chunk->headers, row, &from, &to);
        for (int64_t item = from; item < to; item++) {
            size_t size;
            if (!arrow_column_is_valid(&chunk->header, item)) {
                *found = (defect){"headers", "a header must not be null", row};
                return false;
            }
            const void *key = arrow_bytes_get(&chunk->header_key, item, &size);
            if (key == NULL) {
                *found = (defect){"headers", "a header's key must not be null", row};
                return false;
            }
            /* librdkafka reads a key only up to its first NUL. */
            if (memchr(key, '\0', size) != NULL) {
                *found = (defect){"headers", "a header's key must not contain a NUL character",
                                  row};
                return false;
            }
        }
    }
    return true;
}

static bool
check_headers(const arrow_chunk *chunk, defect *found)
{
    if (is_missing(&chunk->headers) || chunk->count == 0) {
        return true;
    }
    const char *problem = arrow_column_check_offsets(&chunk->headers, 0, chunk->count,
                                                     chunk->header.length);
    if (problem != NULL) {
        *found = (defect){"headers", problem, -1};
        return false;
    }
    int64_t from, to;
    arrow_column_span(&chunk->headers, chunk->count, &from, &to);
    return check_bytes(&chunk->header_key, "headers.key", from, to, found)
           && check_bytes(&chunk->header_value, "headers.value", from, to, found)
           && check_header_rows(chunk, found);
}

/* Checks all rows; called without the GIL. */
static bool
check(const arrow_chunk *chunk, const arrow_column *rows, defect *found)
{
    for (int64_t row = 0; rows->validity != NULL && row < chunk->count; row++) {
        if (!arrow_column_is_valid(rows, row)) {
            *found = (defect){NULL, "it must not be null", row};
            return false;
        }
    }
    return check_bytes(&chunk->key, "key", 0, chunk->count, found)
           && check_bytes(&chunk->value, "value", 0, chunk->count, found)
           && check_topic(chunk, found) && check_numbers(chunk, found)
           && check_headers(chunk, found);
}

static int
check_chunk(const arrow_chunk *chunk, const arrow_column *rows, const node *root)
{
    defect found;
    bool good;
    Py_BEGIN_ALLOW_THREADS
    good = check(chunk, rows, &found);
    Py_END_ALLOW_THREADS
    if (good) {
        return 0;
    }
    node column = *root;
    column.column = found.column;
    long long row = (long long)(chunk->first_row + found.row);
    if (found.row < 0) {
        broken(&column, found.problem);
    }
    else if (found.column == NULL) {
        PyErr_Format(PyExc_ValueError, "%s row %lld: %s", root->batch, row, found.problem);
    }
    else {
        PyErr_Format(PyExc_ValueError, "%s column '%s', row %lld: %s", root->batch,
                     found.column, row, found.problem);
    }
    return -1;
}

int
arrow_chunk_bind(arrow_chunk *chunk, const struct ArrowSchema *schema, const char *name)
{
    node root = {schema, &chunk->array, name, ""};
    if (!is_pair(schema, &chunk->array)) {
        return broken(&root, "its type is missing");
    }
    arrow_format format = format_of(&root);
    if (format.layout != ARROW_STRUCT) {
        PyErr_Format(PyExc_TypeError,
                     "%s must be a record batch (a struct array), not an array of %s",
                     name, arrow_format_words(schema->format));
        return -1;
    }
    arrow_column rows;
    chunk->count = chunk->array.length;
    if (bind_values(&root, format, 0, chunk->count, &rows) < 0) {
        return -1;
    }
    bool seen[COLUMN_COUNT] = {false};
    for (int64_t i = 0; i < schema->n_children; i++) {
        node column;
        if (child_of(&root, i, &column) < 0 || bind_column(chunk, &column, seen) < 0) {
            return -1;
        }
    }
    chunk->has_topic = seen[COLUMN_TOPIC];
    return check_chunk(chunk, &rows, &root);
}

static int64_t
timestamp_ms(const arrow_column *column, int64_t index)
{
    if (!arrow_column_is_valid(column, index)) {
        return 0;
    }
    const arrow_format *format = &column->format;
    return arrow_column_integer(column, index) * format->multiply / format->divide;
}

void
arrow_chunk_get(const arrow_chunk *chunk, int64_t index, arrow_row *row)
{
    row->topic = arrow_bytes_get(&chunk->topic, index, &row->topic_size);
    row->partition = arrow_column_is_valid(&chunk->partition, index)
                         ? (int32_t)arrow_column_integer(&chunk->partition, index)
                         : RD_KAFKA_PARTITION_UA;
    row->timestamp_ms = timestamp_ms(&chunk->timestamp, index);
    row->key = arrow_bytes_get(&chunk->key, index, &row->key_size);
    row->value = arrow_bytes_get(&chunk->value, index, &row->value_size);
}

int
arrow_chunk_headers(const arrow_chunk *chunk, int64_t index, rd_kafka_headers_t **headers)
{
    int64_t from, to;
    *headers = NULL;
    arrow_column_list(&chunk->headers, index, &from, &to);
    if (from == to) {
        return 0;
    }
    *headers = rd_kafka_headers_new((size_t)(to - from));
    if (*headers == NULL) {
        return -1;
    }
    for (int64_t item = from; item < to; item++) {
        size_t key_size, value_size;
        const void *key = arrow_bytes_get(&chunk->header_key, item, &key_size);
        const void *value = arrow_bytes_get(&chunk->header_value, item, &value_size);
        rd_kafka_header_add(*headers, key, (ssize_t)key_size, value, (ssize_t)value_size);
    }
    return 0;
}

bool
arrow_chunk_header_at(const arrow_chunk *chunk, int64_t index, int64_t number,
                      arrow_header *header)
{
    int64_t from, to;
    arrow_column_list(&chunk->headers, index, &from, &to);
    if (number >= to - from) {
        return false;
    }
    header->key = arrow_bytes_get(&chunk->header_key, from + number, &header->key_size);
    header->value = arrow_bytes_get(&chunk->header_value, from + number, &header->value_size);
    return true;
}

const void *
arrow_chunk_header(const arrow_chunk *chunk, int64_t index, const char *name, size_t *size)
{
    int64_t from, to;
    arrow_column_list(&chunk->headers, index, &from, &to);
    while (to-- > from) {
        size_t key_size;
        const void *key = arrow_bytes_get(&chunk->header_key, to, &key_size);
        if (key_size == strlen(name) && memcmp(key, name, key_size) == 0) {
            return arrow_bytes_get(&chunk->header_value, to, size);
        }
    }
    return NULL;
}

/*
 * How payloads name their schema in a registry: in a frame before them, or in a header of their
 * message.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_SCHEMA_NAMES_H
#define CONFLUENT_KAFKA_COLUMNS_SCHEMA_NAMES_H

#include <string.h>

#include "arrow/import.h"
#include "columns/payloads.h"

/* A zero byte and the schema's id, big-endian; or a one and its GUID. */
#define ID_SIZE 5
#define GUID_SIZE 17

typedef struct {
    const uint8_t *data;
    size_t size;
    uint64_t id; /* if the name is an id: the whole name as a number; 0 if it is not an id */
} schema_name;

static inline uint64_t
schema_id_word(const uint8_t *data)
{
    uint32_t id;
    memcpy(&id, data + 1, sizeof(id));
    return (uint64_t)1 << 32 | id;
}

static inline schema_name
schema_name_of(const uint8_t *data, size_t size)
{
    return (schema_name){data, size, size == ID_SIZE && data[0] == 0 ? schema_id_word(data) : 0};
}

/* Whether a payload begins with a schema's id. */
static inline bool
schema_name_is_id(const schema_name *self, const uint8_t *data, size_t size)
{
    return size >= ID_SIZE && data[0] == 0 && self->id == schema_id_word(data);
}

static inline bool
schema_name_is(const schema_name *one, const schema_name *other)
{
    if (one->id != other->id) {
        return false;
    }
    return one->id != 0
           || (one->size == other->size && memcmp(one->data, other->data, one->size) == 0);
}

/* Whether a payload begins with the name of its schema. */
static inline bool
schema_name_read(const uint8_t *data, size_t size, schema_name *name)
{
    if (size >= ID_SIZE && data[0] == 0) {
        *name = schema_name_of(data, ID_SIZE);
        return true;
    }
    if (size >= GUID_SIZE && data[0] == 1) {
        *name = schema_name_of(data, GUID_SIZE);
        return true;
    }
    return false;
}

/* The headers of the messages of the payloads; one header may name the schema. */
typedef struct {
    arrow_rows *rows; /* NULL: there are no headers */
    const char *name;
    bool is_used; /* a row has this header */
} schema_headers;

enum { IN_FRAME, IN_HEADER, PLACES, NOWHERE = PLACES };

/* Finds where and how the schema of a payload is named. */
static inline int
schema_name_find(const schema_headers *headers, int64_t row, const uint8_t *data, size_t size,
                 schema_name *name)
{
    if (headers->is_used) {
        size_t mark_size;
        const uint8_t *mark = arrow_rows_header(headers->rows, row, headers->name, &mark_size);
        if (mark != NULL) {
            *name = schema_name_of(mark, mark_size);
            return IN_HEADER;
        }
    }
    return schema_name_read(data, size, name) ? IN_FRAME : NOWHERE;
}

/* Any total order, for bisection. */
int schema_name_compare(const schema_name *one, const schema_name *other);

/*
 * Reads a batch with a column of headers, or None: 0, or -1 with an exception. `self` must be
 * zeroed before, and released after; `name` must outlive it.
 */
int schema_headers_read(schema_headers *self, PyObject *batch, PyObject *name, int64_t rows);
/* Call it with the GIL. It keeps the current exception. */
void schema_headers_release(schema_headers *self);

/*
 * Two lists: the name of each payload's schema (for a header, its whole value), and the payload
 * without a frame. Both are None for a null, and if there is no name. NULL with an exception.
 */
PyObject *schema_names_split(const payloads *all, const schema_headers *headers);

/* The result of programs_for() for all names, a new reference; NULL with an exception. */
PyObject *schema_names_ask(const payloads *all, const schema_headers *headers,
                           PyObject *programs_for);

#endif

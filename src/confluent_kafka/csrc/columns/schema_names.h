/*
 * How payloads name the schema of a registry that they were written with: in a frame before them,
 * or in a header of their message.
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
    uint64_t id; /* all of it in a word, which is not 0, if it is an id: to compare at once */
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

/* Whether it is an id that a payload begins with. */
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

/* Headers of the messages whose payloads they are, one of which may name the schema. */
typedef struct {
    arrow_rows *rows; /* NULL: they are not known */
    const char *name;
    bool is_used; /* by any row */
} schema_headers;

enum { IN_FRAME, IN_HEADER, PLACES, NOWHERE = PLACES };

/* Where the schema of a payload is named, and how. */
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

/* Any order, for bisection. */
int schema_name_compare(const schema_name *one, const schema_name *other);

/*
 * Of a batch with a column of headers, or None: 0, or -1 with an exception. `self` is zero before,
 * and is released either way; `name` must outlive it.
 */
int schema_headers_read(schema_headers *self, PyObject *batch, PyObject *name, int64_t rows);
/* With the GIL; keeps an exception that is set. */
void schema_headers_release(schema_headers *self);

/*
 * Two lists: what names the schema of each payload, of a header its whole value, and the payload
 * without a frame; both are None for a null, and where there is no name. NULL with an exception.
 */
PyObject *schema_names_split(const payloads *all, const schema_headers *headers);

/* What programs_for() gives for all names, a new reference; NULL with an exception. */
PyObject *schema_names_ask(const payloads *all, const schema_headers *headers,
                           PyObject *programs_for);

#endif

#include "arrow/import.h"

#include <string.h>

#include "arrow/chunk.h"
#include "arrow/digest.h"
#include "arrow/source.h"

struct arrow_rows {
    arrow_source source;
    int64_t count;
    size_t chunk_count;
    arrow_chunk *chunks;
};

/* Adds room for one more chunk, which is zeroed; NULL if there is no memory. */
static arrow_chunk *
next_chunk(arrow_rows *rows)
{
    arrow_chunk *chunks = PyMem_Realloc(rows->chunks,
                                        (rows->chunk_count + 1) * sizeof(arrow_chunk));
    if (chunks == NULL) {
        return NULL;
    }
    rows->chunks = chunks;
    memset(&chunks[rows->chunk_count], 0, sizeof(arrow_chunk));
    return &chunks[rows->chunk_count];
}

/* An arrow_taker. */
static int
add_chunk(void *context, const struct ArrowSchema *schema, struct ArrowArray *array,
          const char *name)
{
    arrow_rows *rows = context;
    arrow_chunk *chunk = next_chunk(rows);
    if (chunk == NULL) {
        array->release(array);
        PyErr_NoMemory();
        return -1;
    }
    rows->chunk_count++;
    chunk->array = *array;
    array->release = NULL;
    chunk->first_row = rows->count;
    if (arrow_chunk_bind(chunk, schema, name) < 0) {
        return -1;
    }
    if (chunk->count > INT64_MAX - rows->count) {
        PyErr_Format(PyExc_OverflowError, "%s has too many rows", name);
        return -1;
    }
    rows->count += chunk->count;
    return 0;
}

static const char wanted[] =
    "a MessageBatch, or a record batch, table or data frame with the Arrow PyCapsule protocol "
    "(of pyarrow, polars, pandas ...)";

arrow_rows *
arrow_rows_import(PyObject *object, const char *name)
{
    arrow_rows *rows = PyMem_Calloc(1, sizeof(*rows));
    if (rows == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (arrow_source_read(&rows->source, object, name, wanted, add_chunk, rows) < 0) {
        arrow_rows_release(rows);
        return NULL;
    }
    return rows;
}

void
arrow_rows_release(arrow_rows *rows)
{
    /* The release callbacks may run Python code, which would lose the current exception. */
    PyObject *raised = PyErr_GetRaisedException();
    for (size_t i = 0; i < rows->chunk_count; i++) {
        rows->chunks[i].array.release(&rows->chunks[i].array);
    }
    arrow_source_release(&rows->source);
    PyMem_Free(rows->chunks);
    PyMem_Free(rows);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

int64_t
arrow_rows_count(const arrow_rows *rows)
{
    return rows->count;
}

bool
arrow_rows_has_topic(const arrow_rows *rows)
{
    return rows->chunk_count == 0 || rows->chunks[0].has_topic;
}

/* The chunk that contains row `index`, found by bisection. */
static const arrow_chunk *
chunk_of(const arrow_rows *rows, int64_t index)
{
    size_t low = 0, high = rows->chunk_count - 1;
    while (low < high) {
        size_t middle = high - (high - low) / 2;
        if (rows->chunks[middle].first_row <= index) {
            low = middle;
        }
        else {
            high = middle - 1;
        }
    }
    return &rows->chunks[low];
}

void
arrow_rows_get(const arrow_rows *rows, int64_t index, arrow_row *row)
{
    const arrow_chunk *chunk = chunk_of(rows, index);
    arrow_chunk_get(chunk, index - chunk->first_row, row);
}

int
arrow_rows_headers(const arrow_rows *rows, int64_t index, rd_kafka_headers_t **headers)
{
    const arrow_chunk *chunk = chunk_of(rows, index);
    return arrow_chunk_headers(chunk, index - chunk->first_row, headers);
}

const void *
arrow_rows_header(const arrow_rows *rows, int64_t index, const char *name, size_t *size)
{
    const arrow_chunk *chunk = chunk_of(rows, index);
    return arrow_chunk_header(chunk, index - chunk->first_row, name, size);
}

bool
arrow_rows_header_at(const arrow_rows *rows, int64_t index, int64_t number, arrow_header *header)
{
    const arrow_chunk *chunk = chunk_of(rows, index);
    return arrow_chunk_header_at(chunk, index - chunk->first_row, number, header);
}

uint64_t
arrow_rows_digest(const arrow_rows *rows)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < rows->chunk_count; i++) {
        const arrow_chunk *chunk = &rows->chunks[i];
        for (int64_t index = 0; index < chunk->count; index++) {
            digest += arrow_chunk_digest(chunk, index);
        }
    }
    return digest;
}

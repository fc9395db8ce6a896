#include "columns/payloads.h"

static const char name[] = "payloads";
static const char wanted[] = "an array of binary or string values with the Arrow PyCapsule "
                             "protocol (of pyarrow, polars, pandas ...)";

/* Columns with 32-bit offsets cannot hold more; it also limits an array without buffers. */
#define ROWS_LIMIT INT32_MAX

static int
broken(const char *problem)
{
    PyErr_Format(PyExc_ValueError, "%s is not valid Arrow data: %s", name, problem);
    return -1;
}

static bool
has_bytes(enum arrow_layout layout)
{
    return layout == ARROW_BYTES || layout == ARROW_FIXED || layout == ARROW_VIEW
           || layout == ARROW_NULLS;
}

/* Binds the chunk's values, and the indices into them if it is dictionary-encoded. */
static const char *
bind_values(payload_chunk *chunk, arrow_format format, arrow_format indices)
{
    const struct ArrowArray *array = &chunk->array;
    chunk->count = array->length;
    if (!chunk->values.is_encoded) {
        return arrow_column_bind(&chunk->values.values, format, array, 0, chunk->count);
    }
    if (array->dictionary == NULL) {
        return "its dictionary is missing";
    }
    if (indices.layout != ARROW_INTEGER || indices.is_timestamp) {
        return "its indices are not integers";
    }
    const char *problem =
        arrow_column_bind(&chunk->values.indices, indices, array, 0, chunk->count);
    return problem != NULL ? problem
                           : arrow_column_bind(&chunk->values.values, format,
                                               array->dictionary, 0,
                                               array->dictionary->length);
}

static int64_t
size_of(const payload_chunk *chunk)
{
    const arrow_column *values = &chunk->values.values;
    if (values->format.layout != ARROW_BYTES || chunk->values.is_encoded
        || chunk->count == 0) {
        return 0;
    }
    int64_t from, to;
    arrow_column_span(values, chunk->count, &from, &to);
    return to - from;
}

/* Whether payload_at() may read the offsets directly. */
static bool
is_plain(const payload_chunk *chunk)
{
    const arrow_column *values = &chunk->values.values;
    return !chunk->values.is_encoded && values->format.layout == ARROW_BYTES
           && values->format.width == sizeof(int32_t) && values->bytes != NULL && chunk->count > 0;
}

static int
bind_and_check(payload_chunk *chunk, const struct ArrowSchema *schema)
{
    chunk->values.is_encoded = schema->dictionary != NULL;
    const struct ArrowSchema *values = schema->dictionary != NULL ? schema->dictionary
                                                                  : schema;
    if (schema->format == NULL || values->format == NULL) {
        return broken("its format is missing");
    }
    arrow_format format = arrow_format_parse(values->format);
    if (!has_bytes(format.layout)) {
        PyErr_Format(PyExc_TypeError, "%s must be %s, not %s", name, wanted,
                     arrow_format_words(values->format));
        return -1;
    }
    const char *problem = bind_values(chunk, format, arrow_format_parse(schema->format));
    if (problem == NULL) {
        problem = arrow_bytes_check(&chunk->values, 0, chunk->count);
    }
    if (problem != NULL) {
        return broken(problem);
    }
    chunk->is_plain = is_plain(chunk);
    chunk->end = chunk->is_plain ? arrow_bytes_end(&chunk->values, 0) : NULL;
    return 0;
}

/* An arrow_taker. */
static int
add_chunk(void *context, const struct ArrowSchema *schema, struct ArrowArray *array,
          const char *Py_UNUSED(argument))
{
    payloads *self = context;
    payload_chunk *chunks =
        PyMem_Realloc(self->chunks, (self->chunk_count + 1) * sizeof(payload_chunk));
    if (chunks == NULL) {
        array->release(array);
        PyErr_NoMemory();
        return -1;
    }
    self->chunks = chunks;
    payload_chunk *chunk = &chunks[self->chunk_count++];
    *chunk = (payload_chunk){.array = *array};
    array->release = NULL;
    if (bind_and_check(chunk, schema) < 0) {
        return -1;
    }
    if (chunk->count > ROWS_LIMIT - self->count) {
        PyErr_Format(PyExc_OverflowError, "%s has more than %d rows; decode fewer at a time",
                     name, ROWS_LIMIT);
        return -1;
    }
    self->count += chunk->count;
    int64_t size = size_of(chunk);
    self->size += size < INT64_MAX - self->size ? size : INT64_MAX - self->size;
    return 0;
}

int
payloads_read(payloads *self, PyObject *object)
{
    return arrow_source_read(&self->source, object, name, wanted, add_chunk, self);
}

payload
payload_at_any(const payload_chunk *chunk, int64_t row)
{
    payload self = {0};
    self.data = arrow_bytes_get(&chunk->values, row, &self.size);
    self.readable = self.size == 0 ? self.data : arrow_bytes_end(&chunk->values, row);
    return self;
}

void
payloads_release(payloads *self)
{
    /* The release callbacks may run Python code, which would lose the current exception. */
    PyObject *raised = PyErr_GetRaisedException();
    for (size_t i = 0; i < self->chunk_count; i++) {
        self->chunks[i].array.release(&self->chunks[i].array);
    }
    arrow_source_release(&self->source);
    PyMem_Free(self->chunks);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

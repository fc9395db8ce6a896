/*
 * _encode_rows(): encodes rows of columns as payloads.
 */
#include <stdlib.h>

#include "arrow/source.h"
#include "base/args.h"
#include "columns/columns.h"

static const char name[] = "batch";
static const char wanted[] =
    "a record batch, table or data frame with the Arrow PyCapsule protocol (of pyarrow, polars, "
    "pandas ...), DecodedRows or a MessageBatch";

/* Columns with 32-bit offsets cannot hold more; it also limits an array without buffers. */
#define ROWS_LIMIT INT32_MAX

typedef struct {
    struct ArrowArray array;
    input_columns *columns;
} row_chunk;

typedef struct {
    module_state *state;
    PyObject *program_for; /* a function that returns the program for a description */
    PyObject *program;     /* NULL before the first type */
    arrow_source source;
    row_chunk *chunks;
    size_t chunk_count;
    int64_t count; /* the rows of all chunks */
} row_batch;

/* ---- reading the batch ---- */

/* The program for rows of this type, requested once: borrowed; NULL with an exception. */
static const PayloadProgram *
program_of(row_batch *self, const struct ArrowSchema *schema)
{
    if (self->program != NULL) {
        return (const PayloadProgram *)self->program;
    }
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0) {
        PyErr_Format(PyExc_TypeError, "%s must be %s, not an array of %s", name, wanted,
                     arrow_format_words(schema->format == NULL ? "" : schema->format));
        return NULL;
    }
    PyObject *description = input_types_describe(schema, name);
    PyObject *program =
        description == NULL ? NULL : PyObject_CallOneArg(self->program_for, description);
    if (program != NULL && !PyObject_TypeCheck(program, self->state->PayloadProgram)) {
        PyErr_Format(PyExc_TypeError, "program_for must return a _PayloadProgram, not %.100s",
                     Py_TYPE(program)->tp_name);
        Py_CLEAR(program);
    }
    int is_right = program == NULL
                       ? -1
                       : PyObject_RichCompareBool(((PayloadProgram *)program)->description,
                                                  description, Py_EQ);
    Py_XDECREF(description);
    if (is_right == 0) {
        PyErr_SetString(PyExc_ValueError,
                        "program_for returned a program for rows of another type");
    }
    if (is_right <= 0) {
        Py_XDECREF(program);
        return NULL;
    }
    self->program = program;
    return (const PayloadProgram *)program;
}

static int
bind_chunk(row_batch *self, row_chunk *chunk, const struct ArrowSchema *schema)
{
    const PayloadProgram *program = program_of(self, schema);
    if (program == NULL) {
        return -1;
    }
    const char *problem;
    Py_BEGIN_ALLOW_THREADS
    chunk->columns = input_columns_new(program->types, &chunk->array, &problem);
    Py_END_ALLOW_THREADS
    if (chunk->columns == NULL) {
        if (problem == NULL) {
            PyErr_NoMemory();
        }
        else {
            PyErr_Format(PyExc_ValueError, "%s is not valid Arrow data: %s", name, problem);
        }
        return -1;
    }
    if (chunk->columns->rows > ROWS_LIMIT - self->count) {
        PyErr_Format(PyExc_OverflowError, "%s has more than %d rows; encode fewer at a time", name,
                     ROWS_LIMIT);
        return -1;
    }
    self->count += chunk->columns->rows;
    return 0;
}

/* An arrow_taker. */
static int
add_chunk(void *context, const struct ArrowSchema *schema, struct ArrowArray *array,
          const char *Py_UNUSED(argument))
{
    row_batch *self = context;
    row_chunk *chunks = PyMem_Realloc(self->chunks, (self->chunk_count + 1) * sizeof(row_chunk));
    if (chunks == NULL) {
        array->release(array);
        PyErr_NoMemory();
        return -1;
    }
    self->chunks = chunks;
    row_chunk *chunk = &chunks[self->chunk_count++];
    *chunk = (row_chunk){.array = *array};
    array->release = NULL;
    return bind_chunk(self, chunk, schema);
}

static int
row_batch_read(row_batch *self, PyObject *object)
{
    if (arrow_source_read(&self->source, object, name, wanted, add_chunk, self) < 0) {
        return -1;
    }
    /* A stream without batches also has a type, which may be wrong. */
    if (self->program == NULL && self->source.schema.release != NULL) {
        return program_of(self, &self->source.schema) == NULL ? -1 : 0;
    }
    return 0;
}

/* Releases the batch; keeps the current exception. */
static void
row_batch_release(row_batch *self)
{
    /* The release callbacks may run Python code, which would lose the current exception. */
    PyObject *raised = PyErr_GetRaisedException();
    for (size_t i = 0; i < self->chunk_count; i++) {
        input_columns_free(self->chunks[i].columns);
        self->chunks[i].array.release(&self->chunks[i].array);
    }
    arrow_source_release(&self->source);
    PyMem_Free(self->chunks);
    Py_XDECREF(self->program);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

/* ---- writing, without the GIL ---- */

static enum row_status
status_of(enum build_status status)
{
    return status == BUILD_OK          ? ROW_OK
           : status == BUILD_TOO_LARGE ? ROW_TOO_LARGE
                                       : ROW_NO_MEMORY;
}

/* Writes one row that is not null: a payload; or a null, and a bad row. */
static enum row_status
encode_row(const put_program *program, put_machine *machine, int64_t row, bytes_view prefix,
           bad_rows *bad, columns *set)
{
    payload_writer *to = &machine->to;
    enum row_status status = status_of(payload_reserve(to, (int64_t)prefix.size));
    if (status != ROW_OK) {
        return status;
    }
    if (prefix.size > 0) {
        memcpy(to->at, prefix.data, prefix.size);
        to->at += prefix.size;
    }
    status = put_program_write(program, machine, row);
    if (status == ROW_OK) {
        return status_of(payload_end(to));
    }
    if (status == ROW_BAD) {
        write_failure failure = *machine->failure;
        bad_row what = {set->columns[0].length, payload_size(to), failure.reason, failure.field};
        payload_discard(to);
        status = bad_rows_add(bad, what) < 0 ? ROW_NO_MEMORY
                                             : status_of(columns_put_null(set, 0));
    }
    return status;
}

/* The number of rows from `row` on that can be written at once, without growing the column. */
static int64_t
encode_rows_at_once(const put_program *program, put_machine *machine, int64_t row, int64_t until,
                    bytes_view prefix, const column *payloads)
{
    int64_t before = payloads->length;
    if (before < COLUMNS_KNOWN_ROWS && until - row > COLUMNS_KNOWN_ROWS - before) {
        until = row + COLUMNS_KNOWN_ROWS - before; /* after these, room is reserved for all rows */
    }
    put_program_write_rows(program, machine, prefix.data, (int64_t)prefix.size, row, until);
    return payloads->length - before;
}

static enum row_status
encode_chunk(const row_batch *batch, const input_columns *rows, bytes_view prefix, columns *set,
             bad_rows *bad)
{
    const put_program *program = ((const PayloadProgram *)batch->program)->program;
    column *payloads = &set->columns[0];
    write_failure failure;
    put_source *sources = put_program_bind(program, rows);
    put_machine machine =
        put_program_machine(program, rows, sources, payload_writer_of(payloads), &failure);
    enum row_status status = sources == NULL ? ROW_NO_MEMORY : ROW_OK;
    for (int64_t row = 0; status == ROW_OK && row < rows->rows; row++) {
        if (payloads->length == COLUMNS_KNOWN_ROWS) {
            columns_foresee(set, batch->count, INT32_MAX);
            machine.to = payload_writer_of(payloads);
        }
        int64_t done = encode_rows_at_once(program, &machine, row, rows->rows, prefix, payloads);
        if (done > 0) {
            row += done - 1;
            continue;
        }
        status = input_is_valid(&rows->columns[0], row)
                     ? encode_row(program, &machine, row, prefix, bad, set)
                     : status_of(columns_put_null(set, 0));
    }
    free(sources);
    return status;
}

static enum row_status
encode_all(const row_batch *batch, bytes_view prefix, columns *set, bad_rows *bad)
{
    for (size_t i = 0; i < batch->chunk_count; i++) {
        enum row_status status = encode_chunk(batch, batch->chunks[i].columns, prefix, set, bad);
        if (status != ROW_OK) {
            return status;
        }
    }
    columns_finish(set);
    return ROW_OK;
}

/* ---- the function ---- */

/* The first estimate of a row's size. */
#define BYTES_PER_ROW 32

static columns *
new_payloads(int64_t rows)
{
    PyObject *description = Py_BuildValue("(ssi()OO)", "z", "", 1, Py_None, Py_None);
    column_types *types = description == NULL ? NULL : column_types_from(description);
    Py_XDECREF(description);
    if (types == NULL) {
        return NULL;
    }
    rows = rows < COLUMNS_KNOWN_ROWS ? rows : COLUMNS_KNOWN_ROWS;
    columns *set = columns_new(types, rows, rows * BYTES_PER_ROW);
    column_types_release(types);
    if (set == NULL) {
        PyErr_NoMemory();
    }
    return set;
}

static PyObject *
encode(row_batch *batch, bytes_view prefix)
{
    columns *set = new_payloads(batch->count);
    if (set == NULL) {
        return NULL;
    }
    bad_rows bad = {0};
    enum row_status status;
    Py_BEGIN_ALLOW_THREADS
    status = encode_all(batch, prefix, set, &bad);
    Py_END_ALLOW_THREADS
    if (status == ROW_OK) {
        return encoded_rows_new(batch->state, set, &bad, batch->program);
    }
    columns_release(set);
    free(bad.rows);
    if (status == ROW_TOO_LARGE) {
        PyErr_Format(PyExc_OverflowError,
                     "%s gives payloads of more than 2 GiB; encode fewer rows at a time", name);
        return NULL;
    }
    return PyErr_NoMemory();
}

SIGNATURE(encode_rows_signature, "_encode_rows()", 3, 3, P_batch, P_program_for, P_prefix);

PyDoc_STRVAR(encode_rows_doc,
"_encode_rows(batch, program_for, prefix, /)\n"
"--\n\n"
"Return EncodedRows for a batch; each payload begins with the bytes `prefix`. program_for(types)\n"
"is called once, and returns the _PayloadProgram.");

static PyObject *
encode_rows(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    module_state *state = PyModule_GetState(module);
    PyObject *values[3];
    bytes_view prefix;
    if (args_parse(state, &encode_rows_signature, args, nargs, NULL, values) < 0
        || arg_function(values[1], "program_for") < 0
        || bytes_view_get(values[2], "prefix", &prefix) < 0) {
        return NULL;
    }
    row_batch batch = {.state = state, .program_for = values[1]};
    int read = row_batch_read(&batch, values[0]);
    PyObject *rows = read < 0 ? NULL : encode(&batch, prefix);
    row_batch_release(&batch);
    bytes_view_release(&prefix);
    return rows;
}

static PyMethodDef encode_functions[] = {
    {"_encode_rows", WITHOUT_KEYWORDS(encode_rows), encode_rows_doc},
    {NULL, NULL, 0, NULL},
};

int
encode_functions_add(PyObject *module, module_state *Py_UNUSED(state))
{
    return PyModule_AddFunctions(module, encode_functions);
}

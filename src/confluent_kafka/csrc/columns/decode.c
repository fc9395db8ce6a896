/*
 * _decode_rows() and _decode_framed(): decode a column of payloads to columns.
 * _split_frames(): splits payloads for other decoders.
 */
#include <stdlib.h>

#include "base/args.h"
#include "columns/columns.h"
#include "columns/payloads.h"
#include "columns/schema_names.h"

/* ---- choosing the program for a row ---- */

typedef struct {
    schema_name name;
    const RowProgram *program; /* NULL: there is no program, */
    const char *reason;        /* for this reason */
} named_program;

typedef struct {
    named_program *programs; /* ordered by name */
    size_t count;
} program_table;

/* Chooses by the schema's name if the registry has the schemas; else one program for all. */
typedef struct {
    const RowProgram *any; /* the program that defines the columns */
    const schema_headers *headers; /* NULL: one program for all */
    program_table tables[PLACES];
} program_choice;

static int
compare_programs(const void *a, const void *b)
{
    return schema_name_compare(&((const named_program *)a)->name,
                               &((const named_program *)b)->name);
}

/* For frames and for headers, the program that was found last: a run of rows with the same name
 * needs only one look-up. */
typedef struct {
    const named_program *last[PLACES];
} program_runs;

static const named_program *
find_program(const program_table *table, const schema_name *name)
{
    named_program key = {.name = *name};
    return bsearch(&key, table->programs, table->count, sizeof(key), compare_programs);
}

/* The program for a payload, and the size of its frame; NULL if there is no program. */
static const RowProgram *
choose_by_name(const program_choice *choice, program_runs *runs, int64_t row,
               const uint8_t *data, size_t size, size_t *frame, row_failure *failure)
{
    schema_name name;
    int place = schema_name_find(choice->headers, row, data, size, &name);
    *failure = (row_failure){"a schema that has no program", "", data};
    if (place == NOWHERE) {
        failure->reason = choice->headers->rows == NULL
                              ? "no schema id or GUID at the start, and no headers to look in"
                              : "no schema id or GUID at the start, nor in a header";
        return NULL;
    }
    const named_program *found = runs->last[place];
    if (found == NULL || !schema_name_is(&found->name, &name)) {
        found = find_program(&choice->tables[place], &name);
        if (found == NULL) {
            return NULL;
        }
        runs->last[place] = found;
    }
    failure->reason = found->reason;
    *frame = place == IN_FRAME ? name.size : 0;
    return found->program;
}

/* The same; it first checks whether the id is that of the row before, as it mostly is. */
static inline const RowProgram *
choose(const program_choice *choice, program_runs *runs, int64_t row, const uint8_t *data,
       size_t size, size_t *frame, row_failure *failure)
{
    if (choice->headers == NULL) {
        *frame = 0;
        return choice->any;
    }
    const named_program *last = runs->last[IN_FRAME];
    if (last != NULL && last->program != NULL && !choice->headers->is_used
        && schema_name_is_id(&last->name, data, size)) {
        *frame = ID_SIZE;
        return last->program;
    }
    size_t other_frame = 0; /* a separate variable, so that `frame` can be in a register */
    const RowProgram *program =
        choose_by_name(choice, runs, row, data, size, &other_frame, failure);
    *frame = other_frame;
    return program;
}

static const RowProgram *
program_from(module_state *state, PyObject *object, const char *name)
{
    if (!PyObject_TypeCheck(object, state->RowProgram)) {
        PyErr_Format(PyExc_TypeError, "%s must be a _RowProgram, not %.100s", name,
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    return (const RowProgram *)object;
}

/* Reads one item of a dict: a program, or a text with the reason why there is none. */
static int
fill_named(module_state *state, PyObject *pair, named_program *to)
{
    PyObject *name = PyTuple_GET_ITEM(pair, 0), *program = PyTuple_GET_ITEM(pair, 1);
    if (!PyBytes_Check(name)) {
        PyErr_Format(PyExc_TypeError, "a schema's name in programs must be bytes, not %.100s",
                     Py_TYPE(name)->tp_name);
        return -1;
    }
    to->name = schema_name_of((const uint8_t *)PyBytes_AS_STRING(name),
                              (size_t)PyBytes_GET_SIZE(name));
    if (PyUnicode_Check(program)) {
        to->reason = PyUnicode_AsUTF8(program);
        return to->reason == NULL ? -1 : 0;
    }
    to->program = program_from(state, program, "one of programs");
    return to->program == NULL ? -1 : 0;
}

/* Reads a dict; `pairs` is a copy of it as a list of pairs. */
static int
fill_table(module_state *state, PyObject *pairs, const column_types *types,
           program_table *table)
{
    size_t count = (size_t)PyList_GET_SIZE(pairs);
    table->programs = calloc(count + 1, sizeof(named_program));
    if (table->programs == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; table->count < count; table->count++) {
        named_program *to = &table->programs[table->count];
        if (fill_named(state, PyList_GET_ITEM(pairs, (Py_ssize_t)table->count), to) < 0) {
            return -1;
        }
        if (to->program != NULL && !column_types_equal(to->program->types, types)) {
            PyErr_SetString(PyExc_ValueError, "programs must have the same columns");
            return -1;
        }
    }
    qsort(table->programs, count, sizeof(named_program), compare_programs);
    return 0;
}

/*
 * Reads the result of programs_for(): the program that defines the columns, and for each place of
 * names a dict of programs by name. `held` is a list that keeps programs, names and texts alive.
 */
static int
fill_choice(module_state *state, PyObject *given, program_choice *choice, PyObject *held)
{
    if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != 1 + PLACES
        || !PyDict_Check(PyTuple_GET_ITEM(given, 1 + IN_FRAME))
        || !PyDict_Check(PyTuple_GET_ITEM(given, 1 + IN_HEADER))) {
        PyErr_SetString(PyExc_TypeError, "programs_for() must return a _RowProgram and two dicts "
                                         "of _RowProgram by schema");
        return -1;
    }
    choice->any = program_from(state, PyTuple_GET_ITEM(given, 0), "the first of programs_for()");
    int result = choice->any == NULL ? -1 : PyList_Append(held, given);
    for (int place = 0; result == 0 && place < PLACES; place++) {
        PyObject *pairs = PyDict_Items(PyTuple_GET_ITEM(given, 1 + place));
        result = pairs == NULL ? -1 : PyList_Append(held, pairs);
        if (result == 0) {
            result = fill_table(state, pairs, choice->any->types, &choice->tables[place]);
        }
        Py_XDECREF(pairs);
    }
    return result;
}

/* ---- decoding, without the GIL ---- */

static enum row_status
put_null_row(columns *set)
{
    return columns_put_null(set, 0) == BUILD_OK ? ROW_OK : ROW_NO_MEMORY;
}

static enum row_status
decode_chunk(const payloads *all, const payload_chunk *chunk, const program_choice *choice,
             columns *set, bad_rows *bad)
{
    program_runs runs = {{NULL}};
    for (int64_t i = 0; i < chunk->count; i++) {
        size_t frame;
        payload from = payload_at(chunk, i);
        row_failure failure;
        enum row_status status = ROW_BAD;
        int64_t row = set->columns[0].length;
        if (row == COLUMNS_KNOWN_ROWS) {
            columns_foresee(set, all->count, all->size);
        }
        if (from.data == NULL) {
            status = put_null_row(set);
            if (status != ROW_OK) {
                return status;
            }
            continue;
        }
        const RowProgram *program =
            choose(choice, &runs, row, from.data, from.size, &frame, &failure);
        if (program != NULL) {
            payload body = {from.data + frame, from.size - frame, from.readable};
            status = program->format->decode(program->program, set, body, &failure);
        }
        if (status == ROW_BAD) {
            columns_truncate(set, row);
            bad_row what = {row, failure.at - from.data, failure.reason, failure.field};
            status = put_null_row(set);
            if (status == ROW_OK && bad_rows_add(bad, what) < 0) {
                status = ROW_NO_MEMORY;
            }
        }
        if (status != ROW_OK) {
            return status;
        }
    }
    return ROW_OK;
}

static enum row_status
decode_all(const payloads *all, const program_choice *choice, columns **set, bad_rows *bad)
{
    bool are_few = all->count <= COLUMNS_KNOWN_ROWS;
    *set = are_few ? columns_new(choice->any->types, all->count, all->size)
                   : columns_new(choice->any->types, COLUMNS_KNOWN_ROWS,
                                 all->size / all->count * COLUMNS_KNOWN_ROWS);
    if (*set == NULL) {
        return ROW_NO_MEMORY;
    }
    for (size_t i = 0; i < all->chunk_count; i++) {
        enum row_status status = decode_chunk(all, &all->chunks[i], choice, *set, bad);
        if (status != ROW_OK) {
            return status;
        }
    }
    if (!columns_are_whole(*set, all->count)) {
        return ROW_WRONG_PROGRAM;
    }
    columns_finish(*set);
    return ROW_OK;
}

static PyObject *
decode(module_state *state, const payloads *all, const program_choice *choice, PyObject *held)
{
    bad_rows bad = {0};
    columns *set = NULL;
    enum row_status status;
    Py_BEGIN_ALLOW_THREADS
    status = decode_all(all, choice, &set, &bad);
    Py_END_ALLOW_THREADS
    if (status == ROW_OK) {
        return decoded_rows_new(state, set, &bad, held);
    }
    columns_release(set);
    free(bad.rows);
    if (status == ROW_WRONG_PROGRAM) {
        PyErr_SetString(PyExc_ValueError,
                        "programs do not put one value into each column for a row");
        return NULL;
    }
    if (status == ROW_TOO_LARGE) {
        PyErr_SetString(PyExc_OverflowError,
                        "payloads have more than 2 GiB of strings or 2^31 items in a column; "
                        "decode fewer at a time");
        return NULL;
    }
    return PyErr_NoMemory();
}

SIGNATURE(decode_rows_signature, "_decode_rows()", 2, 2, P_payloads, P_program);

PyDoc_STRVAR(decode_rows_doc,
"_decode_rows(payloads, program, /)\n"
"--\n\n"
"Return DecodedRows for an array of payloads, with a _RowProgram.");

static PyObject *
decode_rows(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    module_state *state = PyModule_GetState(module);
    PyObject *values[2];
    if (args_parse(state, &decode_rows_signature, args, nargs, NULL, values) < 0) {
        return NULL;
    }
    program_choice choice = {.any = program_from(state, values[1], "program")};
    if (choice.any == NULL) {
        return NULL;
    }
    payloads all = {0};
    PyObject *rows = payloads_read(&all, values[0]) < 0
                         ? NULL
                         : decode(state, &all, &choice, values[1]);
    payloads_release(&all);
    return rows;
}

/* ---- payloads of many schemas ---- */

static PyObject *
decode_by_name(module_state *state, const payloads *all, const schema_headers *headers,
               PyObject *programs_for)
{
    PyObject *given = schema_names_ask(all, headers, programs_for);
    PyObject *held = given == NULL ? NULL : PyList_New(0), *rows = NULL;
    program_choice choice = {.headers = headers};
    if (held != NULL && fill_choice(state, given, &choice, held) == 0) {
        rows = decode(state, all, &choice, held);
    }
    for (int place = 0; place < PLACES; place++) {
        free(choice.tables[place].programs);
    }
    Py_XDECREF(held);
    Py_XDECREF(given);
    return rows;
}

SIGNATURE(decode_framed_signature, "_decode_framed()", 4, 4, P_payloads, P_headers, P_name,
          P_programs_for);

PyDoc_STRVAR(decode_framed_doc,
"_decode_framed(payloads, headers, name, programs_for, /)\n"
"--\n\n"
"Return DecodedRows for an array of payloads whose schemas are in a registry.\n\n"
"If headers are given and a row has a header of this name, it names the schema. Otherwise the\n"
"start of the payload names it. programs_for(frames, marks) is called once with two sets of\n"
"bytes: the names at the start of payloads (a zero and an id, or a one and a GUID) and the whole\n"
"values of headers. It returns the _RowProgram that defines the columns, and a dict for each set.\n"
"A dict has a program for each name, or a text with the reason why there is none. Names are\n"
"removed before payloads are read.");

static PyObject *
decode_framed(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    module_state *state = PyModule_GetState(module);
    PyObject *values[4];
    if (args_parse(state, &decode_framed_signature, args, nargs, NULL, values) < 0
        || arg_function(values[3], "programs_for") < 0) {
        return NULL;
    }
    payloads all = {0};
    schema_headers headers = {0};
    PyObject *rows = NULL;
    if (payloads_read(&all, values[0]) == 0
        && schema_headers_read(&headers, values[1], values[2], all.count) == 0) {
        rows = decode_by_name(state, &all, &headers, values[3]);
    }
    schema_headers_release(&headers);
    payloads_release(&all);
    return rows;
}

SIGNATURE(split_frames_signature, "_split_frames()", 3, 3, P_payloads, P_headers, P_name);

PyDoc_STRVAR(split_frames_doc,
"_split_frames(payloads, headers, name, /)\n"
"--\n\n"
"Return two lists of bytes: the name of each payload's schema, as _decode_framed() finds it, and\n"
"the payload without the name. Both are None if there is no payload or no name. Consecutive rows\n"
"with the same name share one object.");

static PyObject *
split_frames(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *values[3], *lists = NULL;
    if (args_parse(PyModule_GetState(module), &split_frames_signature, args, nargs, NULL, values)
        < 0) {
        return NULL;
    }
    payloads all = {0};
    schema_headers headers = {0};
    if (payloads_read(&all, values[0]) == 0
        && schema_headers_read(&headers, values[1], values[2], all.count) == 0) {
        lists = schema_names_split(&all, &headers);
    }
    schema_headers_release(&headers);
    payloads_release(&all);
    return lists;
}

static PyMethodDef decode_functions[] = {
    {"_decode_rows", WITHOUT_KEYWORDS(decode_rows), decode_rows_doc},
    {"_decode_framed", WITHOUT_KEYWORDS(decode_framed), decode_framed_doc},
    {"_split_frames", WITHOUT_KEYWORDS(split_frames), split_frames_doc},
    {NULL, NULL, 0, NULL},
};

int
decode_functions_add(PyObject *module, module_state *Py_UNUSED(state))
{
    return PyModule_AddFunctions(module, decode_functions);
}

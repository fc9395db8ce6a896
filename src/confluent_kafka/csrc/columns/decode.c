/*
 * _decode_rows() and _decode_framed(): a column of payloads to columns of what they say.
 */
#include <stdlib.h>

#include "base/args.h"
#include "columns/columns.h"
#include "columns/payloads.h"

/* ---- the schema registry's framing: a zero byte and the schema's id, big-endian ---- */

#define FRAME_SIZE 5

static bool
read_frame(const uint8_t *data, size_t size, uint32_t *id)
{
    if (size < FRAME_SIZE || data[0] != 0) {
        return false;
    }
    *id = (uint32_t)data[1] << 24 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 8 | data[4];
    return true;
}

/* ---- which program reads a row ---- */

typedef struct {
    uint32_t id;
    const RowProgram *program; /* NULL: there is none, */
    const char *reason;        /* and this is why */
} framed_program;

/* By id if payloads are framed, else the one for all. */
typedef struct {
    bool is_framed;
    const RowProgram *any; /* whose columns they are */
    framed_program *by_id; /* in the order of ids */
    size_t count;
} program_choice;

static int
compare_ids(const void *a, const void *b)
{
    uint32_t left = ((const framed_program *)a)->id, right = ((const framed_program *)b)->id;
    return left < right ? -1 : left > right;
}

/* The program for a payload, which is cut to what follows the frame; NULL: it has none. */
static const RowProgram *
choose(const program_choice *choice, const framed_program **last, const uint8_t **data,
       size_t *size, row_failure *failure)
{
    if (!choice->is_framed) {
        return choice->any;
    }
    framed_program key = {0};
    *failure = (row_failure){"no zero byte and schema id at the start", "", *data};
    if (!read_frame(*data, *size, &key.id)) {
        return NULL;
    }
    if (*last == NULL || (*last)->id != key.id) {
        const framed_program *found =
            bsearch(&key, choice->by_id, choice->count, sizeof(key), compare_ids);
        if (found == NULL) {
            failure->reason = "a schema id that has no program";
            return NULL;
        }
        *last = found;
    }
    failure->reason = (*last)->reason;
    *data += FRAME_SIZE;
    *size -= FRAME_SIZE;
    return (*last)->program;
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

/* One item of the dict: a program, or a text that says why there is none. */
static int
fill_framed(module_state *state, PyObject *pair, framed_program *to)
{
    PyObject *program = PyTuple_GET_ITEM(pair, 1);
    int64_t id;
    if (arg_int64(PyTuple_GET_ITEM(pair, 0), "a schema id of programs", 0, UINT32_MAX, &id) < 0) {
        return -1;
    }
    to->id = (uint32_t)id;
    if (PyUnicode_Check(program)) {
        to->reason = PyUnicode_AsUTF8(program);
        return to->reason == NULL ? -1 : 0;
    }
    to->program = program_from(state, program, "one of programs");
    return to->program == NULL ? -1 : 0;
}

/* From a dict, of which `pairs` is a copy as a list of pairs. */
static int
fill_choice(module_state *state, PyObject *pairs, program_choice *choice)
{
    size_t count = (size_t)PyList_GET_SIZE(pairs);
    choice->by_id = calloc(count + 1, sizeof(framed_program));
    if (choice->by_id == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; choice->count < count; choice->count++) {
        framed_program *to = &choice->by_id[choice->count];
        if (fill_framed(state, PyList_GET_ITEM(pairs, (Py_ssize_t)choice->count), to) < 0) {
            return -1;
        }
        if (to->program != NULL && !column_types_equal(to->program->types, choice->any->types)) {
            PyErr_SetString(PyExc_ValueError, "programs must have the same columns");
            return -1;
        }
    }
    qsort(choice->by_id, count, sizeof(framed_program), compare_ids);
    return 0;
}

/*
 * From what programs_for() gave: the program whose columns they are, and a dict of programs by id.
 * `held` is a new reference to what keeps programs and texts alive.
 */
static int
framed_choice(module_state *state, PyObject *given, program_choice *choice, PyObject **held)
{
    if (!PyTuple_Check(given) || PyTuple_GET_SIZE(given) != 2
        || !PyDict_Check(PyTuple_GET_ITEM(given, 1))) {
        PyErr_SetString(PyExc_TypeError, "programs_for() must return a _RowProgram and a dict of "
                                         "_RowProgram by schema id");
        return -1;
    }
    choice->is_framed = true;
    choice->any = program_from(state, PyTuple_GET_ITEM(given, 0), "the first of programs_for()");
    PyObject *pairs = choice->any == NULL ? NULL : PyDict_Items(PyTuple_GET_ITEM(given, 1));
    if (pairs == NULL) {
        return -1;
    }
    *held = fill_choice(state, pairs, choice) < 0 ? NULL : PyTuple_Pack(2, given, pairs);
    Py_DECREF(pairs);
    if (*held == NULL) {
        free(choice->by_id);
        return -1;
    }
    return 0;
}

/* ---- decoding; without the GIL ---- */

static enum row_status
put_null_row(columns *set)
{
    return columns_put_null(set, 0) == BUILD_OK ? ROW_OK : ROW_NO_MEMORY;
}

static enum row_status
decode_chunk(const payload_chunk *chunk, const program_choice *choice, columns *set,
             bad_rows *bad)
{
    const framed_program *last = NULL; /* runs of one id need one look-up */
    for (int64_t i = 0; i < chunk->count; i++) {
        size_t size;
        const uint8_t *data = arrow_bytes_get(&chunk->values, i, &size), *start = data;
        row_failure failure;
        enum row_status status = ROW_BAD;
        if (data == NULL) {
            status = put_null_row(set);
            if (status != ROW_OK) {
                return status;
            }
            continue;
        }
        int64_t row = set->columns[0].length;
        const RowProgram *program = choose(choice, &last, &data, &size, &failure);
        if (program != NULL) {
            status = program->format->decode(program->program, set, data, size, &failure);
        }
        if (status == ROW_BAD) {
            columns_truncate(set, row);
            bad_row what = {row, failure.at - start, failure.reason, failure.field};
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
    *set = columns_new(choice->any->types, all->count, all->size);
    if (*set == NULL) {
        return ROW_NO_MEMORY;
    }
    for (size_t i = 0; i < all->chunk_count; i++) {
        enum row_status status = decode_chunk(&all->chunks[i], choice, *set, bad);
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
"DecodedRows of an array of payloads, by a _RowProgram.");

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

/* Adds the ids of a chunk to a set: one look-up for a run of the same. */
static int
add_ids(const payload_chunk *chunk, PyObject *ids)
{
    int64_t last = -1;
    for (int64_t i = 0; i < chunk->count; i++) {
        size_t size;
        uint32_t id;
        const uint8_t *data = arrow_bytes_get(&chunk->values, i, &size);
        if (data == NULL || !read_frame(data, size, &id) || (int64_t)id == last) {
            continue;
        }
        last = id;
        PyObject *number = PyLong_FromUnsignedLong(id);
        int added = number == NULL ? -1 : PySet_Add(ids, number);
        Py_XDECREF(number);
        if (added < 0) {
            return -1;
        }
    }
    return 0;
}

/* A new set of the ids that payloads have, or NULL with an exception. */
static PyObject *
ids_of(const payloads *all)
{
    PyObject *ids = PySet_New(NULL);
    for (size_t i = 0; ids != NULL && i < all->chunk_count; i++) {
        if (add_ids(&all->chunks[i], ids) < 0) {
            Py_CLEAR(ids);
        }
    }
    return ids;
}

static PyObject *
decode_by_id(module_state *state, const payloads *all, PyObject *programs_for)
{
    PyObject *ids = ids_of(all), *held;
    PyObject *given = ids == NULL ? NULL : PyObject_CallOneArg(programs_for, ids);
    program_choice choice = {0};
    PyObject *rows = NULL;
    if (given != NULL && framed_choice(state, given, &choice, &held) == 0) {
        rows = decode(state, all, &choice, held);
        free(choice.by_id);
        Py_DECREF(held);
    }
    Py_XDECREF(given);
    Py_XDECREF(ids);
    return rows;
}

SIGNATURE(decode_framed_signature, "_decode_framed()", 2, 2, P_payloads, P_programs_for);

PyDoc_STRVAR(decode_framed_doc,
"_decode_framed(payloads, programs_for, /)\n"
"--\n\n"
"DecodedRows of an array of payloads in the registry's framing. programs_for(ids) is called once\n"
"with the set of their schema ids. It returns the _RowProgram whose columns they get; and a dict of\n"
"programs for the same columns by id, or of texts that say why there is none.");

static PyObject *
decode_framed(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    module_state *state = PyModule_GetState(module);
    PyObject *values[2];
    if (args_parse(state, &decode_framed_signature, args, nargs, NULL, values) < 0
        || arg_function(values[1], "programs_for") < 0) {
        return NULL;
    }
    payloads all = {0};
    PyObject *rows = payloads_read(&all, values[0]) < 0
                         ? NULL
                         : decode_by_id(state, &all, values[1]);
    payloads_release(&all);
    return rows;
}

static PyMethodDef decode_functions[] = {
    {"_decode_rows", WITHOUT_KEYWORDS(decode_rows), decode_rows_doc},
    {"_decode_framed", WITHOUT_KEYWORDS(decode_framed), decode_framed_doc},
    {NULL, NULL, 0, NULL},
};

int
decode_functions_add(PyObject *module, module_state *Py_UNUSED(state))
{
    return PyModule_AddFunctions(module, decode_functions);
}

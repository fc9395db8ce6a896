#include "columns/schema_names.h"

#include "base/args.h"

int
schema_name_compare(const schema_name *one, const schema_name *other)
{
    size_t size = one->size < other->size ? one->size : other->size;
    int order = memcmp(one->data, other->data, size);
    return order != 0 ? order : (one->size > other->size) - (one->size < other->size);
}

/* ---- headers ---- */

static bool
is_any_named(const schema_headers *self)
{
    size_t size;
    for (int64_t row = 0; row < arrow_rows_count(self->rows); row++) {
        if (arrow_rows_header(self->rows, row, self->name, &size) != NULL) {
            return true;
        }
    }
    return false;
}

int
schema_headers_read(schema_headers *self, PyObject *batch, PyObject *name, int64_t rows)
{
    self->name = arg_utf8(name, "name", NULL);
    if (self->name == NULL || batch == Py_None) {
        return self->name == NULL ? -1 : 0;
    }
    self->rows = arrow_rows_import(batch, "headers");
    if (self->rows == NULL) {
        return -1;
    }
    if (arrow_rows_count(self->rows) != rows) {
        PyErr_SetString(PyExc_ValueError, "headers must have as many rows as payloads");
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS
    self->is_used = is_any_named(self);
    Py_END_ALLOW_THREADS
    return 0;
}

void
schema_headers_release(schema_headers *self)
{
    if (self->rows != NULL) {
        arrow_rows_release(self->rows);
    }
}

/* ---- collecting the names ---- */

static int
add_name(PyObject *names, const schema_name *name)
{
    PyObject *bytes = PyBytes_FromStringAndSize((const char *)name->data, (Py_ssize_t)name->size);
    int result = bytes == NULL ? -1 : PySet_Add(names, bytes);
    Py_XDECREF(bytes);
    return result;
}

/* Adds the names of a chunk's schemas to the set for frames or for headers. A run of equal names is
 * added once. */
static int
add_names(const payload_chunk *chunk, int64_t first_row, const schema_headers *headers,
          PyObject *const *names)
{
    schema_name last[PLACES] = {{NULL, 0, 0}};
    for (int64_t i = 0; i < chunk->count; i++) {
        size_t size;
        schema_name name;
        const uint8_t *data = arrow_bytes_get(&chunk->values, i, &size);
        if (data == NULL
            || (!headers->is_used && schema_name_is_id(&last[IN_FRAME], data, size))) {
            continue;
        }
        int place = schema_name_find(headers, first_row + i, data, size, &name);
        if (place == NOWHERE
            || (last[place].data != NULL && schema_name_is(&last[place], &name))) {
            continue;
        }
        last[place] = name;
        if (add_name(names[place], &name) < 0) {
            return -1;
        }
    }
    return 0;
}

PyObject *
schema_names_ask(const payloads *all, const schema_headers *headers, PyObject *programs_for)
{
    PyObject *names[PLACES] = {PySet_New(NULL), PySet_New(NULL)};
    int result = names[IN_FRAME] == NULL || names[IN_HEADER] == NULL ? -1 : 0;
    int64_t first_row = 0;
    for (size_t i = 0; result == 0 && i < all->chunk_count; i++) {
        result = add_names(&all->chunks[i], first_row, headers, names);
        first_row += all->chunks[i].count;
    }
    PyObject *given = result < 0 ? NULL
                                 : PyObject_CallFunctionObjArgs(programs_for, names[IN_FRAME],
                                                                names[IN_HEADER], NULL);
    Py_XDECREF(names[IN_FRAME]);
    Py_XDECREF(names[IN_HEADER]);
    return given;
}

/* ---- payloads without frames ---- */

/* The last name at each place, and its bytes object. */
typedef struct {
    schema_name names[PLACES];
    PyObject *bytes[PLACES]; /* owned */
} name_runs;

/* A new reference, to the same object for a run of equal names; NULL with an exception. */
static PyObject *
name_bytes(name_runs *runs, int place, const schema_name *name)
{
    if (runs->bytes[place] == NULL || !schema_name_is(&runs->names[place], name)) {
        Py_XSETREF(runs->bytes[place], PyBytes_FromStringAndSize((const char *)name->data,
                                                                 (Py_ssize_t)name->size));
        runs->names[place] = *name;
    }
    return Py_XNewRef(runs->bytes[place]);
}

static int
split_chunk(const payload_chunk *chunk, int64_t first_row, const schema_headers *headers,
            PyObject *names, PyObject *bodies, name_runs *runs)
{
    for (int64_t i = 0; i < chunk->count; i++) {
        size_t size;
        schema_name name;
        const uint8_t *data = arrow_bytes_get(&chunk->values, i, &size);
        Py_ssize_t row = (Py_ssize_t)(first_row + i);
        int place =
            data == NULL ? NOWHERE : schema_name_find(headers, row, data, size, &name);
        if (place == NOWHERE) {
            PyList_SET_ITEM(names, row, Py_NewRef(Py_None));
            PyList_SET_ITEM(bodies, row, Py_NewRef(Py_None));
            continue;
        }
        size_t frame = place == IN_FRAME ? name.size : 0;
        PyObject *bytes = name_bytes(runs, place, &name);
        PyObject *body = PyBytes_FromStringAndSize((const char *)data + frame,
                                                   (Py_ssize_t)(size - frame));
        PyList_SET_ITEM(names, row, bytes);
        PyList_SET_ITEM(bodies, row, body);
        if (bytes == NULL || body == NULL) {
            return -1;
        }
    }
    return 0;
}

PyObject *
schema_names_split(const payloads *all, const schema_headers *headers)
{
    PyObject *names = PyList_New((Py_ssize_t)all->count);
    PyObject *bodies = PyList_New((Py_ssize_t)all->count);
    name_runs runs = {.bytes = {NULL}};
    int result = names == NULL || bodies == NULL ? -1 : 0;
    int64_t first_row = 0;
    for (size_t i = 0; result == 0 && i < all->chunk_count; i++) {
        result = split_chunk(&all->chunks[i], first_row, headers, names, bodies, &runs);
        first_row += all->chunks[i].count;
    }
    for (int place = 0; place < PLACES; place++) {
        Py_XDECREF(runs.bytes[place]);
    }
    PyObject *pair = result < 0 ? NULL : PyTuple_Pack(2, names, bodies);
    Py_XDECREF(names);
    Py_XDECREF(bodies);
    return pair;
}

/*
 * _ColumnBatch: the rows of an Arrow batch, whose columns can be selected or replaced without
 * copies.
 */
#include <string.h>

#include "arrow/empty.h"
#include "arrow/shared.h"
#include "arrow/source.h"
#include "base/args.h"
#include "columns/columns.h"

typedef struct {
    PyObject_HEAD
    shared_array *whole; /* never NULL */
} ColumnBatch;

static PyObject *
column_batch_from(PyTypeObject *type, shared_array *whole)
{
    ColumnBatch *self = whole == NULL ? NULL : (ColumnBatch *)type->tp_alloc(type, 0);
    if (self == NULL) {
        shared_array_release(whole);
        return whole == NULL ? PyErr_NoMemory() : NULL;
    }
    self->whole = whole;
    return (PyObject *)self;
}

/* ---- reading ---- */

typedef struct {
    shared_array **arrays;
    size_t count;
} chunks;

/* Releases arrays, and keeps the current exception: their owner may be Python code. */
static void
chunks_release(chunks *self)
{
    PyObject *raised = PyErr_GetRaisedException();
    for (size_t i = 0; i < self->count; i++) {
        shared_array_release(self->arrays[i]);
    }
    PyMem_Free(self->arrays);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
}

/* Takes ownership of the array; moves the type of the first array, and copies it for the others. */
static shared_array *
share_chunk(const chunks *before, const struct ArrowSchema *schema, struct ArrowArray *array)
{
    struct ArrowSchema copy;
    if (before->count == 0) {
        /* The reader owns the type, in a capsule or in the source of a stream. */
        return shared_array_new((struct ArrowSchema *)schema, array);
    }
    if (shared_array_exporter.schema(before->arrays[0], &copy) < 0) {
        array->release(array);
        return NULL;
    }
    return shared_array_new(&copy, array);
}

/* An arrow_taker that keeps each array. */
static int
take(void *context, const struct ArrowSchema *schema, struct ArrowArray *array,
     const char *name)
{
    chunks *self = context;
    shared_array **arrays = PyMem_Realloc(self->arrays, (self->count + 1) * sizeof(*arrays));
    if (arrays == NULL) {
        array->release(array);
        PyErr_NoMemory();
        return -1;
    }
    self->arrays = arrays;
    if (schema->n_children != array->n_children) {
        array->release(array);
        PyErr_Format(PyExc_ValueError, "%s is not a valid Arrow array", name);
        return -1;
    }
    arrays[self->count] = share_chunk(self, schema, array);
    if (arrays[self->count] == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->count++;
    return 0;
}

/* A stream without arrays has a type; adds an array of this type without rows. */
static int
take_empty(chunks *self, const struct ArrowSchema *schema, const char *name)
{
    struct ArrowArray array;
    if (arrow_empty_array(schema, &array) < 0) {
        PyErr_NoMemory();
        return -1;
    }
    return take(self, schema, &array, name);
}

/* Reads at least one array: 0, or -1 with an exception. */
static int
read_chunks(PyObject *object, const char *name, chunks *found)
{
    arrow_source source = {0};
    int result = arrow_source_read(&source, object, name,
                                   "an array with the Arrow PyCapsule protocol", take, found);
    if (result == 0 && found->count == 0) {
        result = take_empty(found, &source.schema, name);
    }
    PyObject *raised = PyErr_GetRaisedException();
    arrow_source_release(&source);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
    return result;
}

/* Reads a batch that must have one chunk. */
static shared_array *
read_array(PyObject *object, const char *name)
{
    chunks found = {0};
    shared_array *whole = NULL;
    if (read_chunks(object, name, &found) == 0) {
        if (found.count == 1) {
            whole = found.arrays[0];
            found.count = 0;
        }
        else {
            PyErr_Format(PyExc_ValueError, "%s has more than one chunk: combine them", name);
        }
    }
    chunks_release(&found);
    return whole;
}

SIGNATURE(column_batch_signature, "_ColumnBatch()", 1, 1, P_batch);

static PyObject *
column_batch_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *values[1];
    if (args_parse_tuple(module_state_of_type(type), &column_batch_signature, args, kwargs,
                         values) < 0) {
        return NULL;
    }
    shared_array *whole = read_array(values[0], "batch");
    return whole == NULL ? NULL : column_batch_from(type, whole);
}

PyDoc_STRVAR(chunks_of_doc,
"chunks_of(batch, /)\n--\n\n"
"Return a list with a _ColumnBatch for each chunk of a batch, or one without rows.\n\n"
"Args:\n"
"    batch: a record batch, table or data frame with the Arrow PyCapsule protocol.");

static PyObject *
chunks_of(PyObject *type, PyObject *object)
{
    chunks found = {0};
    PyObject *list = read_chunks(object, "batch", &found) < 0
                         ? NULL
                         : PyList_New((Py_ssize_t)found.count);
    for (size_t i = 0; list != NULL && i < found.count; i++) {
        PyObject *chunk = column_batch_from((PyTypeObject *)type, found.arrays[i]);
        found.arrays[i] = NULL; /* ownership was transferred, even on failure */
        if (chunk == NULL) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, (Py_ssize_t)i, chunk);
    }
    chunks_release(&found);
    return list;
}

/* ---- columns ---- */

/* The name of a column; an array may have none. */
static const char *
column_name(const shared_array *whole, int64_t number)
{
    const char *name = whole->schema.children[number]->name;
    return name == NULL ? "" : name;
}

/* The index of a column, or -1 with a KeyError. */
static int64_t
find_column(const shared_array *whole, const char *name)
{
    for (int64_t i = 0; i < whole->schema.n_children; i++) {
        if (strcmp(column_name(whole, i), name) == 0) {
            return i;
        }
    }
    PyErr_Format(PyExc_KeyError, "the batch has no column '%s'", name);
    return -1;
}

PyDoc_STRVAR(column_doc,
"column($self, name, /)\n--\n\n"
"Return a _ColumnBatch with one column.\n\n"
"Args:\n"
"    name (str): the name of the column.\n\n"
"Raises:\n"
"    KeyError: there is no column with this name.");

static PyObject *
get_column(PyObject *object, PyObject *name)
{
    ColumnBatch *self = (ColumnBatch *)object;
    const char *text = arg_utf8(name, "name", NULL);
    int64_t number = text == NULL ? -1 : find_column(self->whole, text);
    return number < 0 ? NULL
                      : column_batch_from(Py_TYPE(self), shared_array_child(self->whole, number));
}

/* Collects the columns that stay and the replacements; all are new references. */
static int
choose_columns(ColumnBatch *self, PyObject *replacements, shared_array **columns,
               const char **names)
{
    for (int64_t i = 0; i < self->whole->schema.n_children; i++) {
        names[i] = column_name(self->whole, i);
        PyObject *replacement = PyDict_GetItemString(replacements, names[i]);
        if (replacement == NULL) {
            columns[i] = shared_array_child(self->whole, i);
            if (columns[i] == NULL) {
                PyErr_NoMemory();
                return -1;
            }
            continue;
        }
        columns[i] = read_array(replacement, names[i]);
        if (columns[i] == NULL) {
            return -1;
        }
        if (columns[i]->array.length != self->whole->array.length) {
            PyErr_Format(PyExc_ValueError, "column '%s' has another number of rows", names[i]);
            return -1;
        }
    }
    return 0;
}

PyDoc_STRVAR(replaced_doc,
"replaced($self, columns, /)\n--\n\n"
"Return a _ColumnBatch in which some columns are replaced.\n\n"
"Args:\n"
"    columns (dict): the replacements by name: arrays with the same number of rows.");

static PyObject *
replaced(PyObject *object, PyObject *replacements)
{
    ColumnBatch *self = (ColumnBatch *)object;
    if (!PyDict_Check(replacements)) {
        PyErr_SetString(PyExc_TypeError, "columns must be a dict");
        return NULL;
    }
    size_t count = (size_t)self->whole->schema.n_children;
    shared_array **columns = PyMem_Calloc(count + 1, sizeof(*columns));
    const char **names = PyMem_Calloc(count + 1, sizeof(*names));
    PyObject *result = NULL;
    if (columns == NULL || names == NULL) {
        PyErr_NoMemory();
    }
    else if (choose_columns(self, replacements, columns, names) == 0) {
        result = column_batch_from(Py_TYPE(self), shared_array_join(columns, names, count));
    }
    for (size_t i = 0; columns != NULL && i < count; i++) {
        shared_array_release(columns[i]); /* the joined array holds its own references */
    }
    PyMem_Free(columns);
    PyMem_Free(names);
    return result;
}

PyDoc_STRVAR(of_doc,
"of(columns, /)\n--\n\n"
"Return a _ColumnBatch with the columns of a dict; all must have the same number of rows.\n\n"
"Args:\n"
"    columns (dict): arrays with the Arrow PyCapsule protocol, by name.");

/* Reads the values of a dict; `items` are its pairs. */
static int
read_columns(PyObject *items, shared_array **columns, const char **names)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items); i++) {
        PyObject *pair = PyList_GET_ITEM(items, i);
        names[i] = arg_utf8(PyTuple_GET_ITEM(pair, 0), "a column's name", NULL);
        columns[i] = names[i] == NULL ? NULL : read_array(PyTuple_GET_ITEM(pair, 1), names[i]);
        if (columns[i] == NULL) {
            return -1;
        }
        if (columns[i]->array.length != columns[0]->array.length) {
            PyErr_Format(PyExc_ValueError, "column '%s' has another number of rows", names[i]);
            return -1;
        }
    }
    return 0;
}

static PyObject *
of(PyObject *type, PyObject *given)
{
    if (!PyDict_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "columns must be a dict");
        return NULL;
    }
    PyObject *items = PyDict_Items(given);
    size_t count = items == NULL ? 0 : (size_t)PyList_GET_SIZE(items);
    shared_array **columns = PyMem_Calloc(count + 1, sizeof(*columns));
    const char **names = PyMem_Calloc(count + 1, sizeof(*names));
    PyObject *result = NULL;
    if (items != NULL && (columns == NULL || names == NULL)) {
        PyErr_NoMemory();
    }
    else if (items != NULL && read_columns(items, columns, names) == 0) {
        result = column_batch_from((PyTypeObject *)type,
                                   shared_array_join(columns, names, count));
    }
    for (size_t i = 0; columns != NULL && i < count; i++) {
        shared_array_release(columns[i]);
    }
    PyMem_Free(columns);
    PyMem_Free(names);
    Py_XDECREF(items);
    return result;
}

static PyObject *
list_names(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const shared_array *whole = ((ColumnBatch *)object)->whole;
    PyObject *names = PyList_New(0);
    for (int64_t i = 0; names != NULL && i < whole->schema.n_children; i++) {
        PyObject *name = PyUnicode_FromString(column_name(whole, i));
        int result = name == NULL ? -1 : PyList_Append(names, name);
        Py_XDECREF(name);
        if (result < 0) {
            Py_CLEAR(names);
        }
    }
    return names;
}

/* The number of values below `limit` in an increasing int64 column without nulls. */
static int64_t
count_below(const struct ArrowArray *array, int64_t limit)
{
    const int64_t *values = (const int64_t *)array->buffers[1] + array->offset;
    int64_t low = 0, high = array->length;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (values[middle] < limit) {
            low = middle + 1;
        }
        else {
            high = middle;
        }
    }
    return low;
}

SIGNATURE(until_signature, "until()", 2, 2, P_name, P_limit);

PyDoc_STRVAR(until_doc,
"until($self, name, limit, /)\n--\n\n"
"Return a _ColumnBatch of the first rows, in which the value of a column is below a limit.\n\n"
"Args:\n"
"    name (str): an int64 column with increasing values.\n"
"    limit (int): the first value to leave out.\n\n"
"Raises:\n"
"    KeyError: there is no column with this name.");

static PyObject *
until(PyObject *object, PyObject *const *args, Py_ssize_t nargs)
{
    ColumnBatch *self = (ColumnBatch *)object;
    PyObject *values[2];
    int64_t limit;
    if (args_parse(module_state_of_type(Py_TYPE(self)), &until_signature, args, nargs, NULL,
                   values) < 0
        || arg_int64(values[1], "limit", INT64_MIN, INT64_MAX, &limit) < 0) {
        return NULL;
    }
    const char *name = arg_utf8(values[0], "name", NULL);
    int64_t number = name == NULL ? -1 : find_column(self->whole, name);
    if (number < 0) {
        return NULL;
    }
    if (strcmp(self->whole->schema.children[number]->format, "l") != 0) {
        PyErr_Format(PyExc_TypeError, "column '%s' must be int64", name);
        return NULL;
    }
    int64_t rows = count_below(self->whole->array.children[number], limit);
    return column_batch_from(Py_TYPE(self), shared_array_head(self->whole, rows));
}

/* ---- exporting ---- */

PyDoc_STRVAR(stream_of_doc,
"stream_of(batches, /)\n--\n\n"
"Return the capsule of an Arrow stream of batches, by the Arrow PyCapsule protocol.\n\n"
"Args:\n"
"    batches (tuple): at least one _ColumnBatch; all must have the same columns.");

static PyObject *
stream_of(PyObject *type, PyObject *batches)
{
    Py_ssize_t count = PyTuple_Check(batches) ? PyTuple_GET_SIZE(batches) : 0;
    void **owners = count == 0 ? NULL : PyMem_Malloc((size_t)count * sizeof(*owners));
    if (count > 0 && owners == NULL) {
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *batch = PyTuple_GET_ITEM(batches, i);
        if (!Py_IS_TYPE(batch, (PyTypeObject *)type)) {
            count = 0;
            break;
        }
        owners[i] = ((ColumnBatch *)batch)->whole;
    }
    PyObject *capsule = NULL;
    if (count == 0) {
        PyErr_SetString(PyExc_TypeError, "batches must be a tuple of one or more _ColumnBatch");
    }
    else {
        capsule = arrow_stream_capsule(&shared_array_exporter, owners, (size_t)count);
    }
    PyMem_Free(owners);
    return capsule;
}

static PyObject *
arrow_c_schema(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return arrow_schema_capsule(&shared_array_exporter, ((ColumnBatch *)self)->whole);
}

static PyObject *
arrow_c_array(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    shared_array *whole = ((ColumnBatch *)self)->whole;
    return arrow_c_array_of(self, &shared_array_exporter, whole, args, nargs, kwnames);
}

static PyObject *
arrow_c_stream(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    shared_array *whole = ((ColumnBatch *)self)->whole;
    return arrow_c_stream_of(self, &shared_array_exporter, whole, args, nargs, kwnames);
}

static Py_ssize_t
column_batch_length(PyObject *self)
{
    return (Py_ssize_t)((ColumnBatch *)self)->whole->array.length;
}

static void
column_batch_dealloc(PyObject *object)
{
    ColumnBatch *self = (ColumnBatch *)object;
    PyTypeObject *type = Py_TYPE(self);
    PyObject *raised = PyErr_GetRaisedException(); /* the array's owner may be Python code */
    shared_array_release(self->whole);
    if (raised != NULL) {
        PyErr_SetRaisedException(raised);
    }
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef column_batch_methods[] = {
    {"column", get_column, METH_O, column_doc},
    {"replaced", replaced, METH_O, replaced_doc},
    {"of", of, METH_O | METH_CLASS, of_doc},
    {"stream_of", stream_of, METH_O | METH_CLASS, stream_of_doc},
    {"chunks_of", chunks_of, METH_O | METH_CLASS, chunks_of_doc},
    {"names", list_names, METH_NOARGS,
     PyDoc_STR("names($self, /)\n--\n\nThe names of the columns.")},
    {"until", WITHOUT_KEYWORDS(until), until_doc},
    {"__arrow_c_schema__", arrow_c_schema, METH_NOARGS,
     PyDoc_STR("__arrow_c_schema__($self, /)\n--\n\nThe type, by the Arrow PyCapsule protocol.")},
    {"__arrow_c_array__", WITH_KEYWORDS(arrow_c_array),
     PyDoc_STR("__arrow_c_array__($self, /, requested_schema=None)\n--\n\n"
               "The columns, by the Arrow PyCapsule protocol.")},
    {"__arrow_c_stream__", WITH_KEYWORDS(arrow_c_stream),
     PyDoc_STR("__arrow_c_stream__($self, /, requested_schema=None)\n--\n\n"
               "The columns as a stream of one record batch.")},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(column_batch_doc,
"_ColumnBatch(batch)\n"
"--\n\n"
"The columns of a batch with the Arrow PyCapsule protocol, for selecting and replacing.");

static PyType_Slot column_batch_slots[] = {
    {Py_tp_doc, (void *)column_batch_doc},
    {Py_tp_new, column_batch_new},
    {Py_tp_dealloc, column_batch_dealloc},
    {Py_tp_methods, column_batch_methods},
    {Py_sq_length, column_batch_length},
    {0, NULL},
};

static PyType_Spec column_batch_spec = {
    .name = "confluent_kafka.cimpl._ColumnBatch",
    .basicsize = sizeof(ColumnBatch),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = column_batch_slots,
};

int
column_batch_type_add(PyObject *module, module_state *state)
{
    state->ColumnBatch = module_add_type(module, &column_batch_spec, NULL);
    return state->ColumnBatch == NULL ? -1 : 0;
}

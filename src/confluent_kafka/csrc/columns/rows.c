/*
 * DecodedRows and EncodedRows: finished columns, and the rows that could not be made. The two types
 * differ in their columns, and in the form in which these are streamed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "columns/columns.h"
#include "columns/export.h"

typedef struct {
    PyObject_HEAD
    columns *set;                   /* never NULL; immutable */
    const arrow_exporter *streamed; /* the exporter for streams */
    bad_rows bad;
    PyObject *programs; /* owns the texts of the bad rows; NULL if there are none */
} Rows;

static PyObject *
rows_new(PyTypeObject *type, const arrow_exporter *streamed, columns *set, bad_rows *bad,
         PyObject *programs)
{
    Rows *self = PyObject_GC_New(Rows, type);
    if (self == NULL) {
        columns_release(set);
        free(bad->rows);
        return NULL;
    }
    self->set = set;
    self->streamed = streamed;
    self->bad = *bad;
    self->programs = Py_XNewRef(programs);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

PyObject *
decoded_rows_new(module_state *state, columns *set, bad_rows *bad, PyObject *programs)
{
    return rows_new(state->DecodedRows, &batch_exporter, set, bad, programs);
}

PyObject *
encoded_rows_new(module_state *state, columns *set, bad_rows *bad, PyObject *program)
{
    return rows_new(state->EncodedRows, &columns_exporter, set, bad, program);
}

PyDoc_STRVAR(arrow_c_schema_doc,
"__arrow_c_schema__($self, /)\n--\n\n"
"Return the type of the rows, by the Arrow PyCapsule protocol.\n\n"
"Returns:\n"
"    capsule 'arrow_schema': A struct type for decoded rows, binary for payloads.");

static PyObject *
arrow_c_schema(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return arrow_schema_capsule(&columns_exporter, ((Rows *)self)->set);
}

PyDoc_STRVAR(arrow_c_array_doc,
"__arrow_c_array__($self, /, requested_schema=None)\n--\n\n"
"Return the rows, by the Arrow PyCapsule protocol, without a copy.\n\n"
"May be called any number of times. The result stays valid after the rows are deleted.\n\n"
"Args:\n"
"    requested_schema (capsule or None): ignored, which the protocol allows.\n\n"
"Returns:\n"
"    tuple of the capsules 'arrow_schema' and 'arrow_array'.");

static PyObject *
arrow_c_array(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    return arrow_c_array_of(self, &columns_exporter, ((Rows *)self)->set, args, nargs, kwnames);
}

PyDoc_STRVAR(arrow_c_stream_doc,
"__arrow_c_stream__($self, /, requested_schema=None)\n--\n\n"
"Return the rows as a stream of one array.\n\n"
"Decoded rows come as a record batch, which has no nulls of its own: a null row is null in each\n"
"column.\n\n"
"Args:\n"
"    requested_schema (capsule or None): ignored, as in __arrow_c_array__().\n\n"
"Returns:\n"
"    capsule 'arrow_array_stream'.");

static PyObject *
arrow_c_stream(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    Rows *rows = (Rows *)self;
    return arrow_c_stream_of(self, rows->streamed, rows->set, args, nargs, kwnames);
}

PyDoc_STRVAR(bad_rows_doc,
"_bad_rows($self, /)\n--\n\n"
"Return a list of (row, offset, field, reason) for the rows that could not be made.");

static PyObject *
list_bad_rows(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return bad_rows_list(&((Rows *)self)->bad);
}

PyDoc_STRVAR(error_column_doc,
"error_column($self, /)\n--\n\n"
"Return the errors of all rows as an Arrow array, with a slot for each row.\n\n"
"Returns:\n"
"    DecodedRows: struct<offset: int64, field: string, reason: string>, null for rows without an\n"
"        error. The offset is the number of bytes that were read or written before the field.");

static PyObject *
error_column(PyObject *self, PyObject *Py_UNUSED(unused))
{
    Rows *rows = (Rows *)self;
    columns *set = bad_rows_column(&rows->bad, rows->set->columns[0].length);
    bad_rows none = {0};
    return set == NULL ? NULL
                       : decoded_rows_new(module_state_of_type(Py_TYPE(self)), set, &none, NULL);
}

/* ---- the types ---- */

static Py_ssize_t
rows_length(PyObject *self)
{
    return (Py_ssize_t)((Rows *)self)->set->columns[0].length;
}

static PyObject *
rows_repr(PyObject *self)
{
    Py_ssize_t length = rows_length(self);
    return PyUnicode_FromFormat("%s(%zd row%s, %zu of them bad)",
                                strrchr(Py_TYPE(self)->tp_name, '.') + 1, length,
                                length == 1 ? "" : "s", ((Rows *)self)->bad.count);
}

static PyObject *
rows_errors(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *convert = import_attribute("confluent_kafka._values.rows", "row_errors");
    PyObject *errors = convert == NULL ? NULL : PyObject_CallOneArg(convert, self);
    Py_XDECREF(convert);
    return errors;
}

static int
rows_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((Rows *)self)->programs);
    return 0;
}

static void
rows_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Rows *rows = (Rows *)self;
    PyObject_GC_UnTrack(self);
    columns_release(rows->set);
    free(rows->bad.rows);
    Py_XDECREF(rows->programs);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMethodDef rows_methods[] = {
    {"__arrow_c_schema__", arrow_c_schema, METH_NOARGS, arrow_c_schema_doc},
    {"__arrow_c_array__", WITH_KEYWORDS(arrow_c_array), arrow_c_array_doc},
    {"__arrow_c_stream__", WITH_KEYWORDS(arrow_c_stream), arrow_c_stream_doc},
    {"error_column", error_column, METH_NOARGS, error_column_doc},
    {"_bad_rows", list_bad_rows, METH_NOARGS, bad_rows_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef rows_getset[] = {
    {"errors", rows_errors, NULL,
     PyDoc_STR("list of RowError: the rows that could not be decoded or encoded, in their order."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(decoded_rows_doc,
"Decoded payloads as Arrow columns: a struct array with a row for each payload.\n\n"
"pyarrow.table(rows), polars.DataFrame(rows), a DuckDB query and\n"
"pandas.DataFrame.from_arrow(rows) read it through the Arrow PyCapsule protocol;\n"
"pyarrow.array(rows) is one struct array. A row is null if its payload is null or cannot be\n"
"decoded; errors lists the payloads that cannot be decoded. len(rows) is the number of rows.");

PyDoc_STRVAR(encoded_rows_doc,
"Rows as payloads: an Arrow array of binary values, one for each row.\n\n"
"pyarrow.array(rows), polars.Series(rows) and others read it through the Arrow PyCapsule\n"
"protocol. A payload is null if its row is null or cannot be encoded; errors lists the rows that\n"
"cannot be encoded. len(rows) is the number of rows.");

#define ROWS_TYPE(type_name, type_doc, slot_list, type_spec)                             \
    static PyType_Slot slot_list[] = {                                                   \
        {Py_tp_doc, (void *)type_doc},                                                   \
        {Py_tp_dealloc, rows_dealloc},                                                   \
        {Py_tp_traverse, rows_traverse},                                                 \
        {Py_tp_repr, rows_repr},                                                         \
        {Py_tp_methods, rows_methods},                                                   \
        {Py_tp_getset, rows_getset},                                                     \
        {Py_sq_length, rows_length},                                                     \
        {0, NULL},                                                                       \
    };                                                                                   \
    static PyType_Spec type_spec = {                                                     \
        .name = "confluent_kafka.cimpl." type_name,                                      \
        .basicsize = sizeof(Rows),                                                       \
        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC                                 \
                 | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE,         \
        .slots = slot_list,                                                              \
    }

ROWS_TYPE("DecodedRows", decoded_rows_doc, decoded_rows_slots, decoded_rows_spec);
ROWS_TYPE("EncodedRows", encoded_rows_doc, encoded_rows_slots, encoded_rows_spec);

int
rows_types_add(PyObject *module, module_state *state)
{
    state->DecodedRows = module_add_type(module, &decoded_rows_spec, NULL);
    state->EncodedRows = module_add_type(module, &encoded_rows_spec, NULL);
    return state->DecodedRows == NULL || state->EncodedRows == NULL ? -1 : 0;
}

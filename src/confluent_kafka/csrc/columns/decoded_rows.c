#include <stdlib.h>

#include "base/args.h"
#include "columns/columns.h"
#include "columns/export.h"

typedef struct {
    PyObject_HEAD
    columns *set;       /* never NULL, immutable */
    bad_rows bad;
    PyObject *programs; /* whose texts the bad rows refer to */
} DecodedRows;

PyObject *
decoded_rows_new(module_state *state, columns *set, bad_rows *bad, PyObject *programs)
{
    DecodedRows *self = PyObject_GC_New(DecodedRows, state->DecodedRows);
    if (self == NULL) {
        columns_release(set);
        free(bad->rows);
        return NULL;
    }
    self->set = set;
    self->bad = *bad;
    self->programs = Py_NewRef(programs);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

PyDoc_STRVAR(arrow_c_schema_doc,
"__arrow_c_schema__($self, /)\n--\n\n"
"The columns' names and types, by the Arrow PyCapsule protocol.\n\n"
"Returns:\n"
"    capsule 'arrow_schema' with a struct type.");

static PyObject *
arrow_c_schema(DecodedRows *self, PyObject *Py_UNUSED(unused))
{
    return arrow_schema_capsule(&columns_exporter, self->set);
}

SIGNATURE(arrow_c_array_signature, "__arrow_c_array__()", 0, 1, P_requested_schema);

PyDoc_STRVAR(arrow_c_array_doc,
"__arrow_c_array__($self, /, requested_schema=None)\n--\n\n"
"The columns, by the Arrow PyCapsule protocol, without a copy.\n\n"
"May be called any number of times; what it returned outlives the rows.\n\n"
"Args:\n"
"    requested_schema (capsule or None): not followed, which the protocol allows.\n\n"
"Returns:\n"
"    tuple of the capsules 'arrow_schema' and 'arrow_array'.");

static PyObject *
arrow_c_array(DecodedRows *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *requested_schema;
    if (args_parse(module_state_of_type(Py_TYPE(self)), &arrow_c_array_signature, args,
                   nargs, kwnames, &requested_schema) < 0) {
        return NULL;
    }
    return arrow_array_capsules(&columns_exporter, self->set);
}

SIGNATURE(arrow_c_stream_signature, "__arrow_c_stream__()", 0, 1, P_requested_schema);

PyDoc_STRVAR(arrow_c_stream_doc,
"__arrow_c_stream__($self, /, requested_schema=None)\n--\n\n"
"The columns as a stream of one record batch.\n\n"
"A record batch has no nulls of its own: a row that is null is null in each column.\n\n"
"Args:\n"
"    requested_schema (capsule or None): not followed, as in __arrow_c_array__().\n\n"
"Returns:\n"
"    capsule 'arrow_array_stream'.");

static PyObject *
arrow_c_stream(DecodedRows *self, PyObject *const *args, Py_ssize_t nargs,
               PyObject *kwnames)
{
    PyObject *requested_schema;
    if (args_parse(module_state_of_type(Py_TYPE(self)), &arrow_c_stream_signature, args,
                   nargs, kwnames, &requested_schema) < 0) {
        return NULL;
    }
    return arrow_stream_capsule(&batch_exporter, self->set);
}

PyDoc_STRVAR(bad_rows_doc,
"_bad_rows($self, /)\n--\n\n"
"A list of (row, offset, field, reason) of the payloads that could not be decoded.");

static PyObject *
list_bad_rows(DecodedRows *self, PyObject *Py_UNUSED(unused))
{
    return bad_rows_list(&self->bad);
}

PyDoc_STRVAR(error_column_doc,
"error_column($self, /)\n--\n\n"
"What was wrong with each payload, as an Arrow array beside the columns.\n\n"
"Returns:\n"
"    DecodedRows: struct<offset: int64, field: string, reason: string>, null where the payload was\n"
"        decoded; offset in the payload, in bytes.");

static PyObject *
error_column(DecodedRows *self, PyObject *Py_UNUSED(unused))
{
    columns *set = bad_rows_column(&self->bad, self->set->columns[0].length);
    bad_rows none = {0};
    return set == NULL ? NULL
                       : decoded_rows_new(module_state_of_type(Py_TYPE(self)), set, &none,
                                          Py_None);
}

/* ---- the type ---- */

static Py_ssize_t
decoded_rows_length(DecodedRows *self)
{
    return (Py_ssize_t)self->set->columns[0].length;
}

static PyObject *
decoded_rows_repr(DecodedRows *self)
{
    Py_ssize_t length = decoded_rows_length(self);
    return PyUnicode_FromFormat("DecodedRows(%zd row%s, %zu of them bad)", length,
                                length == 1 ? "" : "s", self->bad.count);
}

static PyObject *
decoded_rows_errors(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *convert = import_attribute("confluent_kafka._values.rows", "row_errors");
    PyObject *errors = convert == NULL ? NULL : PyObject_CallOneArg(convert, self);
    Py_XDECREF(convert);
    return errors;
}

static int
decoded_rows_traverse(DecodedRows *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->programs);
    return 0;
}

static void
decoded_rows_dealloc(DecodedRows *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    columns_release(self->set);
    free(self->bad.rows);
    Py_DECREF(self->programs);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMethodDef decoded_rows_methods[] = {
    {"__arrow_c_schema__", (PyCFunction)arrow_c_schema, METH_NOARGS, arrow_c_schema_doc},
    {"__arrow_c_array__", WITH_KEYWORDS(arrow_c_array), arrow_c_array_doc},
    {"__arrow_c_stream__", WITH_KEYWORDS(arrow_c_stream), arrow_c_stream_doc},
    {"error_column", (PyCFunction)error_column, METH_NOARGS, error_column_doc},
    {"_bad_rows", (PyCFunction)list_bad_rows, METH_NOARGS, bad_rows_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef decoded_rows_getset[] = {
    {"errors", decoded_rows_errors, NULL,
     PyDoc_STR("list of RowError: the payloads that could not be decoded, in the order of rows."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(decoded_rows_doc,
"Decoded payloads as Arrow columns: a struct array with a row for each payload.\n\n"
"pyarrow.table(rows), polars.DataFrame(rows), a DuckDB query and pandas.DataFrame.from_arrow(rows)\n"
"read it through the Arrow PyCapsule protocol; pyarrow.array(rows) is one struct array. A payload\n"
"that is null gives a null row, and so does one that cannot be decoded: errors says why.\n"
"len(rows) is the number of rows.");

static PyType_Slot decoded_rows_slots[] = {
    {Py_tp_doc, (void *)decoded_rows_doc},
    {Py_tp_dealloc, decoded_rows_dealloc},
    {Py_tp_traverse, decoded_rows_traverse},
    {Py_tp_repr, decoded_rows_repr},
    {Py_tp_methods, decoded_rows_methods},
    {Py_tp_getset, decoded_rows_getset},
    {Py_sq_length, decoded_rows_length},
    {0, NULL},
};

static PyType_Spec decoded_rows_spec = {
    .name = "confluent_kafka.cimpl.DecodedRows",
    .basicsize = sizeof(DecodedRows),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = decoded_rows_slots,
};

int
decoded_rows_type_add(PyObject *module, module_state *state)
{
    state->DecodedRows = module_add_type(module, &decoded_rows_spec, NULL);
    return state->DecodedRows == NULL ? -1 : 0;
}

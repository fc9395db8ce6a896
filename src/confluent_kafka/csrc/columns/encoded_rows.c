#include <stdlib.h>

#include "base/args.h"
#include "columns/columns.h"
#include "columns/export.h"

typedef struct {
    PyObject_HEAD
    columns *set;      /* one of bytes; never NULL, immutable */
    bad_rows bad;
    PyObject *program; /* whose texts the bad rows refer to; NULL: there was no row */
} EncodedRows;

PyObject *
encoded_rows_new(module_state *state, columns *set, bad_rows *bad, PyObject *program)
{
    EncodedRows *self = PyObject_GC_New(EncodedRows, state->EncodedRows);
    if (self == NULL) {
        columns_release(set);
        free(bad->rows);
        return NULL;
    }
    self->set = set;
    self->bad = *bad;
    self->program = Py_XNewRef(program);
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

PyDoc_STRVAR(arrow_c_schema_doc,
"__arrow_c_schema__($self, /)\n--\n\n"
"The payloads' type, by the Arrow PyCapsule protocol.\n\n"
"Returns:\n"
"    capsule 'arrow_schema' with the type binary.");

static PyObject *
arrow_c_schema(EncodedRows *self, PyObject *Py_UNUSED(unused))
{
    return arrow_schema_capsule(&columns_exporter, self->set);
}

SIGNATURE(arrow_c_array_signature, "__arrow_c_array__()", 0, 1, P_requested_schema);

PyDoc_STRVAR(arrow_c_array_doc,
"__arrow_c_array__($self, /, requested_schema=None)\n--\n\n"
"The payloads, by the Arrow PyCapsule protocol, without a copy.\n\n"
"May be called any number of times; what it returned outlives the rows.\n\n"
"Args:\n"
"    requested_schema (capsule or None): not followed, which the protocol allows.\n\n"
"Returns:\n"
"    tuple of the capsules 'arrow_schema' and 'arrow_array'.");

static PyObject *
arrow_c_array(EncodedRows *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
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
"The payloads as a stream of one array.\n\n"
"Args:\n"
"    requested_schema (capsule or None): not followed, as in __arrow_c_array__().\n\n"
"Returns:\n"
"    capsule 'arrow_array_stream'.");

static PyObject *
arrow_c_stream(EncodedRows *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    PyObject *requested_schema;
    if (args_parse(module_state_of_type(Py_TYPE(self)), &arrow_c_stream_signature, args,
                   nargs, kwnames, &requested_schema) < 0) {
        return NULL;
    }
    return arrow_stream_capsule(&columns_exporter, self->set);
}

PyDoc_STRVAR(bad_rows_doc,
"_bad_rows($self, /)\n--\n\n"
"A list of (row, offset, field, reason) of the rows that could not be encoded.");

static PyObject *
list_bad_rows(EncodedRows *self, PyObject *Py_UNUSED(unused))
{
    return bad_rows_list(&self->bad);
}

PyDoc_STRVAR(error_column_doc,
"error_column($self, /)\n--\n\n"
"What was wrong with each row, as an Arrow array beside the payloads.\n\n"
"Returns:\n"
"    DecodedRows: struct<offset: int64, field: string, reason: string>, null where the row was\n"
"        encoded; offset is how many bytes of the payload came before the field.");

static PyObject *
error_column(EncodedRows *self, PyObject *Py_UNUSED(unused))
{
    columns *set = bad_rows_column(&self->bad, self->set->columns[0].length);
    bad_rows none = {0};
    return set == NULL ? NULL
                       : decoded_rows_new(module_state_of_type(Py_TYPE(self)), set, &none,
                                          Py_None);
}

/* ---- the type ---- */

static Py_ssize_t
encoded_rows_length(EncodedRows *self)
{
    return (Py_ssize_t)self->set->columns[0].length;
}

static PyObject *
encoded_rows_repr(EncodedRows *self)
{
    Py_ssize_t length = encoded_rows_length(self);
    return PyUnicode_FromFormat("EncodedRows(%zd row%s, %zu of them bad)", length,
                                length == 1 ? "" : "s", self->bad.count);
}

static PyObject *
encoded_rows_errors(PyObject *self, void *Py_UNUSED(closure))
{
    PyObject *convert = import_attribute("confluent_kafka._values.rows", "row_errors");
    PyObject *errors = convert == NULL ? NULL : PyObject_CallOneArg(convert, self);
    Py_XDECREF(convert);
    return errors;
}

static int
encoded_rows_traverse(EncodedRows *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->program);
    return 0;
}

static void
encoded_rows_dealloc(EncodedRows *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    columns_release(self->set);
    free(self->bad.rows);
    Py_XDECREF(self->program);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMethodDef encoded_rows_methods[] = {
    {"__arrow_c_schema__", (PyCFunction)arrow_c_schema, METH_NOARGS, arrow_c_schema_doc},
    {"__arrow_c_array__", WITH_KEYWORDS(arrow_c_array), arrow_c_array_doc},
    {"__arrow_c_stream__", WITH_KEYWORDS(arrow_c_stream), arrow_c_stream_doc},
    {"error_column", (PyCFunction)error_column, METH_NOARGS, error_column_doc},
    {"_bad_rows", (PyCFunction)list_bad_rows, METH_NOARGS, bad_rows_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef encoded_rows_getset[] = {
    {"errors", encoded_rows_errors, NULL,
     PyDoc_STR("list of RowError: the rows that could not be encoded, in the order of rows."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(encoded_rows_doc,
"Rows as payloads: an Arrow array of binary values, one for each row.\n\n"
"pyarrow.array(rows), polars.Series(rows) and others read it through the Arrow PyCapsule protocol.\n"
"A row that is null gives a null, and so does one that cannot be encoded: errors says why.\n"
"len(rows) is the number of rows.");

static PyType_Slot encoded_rows_slots[] = {
    {Py_tp_doc, (void *)encoded_rows_doc},
    {Py_tp_dealloc, encoded_rows_dealloc},
    {Py_tp_traverse, encoded_rows_traverse},
    {Py_tp_repr, encoded_rows_repr},
    {Py_tp_methods, encoded_rows_methods},
    {Py_tp_getset, encoded_rows_getset},
    {Py_sq_length, encoded_rows_length},
    {0, NULL},
};

static PyType_Spec encoded_rows_spec = {
    .name = "confluent_kafka.cimpl.EncodedRows",
    .basicsize = sizeof(EncodedRows),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = encoded_rows_slots,
};

int
encoded_rows_type_add(PyObject *module, module_state *state)
{
    state->EncodedRows = module_add_type(module, &encoded_rows_spec, NULL);
    return state->EncodedRows == NULL ? -1 : 0;
}

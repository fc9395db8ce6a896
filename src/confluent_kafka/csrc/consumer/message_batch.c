#include "consumer/message_batch.h"

#include "arrow/row_columns.h"
#include "base/args.h"
#include "consumer/column_export.h"

typedef struct {
    PyObject_HEAD
    message_columns *columns; /* never NULL; immutable */
    PyObject *eof;
} MessageBatch;

static int
add_column(PyObject *name, message_column_set *wanted)
{
    const char *text = arg_utf8(name, "a name in columns", NULL);
    if (text == NULL) {
        return -1;
    }
    int column = row_column_named(text);
    if (column == COLUMN_COUNT) {
        refuse_column("columns", name);
        return -1;
    }
    *wanted |= MESSAGE_COLUMN(FIELD_KEY + column);
    return 0;
}

int
message_column_set_from_args(PyObject *names, bool with_headers, message_column_set *wanted)
{
    *wanted = with_headers ? MESSAGE_COLUMN(FIELD_HEADERS) : 0;
    if (names == NULL || names == Py_None) {
        *wanted |= MESSAGE_COLUMNS_BUT_HEADERS;
        return 0;
    }
    if (arg_list(names, "columns", "str") < 0) {
        return -1;
    }
    PyObject *list = PySequence_List(names); /* a copy that nobody else can change */
    int result = list == NULL ? -1 : 0;
    for (Py_ssize_t i = 0; result == 0 && i < PyList_GET_SIZE(list); i++) {
        result = add_column(PyList_GET_ITEM(list, i), wanted);
    }
    Py_XDECREF(list);
    if (result == 0 && *wanted == 0) {
        PyErr_SetString(PyExc_ValueError, "columns is empty; it must name at least one");
        return -1;
    }
    return result;
}

PyObject *
message_batch_new(module_state *state, rd_kafka_message_t *const *messages, size_t *count,
                  message_column_set wanted, PyObject *eof)
{
    message_columns *columns;
    Py_BEGIN_ALLOW_THREADS
    columns = message_columns_new(messages, count, wanted);
    Py_END_ALLOW_THREADS
    if (columns == NULL) {
        *count = 0;
        Py_DECREF(eof);
        return PyErr_NoMemory();
    }
    MessageBatch *self = PyObject_GC_New(MessageBatch, state->MessageBatch);
    if (self == NULL) {
        *count = 0;
        message_columns_release(columns);
        Py_DECREF(eof);
        return NULL;
    }
    self->columns = columns;
    self->eof = eof;
    PyObject_GC_Track(self);
    return (PyObject *)self;
}

PyDoc_STRVAR(arrow_c_schema_doc,
"__arrow_c_schema__($self, /)\n--\n\n"
"Return the columns' names and types, by the Arrow PyCapsule protocol.\n\n"
"Returns:\n"
"    capsule 'arrow_schema' with a struct type.");

static PyObject *
arrow_c_schema(MessageBatch *self, PyObject *Py_UNUSED(unused))
{
    return arrow_schema_capsule(&message_columns_exporter, self->columns);
}

PyDoc_STRVAR(arrow_c_array_doc,
"__arrow_c_array__($self, /, requested_schema=None)\n--\n\n"
"Return the columns, by the Arrow PyCapsule protocol, without a copy.\n\n"
"May be called any number of times. The result stays valid after the batch is deleted.\n\n"
"Args:\n"
"    requested_schema (capsule or None): ignored, which the protocol allows: the types are\n"
"        always those of Consumer.consume_arrow().\n\n"
"Returns:\n"
"    tuple of the capsules 'arrow_schema' and 'arrow_array'.");

static PyObject *
arrow_c_array(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    MessageBatch *batch = (MessageBatch *)self;
    return arrow_c_array_of(self, &message_columns_exporter, batch->columns, args, nargs, kwnames);
}

PyDoc_STRVAR(arrow_c_stream_doc,
"__arrow_c_stream__($self, /, requested_schema=None)\n--\n\n"
"Return the columns as a stream of one array, for readers that only take streams (DuckDB).\n\n"
"Args:\n"
"    requested_schema (capsule or None): ignored, as in __arrow_c_array__().\n\n"
"Returns:\n"
"    capsule 'arrow_array_stream'.");

static PyObject *
arrow_c_stream(PyObject *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    MessageBatch *batch = (MessageBatch *)self;
    return arrow_c_stream_of(self, &message_columns_exporter, batch->columns, args, nargs, kwnames);
}

PyDoc_STRVAR(to_pandas_doc,
"to_pandas($self, /)\n--\n\n"
"Return the messages as a pandas.DataFrame, with a row for each and the columns of the batch.\n\n"
"Returns:\n"
"    pandas.DataFrame.\n\n"
"Raises:\n"
"    ImportError: pandas or pyarrow is not installed.");

static PyObject *
to_pandas(PyObject *self, PyObject *Py_UNUSED(unused))
{
    PyObject *convert = import_attribute("confluent_kafka._values.frames", "to_pandas");
    PyObject *frame = convert == NULL ? NULL : PyObject_CallOneArg(convert, self);
    Py_XDECREF(convert);
    return frame;
}

static Py_ssize_t
message_batch_length(MessageBatch *self)
{
    return (Py_ssize_t)self->columns->fields[FIELD_BATCH].length;
}

static PyObject *
message_batch_repr(MessageBatch *self)
{
    Py_ssize_t length = message_batch_length(self);
    return PyUnicode_FromFormat("MessageBatch(%zd message%s)", length,
                                length == 1 ? "" : "s");
}

static PyObject *
message_batch_eof(MessageBatch *self, void *Py_UNUSED(closure))
{
    return Py_NewRef(self->eof);
}

static int
message_batch_traverse(MessageBatch *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->eof);
    return 0;
}

static void
message_batch_dealloc(MessageBatch *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    message_columns_release(self->columns);
    Py_DECREF(self->eof);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

static PyMethodDef message_batch_methods[] = {
    {"__arrow_c_schema__", (PyCFunction)arrow_c_schema, METH_NOARGS, arrow_c_schema_doc},
    {"__arrow_c_array__", (PyCFunction)(void (*)(void))arrow_c_array,
     METH_FASTCALL | METH_KEYWORDS, arrow_c_array_doc},
    {"__arrow_c_stream__", (PyCFunction)(void (*)(void))arrow_c_stream,
     METH_FASTCALL | METH_KEYWORDS, arrow_c_stream_doc},
    {"to_pandas", to_pandas, METH_NOARGS, to_pandas_doc},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef message_batch_getset[] = {
    {"eof", (getter)message_batch_eof, NULL,
     PyDoc_STR("list of TopicPartition: partitions whose end was reached while the\n"
               "batch was fetched (with enable.partition.eof)."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(message_batch_doc,
"Consumed messages as Arrow columns, made by Consumer.consume_arrow().\n\n"
"pyarrow.record_batch(batch), polars.DataFrame(batch), a DuckDB query and\n"
"pandas.DataFrame.from_arrow(batch) read it through the Arrow PyCapsule protocol, and\n"
"Producer.produce_arrow(batch) sends it on. len(batch) is the number of messages.");

static PyType_Slot message_batch_slots[] = {
    {Py_tp_doc, (void *)message_batch_doc},
    {Py_tp_dealloc, message_batch_dealloc},
    {Py_tp_traverse, message_batch_traverse},
    {Py_tp_repr, message_batch_repr},
    {Py_tp_methods, message_batch_methods},
    {Py_tp_getset, message_batch_getset},
    {Py_sq_length, message_batch_length},
    {0, NULL},
};

static PyType_Spec message_batch_spec = {
    .name = "confluent_kafka.cimpl.MessageBatch",
    .basicsize = sizeof(MessageBatch),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION
             | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = message_batch_slots,
};

int
message_batch_type_add(PyObject *module, module_state *state)
{
    state->MessageBatch = module_add_type(module, &message_batch_spec, NULL);
    return state->MessageBatch == NULL ? -1 : 0;
}

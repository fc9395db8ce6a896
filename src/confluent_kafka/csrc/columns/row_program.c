#include "base/args.h"
#include "columns/columns.h"
#include "columns/export.h"

static const row_format *const formats[] = {&avro_format, &json_format, &protobuf_format};

static const row_format *
find_format(PyObject *name)
{
    const char *text = arg_utf8(name, "row_format", NULL);
    if (text == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(formats[i]->name, text) == 0) {
            return formats[i];
        }
    }
    PyErr_Format(PyExc_ValueError, "there is no row_format '%s'", text);
    return NULL;
}

/* The types of the rows' columns, which are those of a struct. NULL with an exception. */
static column_types *
row_types_from(PyObject *description)
{
    column_types *types = column_types_from(description);
    if (types != NULL && types->types[0].layout != COLUMN_STRUCT) {
        PyErr_SetString(PyExc_ValueError, "the first column must be '+s'");
        column_types_release(types);
        return NULL;
    }
    return types;
}

SIGNATURE(row_program_signature, "_RowProgram()", 3, 3, P_row_format, P_columns, P_instructions);

static PyObject *
row_program_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *values[3];
    if (args_parse_tuple(module_state_of_type(type), &row_program_signature, args, kwargs,
                         values) < 0) {
        return NULL;
    }
    const row_format *format = find_format(values[0]);
    column_types *types = format == NULL ? NULL : row_types_from(values[1]);
    if (types == NULL) {
        return NULL;
    }
    void *program = format->compile(values[2], types);
    RowProgram *self = program == NULL ? NULL : (RowProgram *)type->tp_alloc(type, 0);
    if (self == NULL) {
        if (program != NULL) {
            format->release(program);
        }
        column_types_release(types);
        return NULL;
    }
    self->types = types;
    self->format = format;
    self->program = program;
    return (PyObject *)self;
}

static void
row_program_dealloc(PyObject *object)
{
    RowProgram *self = (RowProgram *)object;
    PyTypeObject *type = Py_TYPE(self);
    self->format->release(self->program);
    column_types_release(self->types);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *
arrow_c_schema(PyObject *self, PyObject *Py_UNUSED(unused))
{
    return arrow_schema_capsule(&column_types_exporter, ((RowProgram *)self)->types);
}

static PyMethodDef row_program_methods[] = {
    {"__arrow_c_schema__", arrow_c_schema, METH_NOARGS,
     PyDoc_STR("__arrow_c_schema__($self, /)\n--\n\nThe types of the columns.")},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(row_program_doc,
"_RowProgram(row_format, columns, instructions)\n"
"--\n\n"
"How payloads with one schema are read into columns; made by confluent_kafka.columns.\n\n"
"Raises:\n"
"    TypeError: the instructions do not have the expected form.\n"
"    ValueError: the instructions do not fit the columns.");

static PyType_Slot row_program_slots[] = {
    {Py_tp_doc, (void *)row_program_doc},
    {Py_tp_new, row_program_new},
    {Py_tp_dealloc, row_program_dealloc},
    {Py_tp_methods, row_program_methods},
    {0, NULL},
};

static PyType_Spec row_program_spec = {
    .name = "confluent_kafka.cimpl._RowProgram",
    .basicsize = sizeof(RowProgram),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = row_program_slots,
};

int
row_program_type_add(PyObject *module, module_state *state)
{
    state->RowProgram = module_add_type(module, &row_program_spec, NULL);
    return state->RowProgram == NULL ? -1 : 0;
}

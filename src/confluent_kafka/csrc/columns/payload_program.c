#include "base/args.h"
#include "columns/columns.h"

static const payload_format *const formats[] = {&avro_payload_format, &json_payload_format,
                                          &protobuf_payload_format};

static const payload_format *
find_format(PyObject *name)
{
    const char *text = arg_utf8(name, "payload_format", NULL);
    if (text == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(formats[i]->name, text) == 0) {
            return formats[i];
        }
    }
    PyErr_Format(PyExc_ValueError, "there is no payload_format '%s'", text);
    return NULL;
}

SIGNATURE(payload_program_signature, "_PayloadProgram()", 3, 3, P_payload_format, P_types,
          P_instructions);

static PyObject *
payload_program_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *values[3];
    if (args_parse_tuple(module_state_of_type(type), &payload_program_signature, args, kwargs,
                         values) < 0) {
        return NULL;
    }
    const payload_format *format = find_format(values[0]);
    input_types *types = format == NULL ? NULL : input_types_from(values[1]);
    if (types == NULL) {
        return NULL;
    }
    put_program *program = put_program_compile(values[2], format, types);
    PayloadProgram *self =
        program == NULL ? NULL : (PayloadProgram *)type->tp_alloc(type, 0);
    if (self == NULL) {
        if (program != NULL) {
            put_program_release(program);
        }
        input_types_free(types);
        return NULL;
    }
    self->description = Py_NewRef(values[1]);
    self->types = types;
    self->program = program;
    return (PyObject *)self;
}

static void
payload_program_dealloc(PyObject *object)
{
    PayloadProgram *self = (PayloadProgram *)object;
    PyTypeObject *type = Py_TYPE(self);
    put_program_release(self->program);
    input_types_free(self->types);
    Py_DECREF(self->description);
    type->tp_free(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(payload_program_doc,
"_PayloadProgram(payload_format, types, instructions)\n"
"--\n\n"
"How rows with certain Arrow types are written as payloads; made by confluent_kafka.columns.\n\n"
"Raises:\n"
"    TypeError: the instructions do not have the expected form.\n"
"    ValueError: the instructions do not fit the types.");

static PyType_Slot payload_program_slots[] = {
    {Py_tp_doc, (void *)payload_program_doc},
    {Py_tp_new, payload_program_new},
    {Py_tp_dealloc, payload_program_dealloc},
    {0, NULL},
};

static PyType_Spec payload_program_spec = {
    .name = "confluent_kafka.cimpl._PayloadProgram",
    .basicsize = sizeof(PayloadProgram),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = payload_program_slots,
};

int
payload_program_type_add(PyObject *module, module_state *state)
{
    state->PayloadProgram = module_add_type(module, &payload_program_spec, NULL);
    return state->PayloadProgram == NULL ? -1 : 0;
}

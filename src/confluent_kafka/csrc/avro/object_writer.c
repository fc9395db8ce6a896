#include "avro/object_writer.h"

#include "avro/put.h"
#include "base/args.h"

typedef struct {
    PyObject_HEAD
    PyObject *description; /* owns the objects that the shapes borrow */
    PyObject *type_hint;
    avro_shapes shapes;
} AvroWriter;

SIGNATURE(avro_writer_signature, "_AvroWriter()", 1, 1, P_shapes);

static PyObject *
avro_writer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *values[1];
    if (args_parse_tuple(module_state_of_type(type), &avro_writer_signature, args, kwargs,
                         values) < 0) {
        return NULL;
    }
    if (!PyTuple_CheckExact(values[0])) {
        PyErr_Format(PyExc_TypeError, "shapes must be a tuple, not %s",
                     Py_TYPE(values[0])->tp_name);
        return NULL;
    }
    AvroWriter *self = (AvroWriter *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->description = Py_NewRef(values[0]);
    self->type_hint = PyUnicode_InternFromString("-type");
    if (self->type_hint == NULL || avro_shapes_read(&self->shapes, values[0]) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static int
avro_writer_traverse(PyObject *object, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(((AvroWriter *)object)->description);
    return 0;
}

static void
avro_writer_dealloc(PyObject *object)
{
    AvroWriter *self = (AvroWriter *)object;
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(object);
    avro_shapes_free(&self->shapes);
    Py_XDECREF(self->type_hint);
    Py_XDECREF(self->description);
    type->tp_free(self);
    Py_DECREF(type);
}

PyDoc_STRVAR(avro_writer_write_doc,
"write($self, obj, /)\n"
"--\n\n"
"Return the bytes of an object; None if it does not fit, or if only Python code can check it.\n\n"
"Args:\n"
"    obj: the object.\n\n"
"Returns:\n"
"    bytes or None: The bytes.");

static PyObject *
avro_writer_write(PyObject *object, PyObject *value)
{
    AvroWriter *self = (AvroWriter *)object;
    avro_output out = {.schema = &self->shapes, .type_hint = self->type_hint};
    enum fit fit = avro_put(&out, 0, value);
    PyObject *result = fit == FITS     ? PyBytes_FromStringAndSize(out.data, (Py_ssize_t)out.size)
                       : fit == FAILED ? NULL
                                       : Py_NewRef(Py_None);
    PyMem_Free(out.data);
    return result;
}

static PyMethodDef avro_writer_methods[] = {
    {"write", avro_writer_write, METH_O, avro_writer_write_doc},
    {NULL, NULL, 0, NULL},
};

PyDoc_STRVAR(avro_writer_doc,
"_AvroWriter(shapes)\n"
"--\n\n"
"Writes Python objects as Avro; made by confluent_kafka.schema_registry.\n\n"
"Raises:\n"
"    TypeError: the shapes are not tuples of the form that it writes.\n"
"    ValueError: the shapes do not fit together.");

static PyType_Slot avro_writer_slots[] = {
    {Py_tp_doc, (void *)avro_writer_doc},
    {Py_tp_new, avro_writer_new},
    {Py_tp_traverse, avro_writer_traverse},
    {Py_tp_dealloc, avro_writer_dealloc},
    {Py_tp_methods, avro_writer_methods},
    {0, NULL},
};

static PyType_Spec avro_writer_spec = {
    .name = "confluent_kafka.cimpl._AvroWriter",
    .basicsize = sizeof(AvroWriter),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_GC,
    .slots = avro_writer_slots,
};

int
avro_writer_type_add(PyObject *module, module_state *state)
{
    state->AvroWriter = module_add_type(module, &avro_writer_spec, NULL);
    return state->AvroWriter == NULL ? -1 : 0;
}

#include "avro/shapes.h"

#include <limits.h>

static const char *const kinds[SHAPE_KINDS] = {
    "null",  "boolean", "int",  "float", "double", "bytes", "string",
    "fixed", "enum",    "array", "map",  "record", "union",
};

/* The number of parts of a kind: -1 for any number. */
static int
parts_of_kind(enum shape_kind kind)
{
    switch (kind) {
    case SHAPE_ARRAY:
    case SHAPE_MAP:
        return 1;
    case SHAPE_RECORD:
    case SHAPE_UNION:
        return -1;
    default:
        return 0;
    }
}

static int
refuse(const char *problem)
{
    PyErr_Format(PyExc_ValueError, "a shape has %s", problem);
    return -1;
}

static int
kind_read(const char *name, enum shape_kind *kind)
{
    for (int i = 0; i < SHAPE_KINDS; i++) {
        if (strcmp(kinds[i], name) == 0) {
            *kind = (enum shape_kind)i;
            return 0;
        }
    }
    return refuse("an unknown kind");
}

static int
parts_read(avro_shape *shape, PyObject *parts, Py_ssize_t shape_count)
{
    Py_ssize_t count = PyTuple_GET_SIZE(parts);
    int wanted = parts_of_kind(shape->kind);
    if (wanted >= 0 && wanted != count) {
        return refuse("a wrong number of parts");
    }
    shape->parts = PyMem_New(int, (size_t)count + 1);
    if (shape->parts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    shape->part_count = count;
    for (Py_ssize_t i = 0; i < count; i++) {
        long part = PyLong_AsLong(PyTuple_GET_ITEM(parts, i));
        if (part == -1 && PyErr_Occurred()) {
            return -1;
        }
        if (part < 0 || part >= shape_count || part > INT_MAX) {
            return refuse("an unknown part");
        }
        shape->parts[i] = (int)part;
    }
    return 0;
}

/* Whether the names and the defaults have the form that the kind requires. */
static int
names_check(const avro_shape *shape)
{
    if (shape->kind == SHAPE_ENUM) {
        return PyDict_CheckExact(shape->names) ? 0 : refuse("no dict of symbols");
    }
    if (shape->kind != SHAPE_RECORD && shape->kind != SHAPE_UNION) {
        return 0;
    }
    if (!PyTuple_CheckExact(shape->names)
        || PyTuple_GET_SIZE(shape->names) != shape->part_count) {
        return refuse("a wrong number of names");
    }
    if (shape->kind == SHAPE_UNION) {
        return 0;
    }
    if (!PyTuple_CheckExact(shape->defaults)
        || PyTuple_GET_SIZE(shape->defaults) != shape->part_count) {
        return refuse("a wrong number of defaults");
    }
    for (Py_ssize_t i = 0; i < shape->part_count; i++) {
        PyObject *one = PyTuple_GET_ITEM(shape->defaults, i);
        if (one != Py_None && !(PyTuple_CheckExact(one) && PyTuple_GET_SIZE(one) == 1)) {
            return refuse("a default that is not a tuple of one");
        }
    }
    return 0;
}

static int
shape_read(avro_shape *shape, PyObject *description, Py_ssize_t shape_count)
{
    const char *kind;
    PyObject *parts;
    if (!PyTuple_Check(description)) {
        PyErr_SetString(PyExc_TypeError, "a shape must be a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(description, "sOOLLOOO!p", &kind, &shape->prepare, &shape->schema,
                          &shape->low, &shape->high, &shape->names, &shape->defaults,
                          &PyTuple_Type, &parts, &shape->closed)
        || kind_read(kind, &shape->kind) < 0) {
        return -1;
    }
    if (shape->prepare == Py_None) {
        shape->prepare = NULL;
    }
    return parts_read(shape, parts, shape_count) < 0 ? -1 : names_check(shape);
}

int
avro_shapes_read(avro_shapes *self, PyObject *description)
{
    Py_ssize_t count = PyTuple_GET_SIZE(description);
    if (count == 0) {
        PyErr_SetString(PyExc_ValueError, "there is no shape");
        return -1;
    }
    self->shapes = PyMem_Calloc((size_t)count, sizeof(avro_shape));
    if (self->shapes == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    self->count = count;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (shape_read(&self->shapes[i], PyTuple_GET_ITEM(description, i), count) < 0) {
            avro_shapes_free(self);
            return -1;
        }
    }
    return 0;
}

void
avro_shapes_free(avro_shapes *self)
{
    for (Py_ssize_t i = 0; i < self->count; i++) {
        PyMem_Free(self->shapes[i].parts);
    }
    PyMem_Free(self->shapes);
    self->shapes = NULL;
    self->count = 0;
}

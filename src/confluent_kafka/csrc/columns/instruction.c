#include "columns/instruction.h"

#include <stdlib.h>
#include <string.h>

#include "base/args.h"

enum { I_NAME, I_COLUMN, I_ARGUMENT, I_TARGET, I_TABLE, I_DATA, I_FIELD, I_COUNT };

int
instruction_refuse(const char *problem, const char *step)
{
    PyErr_Format(PyExc_ValueError, "instructions: '%s' %s", step, problem);
    return -1;
}

static int
read_int32(PyObject *object, int32_t *result)
{
    long value = PyLong_AsLong(object);
    if (PyErr_Occurred()) {
        return -1;
    }
    if (value < INT32_MIN || value > INT32_MAX) {
        return instruction_refuse("has a number of more than 32 bits", "");
    }
    *result = (int32_t)value;
    return 0;
}

static int
read_table(PyObject *object, instruction_parts *self)
{
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) > INT32_MAX) {
        PyErr_SetString(PyExc_TypeError, "an instruction's table must be a tuple of int");
        return -1;
    }
    self->table_size = (int32_t)PyTuple_GET_SIZE(object);
    self->table = calloc((size_t)self->table_size + 1, sizeof(int32_t));
    if (self->table == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int32_t i = 0; i < self->table_size; i++) {
        if (read_int32(PyTuple_GET_ITEM(object, i), &self->table[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Copies bytes and adds a NUL, into memory from malloc(). */
static char *
copy_bytes(const char *data, Py_ssize_t size)
{
    char *copy = data == NULL ? NULL : malloc((size_t)size + 1);
    if (copy == NULL) {
        if (data != NULL) {
            PyErr_NoMemory();
        }
        return NULL;
    }
    memcpy(copy, data, (size_t)size);
    copy[size] = '\0';
    return copy;
}

int
instruction_parts_read(instruction_parts *self, PyObject *description)
{
    *self = (instruction_parts){0};
    if (!PyTuple_Check(description) || PyTuple_GET_SIZE(description) != I_COUNT) {
        PyErr_SetString(PyExc_TypeError, "an instruction must be a tuple of seven");
        return -1;
    }
    self->name = arg_utf8(PyTuple_GET_ITEM(description, I_NAME), "an instruction's name", NULL);
    if (self->name == NULL
        || read_int32(PyTuple_GET_ITEM(description, I_COLUMN), &self->column) < 0
        || read_int32(PyTuple_GET_ITEM(description, I_TARGET), &self->target) < 0
        || read_table(PyTuple_GET_ITEM(description, I_TABLE), self) < 0) {
        return -1;
    }
    self->argument = PyLong_AsLongLong(PyTuple_GET_ITEM(description, I_ARGUMENT));
    char *data;
    Py_ssize_t size;
    if (PyErr_Occurred()
        || PyBytes_AsStringAndSize(PyTuple_GET_ITEM(description, I_DATA), &data, &size) < 0) {
        return -1;
    }
    self->data = (uint8_t *)copy_bytes(data, size);
    self->data_size = size;
    const char *field = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(description, I_FIELD), &size);
    self->field = self->data == NULL ? NULL : copy_bytes(field, size);
    return self->field == NULL ? -1 : 0;
}

#include "avro/put.h"

#include <stdint.h>

/* ---- output ---- */

static int
reserve(avro_output *out, size_t more)
{
    if (out->capacity - out->size >= more) {
        return 0;
    }
    if (more > (size_t)PY_SSIZE_T_MAX / 2 - out->size) {
        PyErr_NoMemory();
        return -1;
    }
    size_t capacity = (out->size + more) * 2 + 256;
    char *data = PyMem_Realloc(out->data, capacity);
    if (data == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    out->data = data;
    out->capacity = capacity;
    return 0;
}

static enum fit
put_raw(avro_output *out, const void *data, size_t size)
{
    if (reserve(out, size) < 0) {
        return FAILED;
    }
    memcpy(out->data + out->size, data, size);
    out->size += size;
    return FITS;
}

static enum fit
put_long(avro_output *out, int64_t value)
{
    if (reserve(out, 10) < 0) {
        return FAILED;
    }
    uint64_t rest = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
    for (; rest > 0x7f; rest >>= 7) {
        out->data[out->size++] = (char)(rest | 0x80);
    }
    out->data[out->size++] = (char)rest;
    return FITS;
}

static enum fit
put_sized(avro_output *out, const char *data, Py_ssize_t size)
{
    enum fit fit = put_long(out, size);
    return fit == FITS ? put_raw(out, data, (size_t)size) : fit;
}

/* ---- objects that do not fit ---- */

/* Whether the object has one of the types that this code supports. */
static int
is_plain(PyObject *object)
{
    return object == Py_None || PyBool_Check(object) || PyLong_CheckExact(object)
           || PyFloat_CheckExact(object) || PyUnicode_CheckExact(object)
           || PyBytes_CheckExact(object) || PyList_CheckExact(object)
           || PyTuple_CheckExact(object) || PyDict_CheckExact(object);
}

static enum fit
other(PyObject *object)
{
    return is_plain(object) ? DIFFERS : UNSURE;
}

/* Called after an error: an ordinary exception means that the object does not fit. */
static enum fit
refused(enum fit fit)
{
    if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError)) {
        return FAILED;
    }
    PyErr_Clear();
    return fit;
}

/* ---- primitive types ---- */

static enum fit
put_int(avro_output *out, const avro_shape *shape, PyObject *object)
{
    if (PyBool_Check(object) || !PyIndex_Check(object)) {
        return other(object);
    }
    PyObject *number = PyNumber_Index(object); /* this fails for numpy arrays */
    if (number == NULL) {
        return refused(UNSURE);
    }
    int overflow;
    long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    if (overflow != 0 || value < shape->low || value > shape->high) {
        return DIFFERS;
    }
    return put_long(out, value);
}

static enum fit
put_float(avro_output *out, PyObject *object, int size)
{
    double value;
    if (PyFloat_Check(object)) {
        value = PyFloat_AS_DOUBLE(object);
    } else if (PyLong_Check(object) && !PyBool_Check(object)) {
        value = PyLong_AsDouble(object);
        if (value == -1.0 && PyErr_Occurred()) {
            return refused(DIFFERS);
        }
    } else {
        return other(object);
    }
    if (reserve(out, (size_t)size) < 0) {
        return FAILED;
    }
    char *place = out->data + out->size;
    if ((size == 4 ? PyFloat_Pack4(value, place, 1) : PyFloat_Pack8(value, place, 1)) < 0) {
        return refused(DIFFERS); /* a finite number that is too large for a float */
    }
    out->size += (size_t)size;
    return FITS;
}

static enum fit
put_string(avro_output *out, PyObject *object)
{
    if (!PyUnicode_Check(object)) {
        return other(object);
    }
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    return text == NULL ? refused(DIFFERS) : put_sized(out, text, size);
}

static enum fit
put_bytes(avro_output *out, PyObject *object)
{
    if (!PyBytes_Check(object)) {
        return other(object);
    }
    return put_sized(out, PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object));
}

static enum fit
put_fixed(avro_output *out, const avro_shape *shape, PyObject *object)
{
    if (!PyBytes_Check(object)) {
        return other(object);
    }
    if (PyBytes_GET_SIZE(object) != shape->high) {
        return DIFFERS;
    }
    return put_raw(out, PyBytes_AS_STRING(object), (size_t)shape->high);
}

static enum fit
put_enum(avro_output *out, const avro_shape *shape, PyObject *object)
{
    /* Members of enumerations may have their own hash. */
    if (!PyUnicode_CheckExact(object)) {
        return other(object);
    }
    PyObject *place = PyDict_GetItemWithError(shape->names, object);
    if (place == NULL) {
        return PyErr_Occurred() ? FAILED : DIFFERS;
    }
    return put_long(out, PyLong_AsLong(place));
}

/* ---- arrays and maps ---- */

static enum fit
put_array(avro_output *out, const avro_shape *shape, PyObject *object)
{
    if (!PyList_CheckExact(object) && !PyTuple_CheckExact(object)) {
        return other(object);
    }
    int is_list = PyList_CheckExact(object);
    Py_ssize_t count = PySequence_Size(object);
    enum fit fit = count == 0 ? FITS : put_long(out, count);
    for (Py_ssize_t i = 0; fit == FITS && i < count; i++) {
        /* The function of a logical type may shorten the list meanwhile. */
        PyObject *item = is_list ? PyList_GetItemRef(object, i)
                                 : Py_NewRef(PyTuple_GET_ITEM(object, i));
        fit = item == NULL ? refused(UNSURE) : avro_put(out, shape->parts[0], item);
        Py_XDECREF(item);
    }
    return fit == FITS ? put_long(out, 0) : fit;
}

static enum fit
put_map(avro_output *out, const avro_shape *shape, PyObject *object)
{
    if (!PyDict_CheckExact(object)) {
        return other(object);
    }
    /* A copy, because the function of a logical type may change the dict meanwhile. */
    PyObject *items = PyDict_Items(object);
    if (items == NULL) {
        return FAILED;
    }
    Py_ssize_t count = PyList_GET_SIZE(items);
    enum fit fit = count == 0 ? FITS : put_long(out, count);
    for (Py_ssize_t i = 0; fit == FITS && i < count; i++) {
        PyObject *item = PyList_GET_ITEM(items, i);
        fit = put_string(out, PyTuple_GET_ITEM(item, 0));
        if (fit == FITS) {
            fit = avro_put(out, shape->parts[0], PyTuple_GET_ITEM(item, 1));
        }
    }
    Py_DECREF(items);
    return fit == FITS ? put_long(out, 0) : fit;
}

/* ---- records ---- */

static enum fit
put_field(avro_output *out, const avro_shape *shape, Py_ssize_t i, PyObject *object,
          Py_ssize_t *found)
{
    PyObject *value;
    int known = PyDict_GetItemRef(object, PyTuple_GET_ITEM(shape->names, i), &value);
    if (known < 0) {
        return FAILED;
    }
    *found += known;
    if (!known) {
        PyObject *replacement = PyTuple_GET_ITEM(shape->defaults, i);
        if (replacement == Py_None) {
            return DIFFERS;
        }
        value = Py_NewRef(PyTuple_GET_ITEM(replacement, 0));
    }
    enum fit fit = avro_put(out, shape->parts[i], value);
    Py_DECREF(value);
    return fit;
}

static enum fit
put_dict(avro_output *out, const avro_shape *shape, PyObject *object)
{
    if (!PyDict_CheckExact(object)) {
        return other(object);
    }
    Py_ssize_t found = 0;
    enum fit fit = FITS;
    for (Py_ssize_t i = 0; fit == FITS && i < shape->part_count; i++) {
        fit = put_field(out, shape, i, object, &found);
    }
    if (fit == FITS && shape->closed && found != PyDict_GET_SIZE(object)) {
        return DIFFERS;
    }
    return fit;
}

/* The number of a record's fields in a dict; -1 with an exception. */
static Py_ssize_t
fields_in(const avro_shape *shape, PyObject *object)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t i = 0; i < shape->part_count; i++) {
        int known = PyDict_Contains(object, PyTuple_GET_ITEM(shape->names, i));
        if (known < 0) {
            return -1;
        }
        count += known;
    }
    return count;
}

/* ---- unions ---- */

/* Whether an object of this type could fit; a fast test that returns true if in doubt. */
static int
may_fit(const avro_shape *shape, PyObject *object)
{
    if (shape->kind == SHAPE_NULL || object == Py_None) {
        return shape->kind == SHAPE_NULL && object == Py_None;
    }
    if (shape->prepare != NULL || !is_plain(object)) {
        return 1;
    }
    switch (shape->kind) {
    case SHAPE_BOOLEAN:
        return PyBool_Check(object);
    case SHAPE_INT:
        return PyLong_Check(object) && !PyBool_Check(object);
    case SHAPE_FLOAT:
    case SHAPE_DOUBLE:
        return PyFloat_Check(object) || (PyLong_Check(object) && !PyBool_Check(object));
    case SHAPE_STRING:
    case SHAPE_ENUM:
        return PyUnicode_Check(object);
    case SHAPE_BYTES:
    case SHAPE_FIXED:
        return PyBytes_Check(object);
    case SHAPE_ARRAY:
        return PyList_Check(object);
    case SHAPE_MAP:
    case SHAPE_RECORD:
        return PyDict_Check(object);
    default:
        return 1;
    }
}

static enum fit
put_branch(avro_output *out, const avro_shape *shape, Py_ssize_t branch, PyObject *object)
{
    const avro_shape *part = &out->schema->shapes[shape->parts[branch]];
    if (part->kind == SHAPE_RECORD && PyDict_CheckExact(object)) {
        int hinted = PyDict_Contains(object, out->type_hint);
        if (hinted != 0) {
            return hinted < 0 ? FAILED : UNSURE;
        }
    }
    enum fit fit = put_long(out, branch);
    return fit == FITS ? avro_put(out, shape->parts[branch], object) : fit;
}

/* The branch that a pair (name, object) names. */
static enum fit
put_named_branch(avro_output *out, const avro_shape *shape, PyObject *pair)
{
    if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2
        || !PyUnicode_CheckExact(PyTuple_GET_ITEM(pair, 0))) {
        return UNSURE;
    }
    for (Py_ssize_t i = 0; i < shape->part_count; i++) {
        PyObject *name = PyTuple_GET_ITEM(shape->names, i);
        if (PyUnicode_Compare(PyTuple_GET_ITEM(pair, 0), name) == 0) {
            enum fit fit = put_long(out, i);
            return fit == FITS ? avro_put(out, shape->parts[i], PyTuple_GET_ITEM(pair, 1)) : fit;
        }
    }
    return DIFFERS;
}

/*
 * Finds the branch that fastavro chooses: the first that fits; but among records the one with most
 * of the object's fields, and a double instead of a float. Returns FITS with the branch.
 */
static enum fit
choose(avro_output *out, const avro_shape *shape, PyObject *object, Py_ssize_t *best)
{
    size_t start = out->size;
    Py_ssize_t most = -1;
    int only_double = 0;
    *best = -1;
    for (Py_ssize_t i = 0; i < shape->part_count; i++) {
        const avro_shape *part = &out->schema->shapes[shape->parts[i]];
        if ((only_double && part->kind != SHAPE_DOUBLE) || !may_fit(part, object)) {
            continue;
        }
        enum fit fit = put_branch(out, shape, i, object);
        out->size = start;
        if (fit == DIFFERS) {
            continue;
        }
        if (fit != FITS) {
            return fit;
        }
        if (part->kind == SHAPE_RECORD) {
            Py_ssize_t fields = fields_in(part, object);
            if (fields < 0) {
                return FAILED;
            }
            *best = fields > most ? i : *best;
            most = fields > most ? fields : most;
            continue;
        }
        *best = i;
        if (part->kind != SHAPE_FLOAT) {
            return FITS;
        }
        only_double = 1;
    }
    return *best < 0 ? DIFFERS : FITS;
}

static enum fit
put_in_union(avro_output *out, const avro_shape *shape, PyObject *object)
{
    if (PyTuple_Check(object)) {
        return put_named_branch(out, shape, object);
    }
    Py_ssize_t last = -1, count = 0;
    for (Py_ssize_t i = 0; i < shape->part_count; i++) {
        if (may_fit(&out->schema->shapes[shape->parts[i]], object)) {
            last = i;
            count++;
        }
    }
    if (count == 0) {
        return other(object);
    }
    if (count > 1) {
        enum fit fit = choose(out, shape, object, &last);
        if (fit != FITS) {
            return fit;
        }
    }
    return put_branch(out, shape, last, object);
}

/* ---- any type ---- */

static enum fit
put_written(avro_output *out, const avro_shape *shape, PyObject *object)
{
    switch (shape->kind) {
    case SHAPE_NULL:
        return object == Py_None ? FITS : DIFFERS;
    case SHAPE_BOOLEAN:
        return PyBool_Check(object) ? put_raw(out, object == Py_True ? "\1" : "\0", 1)
                                    : other(object);
    case SHAPE_INT:
        return put_int(out, shape, object);
    case SHAPE_FLOAT:
        return put_float(out, object, 4);
    case SHAPE_DOUBLE:
        return put_float(out, object, 8);
    case SHAPE_BYTES:
        return put_bytes(out, object);
    case SHAPE_STRING:
        return put_string(out, object);
    case SHAPE_FIXED:
        return put_fixed(out, shape, object);
    case SHAPE_ENUM:
        return put_enum(out, shape, object);
    default:
        break;
    }
    if (Py_EnterRecursiveCall(" while an object is written as Avro") != 0) {
        return refused(UNSURE);
    }
    enum fit fit = shape->kind == SHAPE_ARRAY    ? put_array(out, shape, object)
                   : shape->kind == SHAPE_MAP    ? put_map(out, shape, object)
                   : shape->kind == SHAPE_RECORD ? put_dict(out, shape, object)
                                                 : put_in_union(out, shape, object);
    Py_LeaveRecursiveCall();
    return fit;
}

enum fit
avro_put(avro_output *out, int number, PyObject *object)
{
    const avro_shape *shape = &out->schema->shapes[number];
    if (shape->prepare == NULL) {
        return put_written(out, shape, object);
    }
    PyObject *arguments[] = {object, shape->schema};
    PyObject *prepared = PyObject_Vectorcall(shape->prepare, arguments, 2, NULL);
    if (prepared == NULL) {
        return refused(DIFFERS);
    }
    enum fit fit = put_written(out, shape, prepared);
    Py_DECREF(prepared);
    return fit;
}

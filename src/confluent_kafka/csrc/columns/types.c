#include "columns/types.h"

#include <stdlib.h>
#include <string.h>

/* ---- what a format string says ---- */

static const struct {
    const char *format;
    enum column_layout layout;
    int32_t width;
} fixed_formats[] = {
    {"n", COLUMN_NULLS, 0},  {"b", COLUMN_BITS, 0},   {"c", COLUMN_FIXED, 1},
    {"C", COLUMN_FIXED, 1},  {"s", COLUMN_FIXED, 2},  {"S", COLUMN_FIXED, 2},
    {"i", COLUMN_FIXED, 4},  {"I", COLUMN_FIXED, 4},  {"l", COLUMN_FIXED, 8},
    {"L", COLUMN_FIXED, 8},  {"f", COLUMN_FIXED, 4},  {"g", COLUMN_FIXED, 8},
    {"u", COLUMN_BYTES, 0},  {"z", COLUMN_BYTES, 0},  {"+l", COLUMN_LIST, 0},
    {"+m", COLUMN_LIST, 0},  {"+s", COLUMN_STRUCT, 0}, {"tdD", COLUMN_FIXED, 4},
    {"ttm", COLUMN_FIXED, 4}, {"tts", COLUMN_FIXED, 4}, {"ttu", COLUMN_FIXED, 8},
    {"ttn", COLUMN_FIXED, 8}, {"tin", COLUMN_FIXED, 16}, {"tDs", COLUMN_FIXED, 8},
    {"tDm", COLUMN_FIXED, 8}, {"tDu", COLUMN_FIXED, 8}, {"tDn", COLUMN_FIXED, 8},
};

/* "d:precision,scale" has 128 bits, "d:precision,scale,bits" as many as it says. */
static int32_t
decimal_width(const char *format)
{
    const char *comma = strchr(format, ',');
    const char *bits = comma == NULL ? NULL : strchr(comma + 1, ',');
    return bits == NULL ? 16 : (int32_t)(strtol(bits + 1, NULL, 10) / 8);
}

static int
read_format(column_type *type)
{
    const char *format = type->format;
    for (size_t i = 0; i < sizeof(fixed_formats) / sizeof(fixed_formats[0]); i++) {
        if (strcmp(format, fixed_formats[i].format) == 0) {
            type->layout = fixed_formats[i].layout;
            type->width = fixed_formats[i].width;
            return 0;
        }
    }
    type->layout = COLUMN_FIXED;
    if (strncmp(format, "ts", 2) == 0) {
        type->width = 8;
    }
    else if (strncmp(format, "w:", 2) == 0) {
        type->width = (int32_t)strtol(format + 2, NULL, 10);
    }
    else if (strncmp(format, "d:", 2) == 0) {
        type->width = decimal_width(format);
    }
    else if (strncmp(format, "+us:", 4) == 0) {
        type->layout = COLUMN_UNION;
        return 0;
    }
    if (type->width < 0 || (type->width == 0 && strcmp(format, "w:0") != 0)) {
        PyErr_Format(PyExc_ValueError, "'%s' is no format of a column", format);
        return -1;
    }
    return 0;
}

/* ---- reading a description ---- */

enum { D_FORMAT, D_NAME, D_NULLABLE, D_CHILDREN, D_METADATA, D_SYMBOLS, D_COUNT };

static int
is_description(PyObject *description)
{
    if (PyTuple_Check(description) && PyTuple_GET_SIZE(description) == D_COUNT
        && PyTuple_Check(PyTuple_GET_ITEM(description, D_CHILDREN))) {
        return 1;
    }
    PyErr_SetString(PyExc_TypeError, "a column must be a tuple of format, name, nullable, "
                                     "children, metadata and symbols");
    return 0;
}

/* How many types there are from this one down, or -1 with an exception. */
static Py_ssize_t
count_types(PyObject *description, int depth)
{
    if (!is_description(description)) {
        return -1;
    }
    if (depth > COLUMN_DEPTH_LIMIT) {
        PyErr_Format(PyExc_ValueError, "columns are nested more than %d deep",
                     COLUMN_DEPTH_LIMIT);
        return -1;
    }
    PyObject *children = PyTuple_GET_ITEM(description, D_CHILDREN);
    Py_ssize_t total = 1;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(children); i++) {
        Py_ssize_t count = count_types(PyTuple_GET_ITEM(children, i), depth + 1);
        if (count < 0) {
            return -1;
        }
        total += count;
    }
    return total;
}

/* A copy of a str's UTF-8, of malloc() since it is freed from any thread. */
static char *
copy_text(PyObject *object, Py_ssize_t *size)
{
    const char *text = PyUnicode_AsUTF8AndSize(object, size);
    char *copy = text == NULL ? NULL : malloc((size_t)*size + 1);
    if (text != NULL && copy == NULL) {
        PyErr_NoMemory();
    }
    return copy == NULL ? NULL : memcpy(copy, text, (size_t)*size + 1);
}

static int
read_metadata(PyObject *object, column_type *type)
{
    if (object == Py_None) {
        return 0;
    }
    char *bytes;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(object, &bytes, &size) < 0) {
        return -1;
    }
    type->metadata = malloc((size_t)size + 1);
    if (type->metadata == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(type->metadata, bytes, (size_t)size);
    return 0;
}

/* The symbols one after the other, and where each begins. */
static int
read_symbols(PyObject *object, column_type *type)
{
    if (object == Py_None) {
        return 0;
    }
    if (!PyTuple_Check(object) || type->layout != COLUMN_FIXED || type->width != 4) {
        PyErr_SetString(PyExc_TypeError, "symbols must be a tuple of str, of a column 'i'");
        return -1;
    }
    Py_ssize_t count = PyTuple_GET_SIZE(object), length;
    PyObject *empty = PyUnicode_FromStringAndSize(NULL, 0);
    PyObject *joined = empty == NULL ? NULL : PyUnicode_Join(empty, object);
    Py_XDECREF(empty);
    if (joined == NULL) {
        return -1;
    }
    type->symbols = copy_text(joined, &length);
    Py_DECREF(joined);
    type->symbol_offsets = calloc((size_t)count + 1, sizeof(int32_t));
    if (type->symbols == NULL || type->symbol_offsets == NULL || length > INT32_MAX) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(object, i), &length) == NULL) {
            return -1;
        }
        type->symbol_offsets[i + 1] = type->symbol_offsets[i] + (int32_t)length;
    }
    type->symbol_count = (int32_t)count;
    return 0;
}

/* What an array of this layout cannot do without. */
static int
check_children(const column_type *type)
{
    bool is_nested = type->layout == COLUMN_LIST || type->layout == COLUMN_STRUCT
                     || type->layout == COLUMN_UNION;
    if ((type->layout == COLUMN_LIST && type->child_count != 1)
        || (type->layout == COLUMN_UNION
            && (type->child_count < 1 || type->child_count > INT8_MAX))
        || (!is_nested && type->child_count != 0)) {
        PyErr_Format(PyExc_ValueError, "a column '%s' cannot have %d children",
                     type->format, (int)type->child_count);
        return -1;
    }
    return 0;
}

static int
read_type(PyObject *description, column_type *type)
{
    Py_ssize_t size;
    int nullable = PyObject_IsTrue(PyTuple_GET_ITEM(description, D_NULLABLE));
    type->format = copy_text(PyTuple_GET_ITEM(description, D_FORMAT), &size);
    type->name = type->format == NULL
                     ? NULL
                     : copy_text(PyTuple_GET_ITEM(description, D_NAME), &size);
    if (nullable < 0 || type->name == NULL) {
        return -1;
    }
    type->flags = nullable ? ARROW_FLAG_NULLABLE : 0;
    type->child_count =
        (int32_t)PyTuple_GET_SIZE(PyTuple_GET_ITEM(description, D_CHILDREN));
    if (read_format(type) < 0 || check_children(type) < 0
        || read_metadata(PyTuple_GET_ITEM(description, D_METADATA), type) < 0) {
        return -1;
    }
    return read_symbols(PyTuple_GET_ITEM(description, D_SYMBOLS), type);
}

/* Fills in the type and those below it, from `types->count` on. */
static int
add_types(column_types *types, PyObject *description, int32_t parent)
{
    int32_t index = types->count++;
    column_type *type = &types->types[index];
    type->parent = parent;
    if (read_type(description, type) < 0) {
        return -1;
    }
    PyObject *children = PyTuple_GET_ITEM(description, D_CHILDREN);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(children); i++) {
        if (add_types(types, PyTuple_GET_ITEM(children, i), index) < 0) {
            return -1;
        }
    }
    type->end = types->count;
    return 0;
}

column_types *
column_types_from(PyObject *description)
{
    Py_ssize_t count = count_types(description, 1);
    if (count < 0) {
        return NULL;
    }
    column_types *types =
        calloc(1, sizeof(column_types) + (size_t)count * sizeof(column_type));
    if (types == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    types->references = 1;
    if (add_types(types, description, -1) < 0) {
        column_types_release(types);
        return NULL;
    }
    return types;
}

column_types *
column_types_share(column_types *types)
{
    types->references++;
    return types;
}

bool
column_types_equal(const column_types *a, const column_types *b)
{
    bool are_equal = a->count == b->count;
    for (int32_t i = 0; are_equal && i < a->count; i++) {
        are_equal = a->types[i].parent == b->types[i].parent
                    && strcmp(a->types[i].format, b->types[i].format) == 0
                    && a->types[i].symbol_count == b->types[i].symbol_count;
    }
    return are_equal;
}

void
column_types_release(column_types *types)
{
    if (types == NULL || --types->references > 0) {
        return;
    }
    for (int32_t i = 0; i < types->count; i++) {
        column_type *type = &types->types[i];
        free(type->format);
        free(type->name);
        free(type->metadata);
        free(type->symbol_offsets);
        free(type->symbols);
    }
    free(types);
}

#include "columns/types.h"

#include <stdlib.h>
#include <string.h>

/* ---- parsing format strings ---- */

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

/* Reads a number of digits, and moves after it; -1: there is none, or it is too large. */
static long
read_digits(const char *text, const char **end)
{
    char *after;
    long number = *text >= '0' && *text <= '9' ? strtol(text, &after, 10) : -1;
    *end = number < 0 ? text : after;
    return number > INT32_MAX ? -1 : number;
}

/* "w:width" */
static int32_t
fixed_width(const char *format)
{
    const char *end;
    long width = read_digits(format + 2, &end);
    return *end == '\0' ? (int32_t)width : -1;
}

/* "d:precision,scale" has 128 bits; "d:precision,scale,256" has 256. */
static int32_t
decimal_width(const char *format)
{
    const char *end;
    if (read_digits(format + 2, &end) < 1 || *end != ',' || read_digits(end + 1, &end) < 0) {
        return -1;
    }
    if (*end == '\0') {
        return 16;
    }
    return strcmp(end, ",256") == 0 ? 32 : -1;
}

/* "+us:0,1,2" and so on: the type ids must be the indices of the children. */
static bool
is_union(const char *format, int32_t child_count)
{
    if (strncmp(format, "+us:", 4) != 0) {
        return false;
    }
    const char *at = format + 4;
    for (int32_t i = 0; i < child_count; i++) {
        if (read_digits(at, &at) != i || *at != (i + 1 < child_count ? ',' : '\0')) {
            return false;
        }
        at++;
    }
    return child_count > 0;
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
    type->width = -1;
    if (strncmp(format, "ts", 2) == 0 && format[2] != '\0' && strchr("smun", format[2]) != NULL
        && format[3] == ':') {
        type->width = 8;
    }
    else if (strncmp(format, "w:", 2) == 0) {
        type->width = fixed_width(format);
    }
    else if (strncmp(format, "d:", 2) == 0) {
        type->width = decimal_width(format);
    }
    else if (is_union(format, type->child_count)) {
        type->layout = COLUMN_UNION;
        type->width = 0;
    }
    if (type->width < 0) {
        PyErr_Format(PyExc_ValueError, "'%s' is not the format of a column with %d children",
                     format, (int)type->child_count);
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
    PyErr_Format(PyExc_TypeError,
                 "columns must be a tuple of format, name, nullable, children, metadata and "
                 "symbols, and so must each child, not %.100s",
                 Py_TYPE(description)->tp_name);
    return 0;
}

/* Adds the number of types in this subtree to `total`; -1 with an exception. */
static int
count_types(PyObject *description, int depth, Py_ssize_t *total)
{
    if (!is_description(description)) {
        return -1;
    }
    if (++*total > COLUMN_COUNT_LIMIT) {
        PyErr_Format(PyExc_ValueError, "there are more than %d columns", COLUMN_COUNT_LIMIT);
        return -1;
    }
    if (depth > COLUMN_DEPTH_LIMIT) {
        PyErr_Format(PyExc_ValueError, "columns are nested more than %d deep",
                     COLUMN_DEPTH_LIMIT);
        return -1;
    }
    PyObject *children = PyTuple_GET_ITEM(description, D_CHILDREN);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(children); i++) {
        if (count_types(PyTuple_GET_ITEM(children, i), depth + 1, total) < 0) {
            return -1;
        }
    }
    return 0;
}

/* A copy of a str's UTF-8, from malloc(), because any thread may free it. */
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

/* A copy of a str that will be read as a C string. */
static char *
copy_name(PyObject *object)
{
    Py_ssize_t size;
    char *copy = copy_text(object, &size);
    if (copy != NULL && strlen(copy) != (size_t)size) {
        PyErr_SetString(PyExc_ValueError, "a column's format or name has a NUL");
        free(copy);
        return NULL;
    }
    return copy;
}

/* Takes an int32 off the front; -1: it is missing or negative. */
static int32_t
take_number(const char **at, const char *end)
{
    int32_t number = -1;
    if (end - *at >= (Py_ssize_t)sizeof(number)) {
        memcpy(&number, *at, sizeof(number));
        *at += sizeof(number);
    }
    return number;
}

/* Checks the number of pairs and the size before each text, as in the C data interface. */
static bool
is_metadata(const char *at, const char *end)
{
    int64_t texts = 2 * (int64_t)take_number(&at, end);
    for (; texts > 0; texts--) {
        int32_t size = take_number(&at, end);
        if (size < 0 || size > end - at) {
            return false;
        }
        at += size;
    }
    return texts == 0 && at == end;
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
    if (!is_metadata(bytes, bytes + size)) {
        PyErr_SetString(PyExc_ValueError, "a column's metadata is not as Arrow encodes it");
        return -1;
    }
    type->metadata = malloc((size_t)size);
    if (type->metadata == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(type->metadata, bytes, (size_t)size);
    return 0;
}

/* Joins the symbols, and records where each begins. */
static int
read_symbols(PyObject *object, column_type *type)
{
    if (object == Py_None) {
        return 0;
    }
    if (!PyTuple_Check(object) || strcmp(type->format, "i") != 0) {
        PyErr_SetString(PyExc_TypeError,
                        "symbols must be a tuple of str, for a column of format 'i'");
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
    if (type->symbols == NULL) {
        return -1;
    }
    type->symbol_offsets = calloc((size_t)count + 1, sizeof(int32_t));
    if (type->symbol_offsets == NULL || length > INT32_MAX) {
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

/* Whether the number of children fits the layout. */
static bool
has_children(const column_type *type)
{
    switch (type->layout) {
    case COLUMN_STRUCT:
        return true;
    case COLUMN_LIST:
        return type->child_count == 1;
    case COLUMN_UNION:
        return type->child_count <= COLUMN_BRANCH_LIMIT;
    default:
        return type->child_count == 0;
    }
}

static int
check_children(const column_type *type)
{
    if (has_children(type)) {
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "a column '%s' cannot have %d children", type->format,
                 (int)type->child_count);
    return -1;
}

static int
read_type(PyObject *description, column_type *type)
{
    int nullable = PyObject_IsTrue(PyTuple_GET_ITEM(description, D_NULLABLE));
    if (nullable < 0) {
        return -1;
    }
    type->format = copy_name(PyTuple_GET_ITEM(description, D_FORMAT));
    type->name =
        type->format == NULL ? NULL : copy_name(PyTuple_GET_ITEM(description, D_NAME));
    if (type->name == NULL) {
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

/* Checks that the items of a map are pairs. */
static bool
is_whole(const column_types *types, int32_t index)
{
    const column_type *type = &types->types[index];
    return strcmp(type->format, "+m") != 0
           || (type[1].layout == COLUMN_STRUCT && type[1].child_count == 2);
}

/* Fills in the types of a subtree, from `types->count` on. */
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
    if (!is_whole(types, index)) {
        PyErr_SetString(PyExc_ValueError,
                        "the entries of a column '+m' must be '+s', of two children");
        return -1;
    }
    return 0;
}

column_types *
column_types_from(PyObject *description)
{
    Py_ssize_t count = 0;
    if (count_types(description, 1, &count) < 0) {
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

static bool
has_same_symbols(const column_type *one, const column_type *other)
{
    if (one->symbol_offsets == NULL || other->symbol_offsets == NULL) {
        return one->symbol_offsets == other->symbol_offsets;
    }
    size_t count = (size_t)one->symbol_count;
    return one->symbol_count == other->symbol_count
           && memcmp(one->symbol_offsets, other->symbol_offsets,
                     (count + 1) * sizeof(int32_t)) == 0
           && memcmp(one->symbols, other->symbols, (size_t)one->symbol_offsets[count]) == 0;
}

static bool
is_same_type(const column_type *one, const column_type *other)
{
    return one->parent == other->parent && one->end == other->end
           && one->flags == other->flags && strcmp(one->format, other->format) == 0
           && strcmp(one->name, other->name) == 0 && has_same_symbols(one, other);
}

bool
column_types_equal(const column_types *one, const column_types *other)
{
    bool is_same = one->count == other->count;
    for (int32_t i = 0; is_same && i < one->count; i++) {
        is_same = is_same_type(&one->types[i], &other->types[i]);
    }
    return is_same;
}

column_types *
column_types_share(column_types *types)
{
    types->references++;
    return types;
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

#include "columns/input_types.h"

#include <stdlib.h>
#include <string.h>

#include "arrow/metadata.h"

/* ---- describing a type ---- */

static PyObject *
broken(const char *argument, const char *problem)
{
    PyErr_Format(PyExc_ValueError, "%s is not valid Arrow data: %s", argument, problem);
    return NULL;
}

static PyObject *describe(const struct ArrowSchema *schema, const char *argument, int depth);

static PyObject *
describe_children(const struct ArrowSchema *schema, const char *argument, int depth)
{
    if (schema->n_children < 0 || (schema->n_children > 0 && schema->children == NULL)) {
        return broken(argument, "its children are missing");
    }
    PyObject *children = PyTuple_New((Py_ssize_t)schema->n_children);
    for (Py_ssize_t i = 0; children != NULL && i < (Py_ssize_t)schema->n_children; i++) {
        PyObject *child = describe(schema->children[i], argument, depth + 1);
        if (child == NULL) {
            Py_CLEAR(children);
            break;
        }
        PyTuple_SET_ITEM(children, i, child);
    }
    return children;
}

/* The name of the extension type, or None. */
static PyObject *
describe_extension(const struct ArrowSchema *schema)
{
    arrow_text name = arrow_metadata_extension(schema->metadata);
    return name.data == NULL
               ? Py_NewRef(Py_None)
               : PyUnicode_DecodeUTF8(name.data, (Py_ssize_t)name.size, "replace");
}

static PyObject *
describe(const struct ArrowSchema *schema, const char *argument, int depth)
{
    if (schema == NULL || schema->format == NULL) {
        return broken(argument, "a type is missing");
    }
    if (depth > INPUT_DEPTH_LIMIT) {
        PyErr_Format(PyExc_ValueError, "%s has columns nested more than %d deep", argument,
                     INPUT_DEPTH_LIMIT);
        return NULL;
    }
    const char *name = schema->name == NULL ? "" : schema->name;
    PyObject *children = describe_children(schema, argument, depth);
    PyObject *values = children == NULL            ? NULL
                       : schema->dictionary == NULL ? Py_NewRef(Py_None)
                                                    : describe(schema->dictionary, argument,
                                                               depth + 1);
    PyObject *format = PyUnicode_DecodeUTF8(schema->format, (Py_ssize_t)strlen(schema->format),
                                            "replace");
    PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
    PyObject *extension = describe_extension(schema), *result = NULL;
    if (values != NULL && format != NULL && text != NULL && extension != NULL) {
        result = Py_BuildValue("OOOOsO", format, text, children, values,
                               arrow_format_words(schema->format), extension);
    }
    Py_XDECREF(children);
    Py_XDECREF(values);
    Py_XDECREF(format);
    Py_XDECREF(text);
    Py_XDECREF(extension);
    return result;
}

PyObject *
input_types_describe(const struct ArrowSchema *schema, const char *argument)
{
    return describe(schema, argument, 1);
}

/* ---- parsing format strings ---- */

static const struct {
    const char *format;
    enum input_layout layout;
    int32_t width;
} fixed_formats[] = {
    {"n", INPUT_NULLS, 0},     {"b", INPUT_BITS, 1},      {"e", INPUT_REAL, 2},
    {"f", INPUT_REAL, 4},      {"g", INPUT_REAL, 8},      {"tdD", INPUT_INTEGER, 4},
    {"tdm", INPUT_INTEGER, 8}, {"tts", INPUT_INTEGER, 4}, {"ttm", INPUT_INTEGER, 4},
    {"ttu", INPUT_INTEGER, 8}, {"ttn", INPUT_INTEGER, 8}, {"tDs", INPUT_INTEGER, 8},
    {"tDm", INPUT_INTEGER, 8}, {"tDu", INPUT_INTEGER, 8}, {"tDn", INPUT_INTEGER, 8},
    {"tin", INPUT_FIXED, 16},
};

static const enum input_layout layout_of[] = {
    [ARROW_NULLS] = INPUT_NULLS, [ARROW_INTEGER] = INPUT_INTEGER, [ARROW_BYTES] = INPUT_BYTES,
    [ARROW_FIXED] = INPUT_FIXED, [ARROW_VIEW] = INPUT_BYTES,      [ARROW_LIST] = INPUT_LIST,
    [ARROW_STRUCT] = INPUT_STRUCT, [ARROW_OTHER] = INPUT_OTHER,
};

static void
set_layout(input_type *type, enum input_layout layout, int32_t width)
{
    type->layout = layout;
    if (layout == INPUT_NULLS) {
        type->storage = (arrow_format){.layout = ARROW_NULLS};
        return;
    }
    bool is_number = layout == INPUT_INTEGER || layout == INPUT_DECIMAL;
    type->storage = (arrow_format){
        .layout = layout == INPUT_INTEGER ? ARROW_INTEGER : ARROW_FIXED,
        .width = width,
        .is_signed = is_number,
    };
}

/* "d:precision,scale" has 128 bits; "d:precision,scale,bits" has the given number. */
static void
read_decimal(const char *format, input_type *type)
{
    const char *comma = strchr(format, ',');
    const char *bits = comma == NULL ? NULL : strchr(comma + 1, ',');
    long width = bits == NULL ? 16 : strtol(bits + 1, NULL, 10) / 8;
    if (width == 4 || width == 8 || width == 16 || width == 32) {
        set_layout(type, INPUT_DECIMAL, (int32_t)width);
    }
}

static bool
is_union(const char *format)
{
    return strncmp(format, "+us:", 4) == 0 || strncmp(format, "+ud:", 4) == 0;
}

/* "+us:1,2": the type id of each child; no id may occur twice. */
static void
read_union(const char *format, input_type *type)
{
    for (int id = 0; id < UNION_IDS; id++) {
        type->child_of_id[id] = -1;
    }
    const char *at = format + strlen("+us:");
    int32_t child = 0;
    while (*at != '\0') {
        char *end;
        long id = strtol(at, &end, 10);
        if (end == at || id < 0 || id >= UNION_IDS || type->child_of_id[id] != -1
            || (*end != ',' && *end != '\0')) {
            return;
        }
        type->child_of_id[id] = child++; /* add_types() turns this into a place in the tree */
        at = *end == ',' ? end + 1 : end;
    }
    if (child == type->child_count) {
        type->layout = format[2] == 's' ? INPUT_SPARSE_UNION : INPUT_DENSE_UNION;
        type->storage = (arrow_format){.layout = ARROW_NULLS}; /* no bitmap: bound separately */
    }
}

/* Fills in the layout; INPUT_OTHER if the format is unknown or not valid. */
static void
read_format(const char *format, input_type *type)
{
    for (size_t i = 0; i < sizeof(fixed_formats) / sizeof(fixed_formats[0]); i++) {
        if (strcmp(format, fixed_formats[i].format) == 0) {
            set_layout(type, fixed_formats[i].layout, fixed_formats[i].width);
            return;
        }
    }
    if (strncmp(format, "d:", 2) == 0) {
        read_decimal(format, type);
    }
    else if (is_union(format)) {
        read_union(format, type);
    }
    else if (strncmp(format, "+w:", 3) == 0) {
        arrow_format items = arrow_format_parse(format + 1);
        type->items = items.width;
        type->layout = items.layout == ARROW_FIXED ? INPUT_FIXED_LIST : INPUT_OTHER;
        type->storage = (arrow_format){.layout = ARROW_STRUCT}; /* only a bitmap */
    }
    else if (strcmp(format, "+vl") == 0 || strcmp(format, "+vL") == 0) {
        type->layout = INPUT_LIST_VIEW;
        type->storage = (arrow_format){
            .layout = ARROW_STRUCT, /* a bitmap; offsets and sizes are bound separately */
            .width = format[2] == 'l' ? 4 : 8,
        };
    }
    else {
        type->storage = arrow_format_parse(strcmp(format, "+m") == 0 ? "+l" : format);
        type->layout = layout_of[type->storage.layout];
    }
}

/* ---- reading a description ---- */

enum { D_FORMAT, D_NAME, D_CHILDREN, D_DICTIONARY, D_WORDS, D_EXTENSION, D_COUNT };

/* The number of types in this subtree, or -1 with an exception. */
static Py_ssize_t
count_types(PyObject *description, int depth)
{
    if (!PyTuple_Check(description) || PyTuple_GET_SIZE(description) != D_COUNT
        || !PyUnicode_Check(PyTuple_GET_ITEM(description, D_FORMAT))
        || !PyTuple_Check(PyTuple_GET_ITEM(description, D_CHILDREN))) {
        PyErr_SetString(PyExc_TypeError, "types must be tuples of format, name, children, "
                                         "dictionary, words and extension");
        return -1;
    }
    if (depth > INPUT_DEPTH_LIMIT) {
        PyErr_Format(PyExc_ValueError, "types are nested more than %d deep", INPUT_DEPTH_LIMIT);
        return -1;
    }
    PyObject *children = PyTuple_GET_ITEM(description, D_CHILDREN);
    PyObject *values = PyTuple_GET_ITEM(description, D_DICTIONARY);
    Py_ssize_t total = 1, count = 0;
    if (values != Py_None) {
        count = count_types(values, depth + 1);
        total += count;
    }
    for (Py_ssize_t i = 0; count >= 0 && i < PyTuple_GET_SIZE(children); i++) {
        count = count_types(PyTuple_GET_ITEM(children, i), depth + 1);
        total += count;
    }
    return count < 0 ? -1 : total;
}

/* Whether the type may have this number of children; a type that is not read may have any. */
static bool
has_right_children(const input_type *type)
{
    switch (type->layout) {
    case INPUT_LIST:
    case INPUT_LIST_VIEW:
    case INPUT_FIXED_LIST:
    case INPUT_DICTIONARY:
        return type->child_count == 1;
    case INPUT_STRUCT:
    case INPUT_SPARSE_UNION:
    case INPUT_DENSE_UNION:
    case INPUT_OTHER:
        return true;
    default:
        return type->child_count == 0;
    }
}

static int
read_type(PyObject *description, input_type *type)
{
    const char *format = PyUnicode_AsUTF8(PyTuple_GET_ITEM(description, D_FORMAT));
    if (format == NULL) {
        return -1;
    }
    bool is_encoded = PyTuple_GET_ITEM(description, D_DICTIONARY) != Py_None;
    type->child_count =
        (int32_t)PyTuple_GET_SIZE(PyTuple_GET_ITEM(description, D_CHILDREN)) + is_encoded;
    if (is_union(format)) {
        type->child_of_id = malloc(UNION_IDS * sizeof(int32_t));
        if (type->child_of_id == NULL) {
            PyErr_NoMemory();
            return -1;
        }
    }
    read_format(format, type);
    if (is_encoded) {
        type->layout = type->layout == INPUT_INTEGER ? INPUT_DICTIONARY : INPUT_OTHER;
    }
    if (!has_right_children(type)) {
        PyErr_Format(PyExc_ValueError, "a type '%s' cannot have %d children", format,
                     (int)type->child_count);
        return -1;
    }
    return 0;
}

/* Whether the rows of a child differ from the rows of its parent. */
static bool
begins_domain(enum input_layout parent)
{
    return parent == INPUT_LIST || parent == INPUT_LIST_VIEW || parent == INPUT_FIXED_LIST
           || parent == INPUT_DENSE_UNION || parent == INPUT_DICTIONARY;
}

/* Fills in the subtree's types, from `types->count` on. A `domain` of -1 begins a new domain. */
static int
add_types(input_types *types, PyObject *description, int32_t domain)
{
    int32_t index = types->count++, places[UNION_IDS];
    input_type *type = &types->types[index];
    type->domain = domain < 0 ? index : domain;
    if (read_type(description, type) < 0) {
        return -1;
    }
    int32_t below = begins_domain(type->layout) ? -1 : type->domain;
    PyObject *values = PyTuple_GET_ITEM(description, D_DICTIONARY);
    PyObject *children = PyTuple_GET_ITEM(description, D_CHILDREN);
    if (values != Py_None && add_types(types, values, below) < 0) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(children); i++) {
        if (i < UNION_IDS) {
            places[i] = types->count;
        }
        if (add_types(types, PyTuple_GET_ITEM(children, i), below) < 0) {
            return -1;
        }
    }
    type->end = types->count;
    for (int id = 0; type->child_of_id != NULL && id < UNION_IDS; id++) {
        int32_t child = type->child_of_id[id];
        type->child_of_id[id] = child < 0 || child >= type->child_count ? -1 : places[child];
    }
    return 0;
}

input_types *
input_types_from(PyObject *description)
{
    Py_ssize_t count = count_types(description, 1);
    if (count < 0) {
        return NULL;
    }
    input_types *types = calloc(1, sizeof(input_types) + (size_t)count * sizeof(input_type));
    if (types == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (add_types(types, description, -1) < 0) {
        input_types_free(types);
        return NULL;
    }
    return types;
}

void
input_types_free(input_types *types)
{
    for (int32_t i = 0; types != NULL && i < types->count; i++) {
        free(types->types[i].child_of_id);
    }
    free(types);
}

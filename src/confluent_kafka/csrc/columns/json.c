#include "columns/json_nodes.h"

#include <stdlib.h>

/* ---- reading the description ---- */

enum { N_KIND, N_COLUMN, N_FLAGS, N_ARGUMENT, N_SCALE, N_NAMES, N_CHILDREN, N_FIELD, N_COUNT };

static const json_node_kind *
find_among(const json_node_kind *kinds, const char *name)
{
    while (kinds->name != NULL && strcmp(kinds->name, name) != 0) {
        kinds++;
    }
    return kinds->name == NULL ? NULL : kinds;
}

static const json_node_kind *
find_kind(PyObject *object)
{
    const char *name = PyUnicode_AsUTF8(object);
    if (name == NULL) {
        return NULL;
    }
    const json_node_kind *kind = find_among(json_value_kinds, name);
    if (kind == NULL) {
        kind = find_among(json_nested_kinds, name);
    }
    if (kind == NULL) {
        PyErr_Format(PyExc_ValueError, "there is no kind of node '%s'", name);
    }
    return kind;
}

static int
refuse(const json_node_kind *kind)
{
    PyErr_Format(PyExc_ValueError, "a node '%s' does not fit its column", kind->name);
    return -1;
}

static void
release_node(json_node *self)
{
    for (int32_t i = 0; i < self->child_count; i++) {
        if (self->children[i] != NULL) {
            release_node(self->children[i]);
        }
    }
    free(self->children);
    json_names_release(&self->names);
    free(self->field);
    free(self);
}

/* Reads a number of a node; -1 may be an exception, see PyErr_Occurred(). */
static int32_t
read_int(PyObject *description, Py_ssize_t place)
{
    long value = PyLong_AsLong(PyTuple_GET_ITEM(description, place));
    if (value < INT32_MIN || value > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "a node has a number of more than 32 bits");
    }
    return (int32_t)value;
}

static int
read_parts(PyObject *description, json_node *self)
{
    Py_ssize_t size;
    self->column = read_int(description, N_COLUMN);
    self->flags = (uint32_t)read_int(description, N_FLAGS);
    self->argument = read_int(description, N_ARGUMENT);
    self->scale = read_int(description, N_SCALE);
    if (PyErr_Occurred()
        || json_names_fill(&self->names, PyTuple_GET_ITEM(description, N_NAMES)) < 0) {
        return -1;
    }
    const char *field = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(description, N_FIELD), &size);
    self->field = field == NULL ? NULL : malloc((size_t)size + 1);
    if (self->field == NULL) {
        if (field != NULL) {
            PyErr_NoMemory();
        }
        return -1;
    }
    memcpy(self->field, field, (size_t)size + 1);
    return 0;
}

static bool
is_description(PyObject *description)
{
    if (PyTuple_Check(description) && PyTuple_GET_SIZE(description) == N_COUNT
        && PyTuple_Check(PyTuple_GET_ITEM(description, N_CHILDREN))) {
        return true;
    }
    PyErr_SetString(PyExc_TypeError, "a node must be a tuple of eight");
    return false;
}

/* ---- checking it: no node may use memory outside its own ---- */

static bool
fits_column(const json_node *self, const json_node_kind *kind, const column_types *types)
{
    if (self->column < 0 || self->column >= types->count) {
        return false;
    }
    const column_type *type = &types->types[self->column];
    bool is_known = kind->width == 0 || type->width == kind->width;
    bool is_small = self->argument >= 0 && self->argument <= 76;
    return type->layout == kind->layout && is_small
           && (type->layout != COLUMN_FIXED || (is_known && type->width > 0))
           && (strcmp(kind->name, "decimal") != 0 || type->width <= 32);
}

/* Whether a column is below another, directly or as the value of a map's entries. */
static bool
is_below(int32_t index, int32_t parent, const column_types *types)
{
    int32_t above = types->types[index].parent;
    return above == parent || (above >= 0 && types->types[above].parent == parent);
}

/* Checks a map: a struct of a string and the column of its only child. */
static bool
has_entries(const json_node *self, const column_types *types)
{
    const column_type *map = &types->types[self->column];
    return map[1].layout == COLUMN_STRUCT && map[1].child_count == 2
           && map[2].layout == COLUMN_BYTES && self->children[0]->column == self->column + 3;
}

static int
compare_columns(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

/* Checks that each column of a struct has exactly one child. */
static bool
has_fields(json_node *self, const column_types *types)
{
    int32_t *columns = calloc((size_t)self->child_count + 1, sizeof(int32_t));
    bool fits = columns != NULL;
    for (int32_t i = 0; fits && i < self->child_count; i++) {
        if (self->children[i] != NULL) {
            columns[self->present_count++] = self->children[i]->column;
            fits = types->types[self->children[i]->column].parent == self->column;
        }
    }
    fits = fits && self->present_count == types->types[self->column].child_count;
    if (fits && self->present_count > 0) {
        qsort(columns, (size_t)self->present_count, sizeof(int32_t), compare_columns);
    }
    for (int32_t i = 1; fits && i < self->present_count; i++) {
        fits = columns[i - 1] != columns[i];
    }
    free(columns);
    return fits;
}

static bool
fits_children(json_node *self, const json_node_kind *kind, const column_types *types)
{
    if (find_among(json_nested_kinds, kind->name) == NULL) {
        return self->child_count == 0;
    }
    if (strcmp(kind->name, "object") == 0) {
        return self->child_count == self->names.count && has_fields(self, types);
    }
    if (self->child_count != 1 || self->children[0] == NULL) {
        return false;
    }
    return strcmp(kind->name, "map") == 0 ? has_entries(self, types) : has_fields(self, types);
}

/* ---- a tree ---- */

static json_node *read_node(PyObject *description, const column_types *types, int32_t parent);

static int
read_children(PyObject *children, const column_types *types, json_node *self)
{
    Py_ssize_t count = PyTuple_GET_SIZE(children);
    self->children = calloc((size_t)count + 1, sizeof(json_node *));
    if (self->children == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (; self->child_count < count; self->child_count++) {
        PyObject *child = PyTuple_GET_ITEM(children, self->child_count);
        if (child == Py_None) {
            continue;
        }
        json_node *node = read_node(child, types, self->column);
        if (node == NULL) {
            return -1;
        }
        self->children[self->child_count] = node;
    }
    return 0;
}

static int
fill_node(PyObject *description, const column_types *types, int32_t parent, json_node *self)
{
    const json_node_kind *kind = find_kind(PyTuple_GET_ITEM(description, N_KIND));
    if (kind == NULL || read_parts(description, self) < 0) {
        return -1;
    }
    self->read = kind->read;
    /* The tree of nodes is then no deeper than the tree of columns. */
    if (!fits_column(self, kind, types) || !is_below(self->column, parent, types)) {
        return refuse(kind);
    }
    if (read_children(PyTuple_GET_ITEM(description, N_CHILDREN), types, self) < 0) {
        return -1;
    }
    return fits_children(self, kind, types) ? 0 : refuse(kind);
}

static json_node *
read_node(PyObject *description, const column_types *types, int32_t parent)
{
    if (!is_description(description)) {
        return NULL;
    }
    json_node *self = calloc(1, sizeof(json_node));
    if (self == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    if (fill_node(description, types, parent, self) < 0) {
        release_node(self);
        return NULL;
    }
    return self;
}

static void
json_release(void *program)
{
    release_node(program);
}

static void *
json_compile(PyObject *description, const column_types *types)
{
    json_node *root = read_node(description, types, -1);
    if (root != NULL && (root->column != 0 || types->types[0].layout != COLUMN_STRUCT)) {
        PyErr_SetString(PyExc_ValueError, "a row must be a struct");
        release_node(root);
        return NULL;
    }
    return root;
}

/* ---- a row ---- */

static enum row_status
json_decode(const void *program, columns *set, payload from, row_failure *failure)
{
    const json_node *root = program;
    json_machine machine = {.text = {from.data, from.data + from.size},
                            .set = set,
                            .failure = failure};
    bool is_done = json_read_value(&machine, root);
    if (is_done) {
        json_skip_space(&machine.text);
        if (machine.text.at < machine.text.end) {
            json_fail(&machine, root, "bytes after the value");
        }
    }
    free(machine.scratch);
    free(machine.pending);
    return machine.status;
}

const row_format json_format = {"json", json_compile, json_release, json_decode};

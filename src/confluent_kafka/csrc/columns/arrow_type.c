/*
 * _arrow_type(): an Arrow type as Python values.
 */
#include "arrow/metadata.h"
#include "base/args.h"
#include "columns/columns.h"

static const char wanted[] = "a schema or type with the Arrow PyCapsule protocol "
                             "(of pyarrow, polars ...)";

static PyObject *
next_text(const char **at)
{
    arrow_text text = arrow_metadata_next(at);
    return PyUnicode_DecodeUTF8(text.data, (Py_ssize_t)text.size, "replace");
}

static PyObject *
metadata_dict(const char *metadata)
{
    int32_t count = arrow_metadata_begin(&metadata);
    PyObject *dict = PyDict_New();
    for (int32_t i = 0; dict != NULL && i < count; i++) {
        PyObject *key = next_text(&metadata), *value = next_text(&metadata);
        if (key == NULL || value == NULL || PyDict_SetItem(dict, key, value) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(key);
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *describe(const struct ArrowSchema *schema, int depth);

static PyObject *
describe_children(const struct ArrowSchema *schema, int depth)
{
    PyObject *children = PyTuple_New((Py_ssize_t)schema->n_children);
    for (int64_t i = 0; children != NULL && i < schema->n_children; i++) {
        PyObject *child = describe(schema->children[i], depth + 1);
        if (child == NULL) {
            Py_CLEAR(children);
            break;
        }
        PyTuple_SET_ITEM(children, (Py_ssize_t)i, child);
    }
    return children;
}

/* (format, name, nullable, children, metadata, whether it is the index type of a dictionary) */
static PyObject *
describe(const struct ArrowSchema *schema, int depth)
{
    if (depth > COLUMN_DEPTH_LIMIT) {
        PyErr_Format(PyExc_ValueError, "columns are nested more than %d deep",
                     COLUMN_DEPTH_LIMIT);
        return NULL;
    }
    PyObject *children = describe_children(schema, depth);
    PyObject *metadata = children == NULL ? NULL : metadata_dict(schema->metadata);
    PyObject *type = NULL;
    if (metadata != NULL) {
        type = Py_BuildValue("(ssOOOO)", schema->format, schema->name == NULL ? "" : schema->name,
                             schema->flags & ARROW_FLAG_NULLABLE ? Py_True : Py_False, children,
                             metadata, schema->dictionary == NULL ? Py_False : Py_True);
    }
    Py_XDECREF(children);
    Py_XDECREF(metadata);
    return type;
}

static PyObject *
describe_capsule(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, ARROW_SCHEMA_CAPSULE)) {
        PyErr_Format(PyExc_TypeError, "__arrow_c_schema__() must give a capsule '%s', not %.100s",
                     ARROW_SCHEMA_CAPSULE, Py_TYPE(capsule)->tp_name);
        return NULL;
    }
    const struct ArrowSchema *schema = PyCapsule_GetPointer(capsule, ARROW_SCHEMA_CAPSULE);
    if (schema->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "schema gave an Arrow capsule that was used before");
        return NULL;
    }
    return describe(schema, 1);
}

SIGNATURE(arrow_type_signature, "_arrow_type()", 1, 1, P_schema);

PyDoc_STRVAR(arrow_type_doc,
"_arrow_type(schema, /)\n"
"--\n\n"
"Return (format, name, nullable, children, metadata, is_dictionary) for __arrow_c_schema__().");

static PyObject *
arrow_type(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *values[1];
    if (args_parse(PyModule_GetState(module), &arrow_type_signature, args, nargs, NULL,
                   values) < 0) {
        return NULL;
    }
    PyObject *method = attribute_of(values[0], "__arrow_c_schema__");
    if (method == NULL) {
        if (PyErr_ExceptionMatches(PyExc_AttributeError)) {
            PyErr_Format(PyExc_TypeError, "schema must be %s, not %.100s", wanted,
                         Py_TYPE(values[0])->tp_name);
        }
        return NULL;
    }
    PyObject *capsule = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    PyObject *type = capsule == NULL ? NULL : describe_capsule(capsule);
    Py_XDECREF(capsule);
    return type;
}

static PyMethodDef arrow_type_functions[] = {
    {"_arrow_type", WITHOUT_KEYWORDS(arrow_type), arrow_type_doc},
    {NULL, NULL, 0, NULL},
};

int
arrow_type_functions_add(PyObject *module, module_state *Py_UNUSED(state))
{
    return PyModule_AddFunctions(module, arrow_type_functions);
}

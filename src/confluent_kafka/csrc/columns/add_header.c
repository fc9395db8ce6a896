/*
 * _add_header(): adds a header to messages, which names the schema of a payload.
 */
#include "base/args.h"
#include "columns/columns.h"
#include "columns/payloads.h"
#include "columns/schema_names.h"

/* The parts of list<item: struct<key: string, value: binary>>. */
enum { LISTS, ITEMS, KEYS, VALUES };

static columns *
new_headers(int64_t rows)
{
    PyObject *description =
        Py_BuildValue("(ssi((ssi((ssi()OO)(ssi()OO))OO))OO)", "+l", "", 1, "+s", "item", 1, "u",
                      "key", 1, Py_None, Py_None, "z", "value", 1, Py_None, Py_None, Py_None,
                      Py_None, Py_None, Py_None);
    column_types *types = description == NULL ? NULL : column_types_from(description);
    Py_XDECREF(description);
    if (types == NULL) {
        return NULL;
    }
    columns *set = columns_new(types, rows, 0);
    column_types_release(types);
    if (set == NULL) {
        PyErr_NoMemory();
    }
    return set;
}

static enum build_status
put_header(columns *set, const arrow_header *header)
{
    enum build_status status =
        column_put_bytes(&set->columns[KEYS], header->key, (int64_t)header->key_size);
    if (status == BUILD_OK) {
        status = header->value == NULL ? columns_put_null(set, VALUES)
                                       : column_put_bytes(&set->columns[VALUES], header->value,
                                                          (int64_t)header->value_size);
    }
    return status == BUILD_OK ? column_put_slot(&set->columns[ITEMS]) : status;
}

/* Copies the headers of a row. With `added`, leaves out others of that name, and appends it. */
static enum build_status
put_row(columns *set, const arrow_rows *headers, int64_t row, const arrow_header *added)
{
    enum build_status status = BUILD_OK;
    arrow_header own;
    for (int64_t number = 0; status == BUILD_OK && headers != NULL
                             && arrow_rows_header_at(headers, row, number, &own);
         number++) {
        bool is_replaced = added != NULL && own.key_size == added->key_size
                           && memcmp(own.key, added->key, own.key_size) == 0;
        status = is_replaced ? BUILD_OK : put_header(set, &own);
    }
    if (status == BUILD_OK && added != NULL) {
        status = put_header(set, added);
    }
    return status == BUILD_OK ? column_put_list(&set->columns[LISTS], &set->columns[ITEMS])
                              : status;
}

static enum build_status
put_rows(columns *set, const payloads *all, const arrow_rows *headers, const arrow_header *added)
{
    enum build_status status = BUILD_OK;
    int64_t first_row = 0;
    for (size_t i = 0; i < all->chunk_count; i++) {
        const payload_chunk *chunk = &all->chunks[i];
        for (int64_t row = 0; status == BUILD_OK && row < chunk->count; row++) {
            size_t size;
            bool is_null = arrow_bytes_get(&chunk->values, row, &size) == NULL;
            status = put_row(set, headers, first_row + row, is_null ? NULL : added);
        }
        first_row += chunk->count;
    }
    if (status == BUILD_OK) {
        columns_finish(set);
    }
    return status;
}

static PyObject *
with_header(module_state *state, const payloads *all, const arrow_rows *headers,
            const arrow_header *added)
{
    columns *set = new_headers(all->count);
    if (set == NULL) {
        return NULL;
    }
    enum build_status status;
    Py_BEGIN_ALLOW_THREADS
    status = put_rows(set, all, headers, added);
    Py_END_ALLOW_THREADS
    if (status == BUILD_OK) {
        bad_rows none = {0};
        return encoded_rows_new(state, set, &none, NULL);
    }
    columns_release(set);
    if (status == BUILD_TOO_LARGE) {
        PyErr_SetString(PyExc_OverflowError,
                        "headers have more than 2 GiB; encode fewer rows at a time");
        return NULL;
    }
    return PyErr_NoMemory();
}

SIGNATURE(add_header_signature, "_add_header()", 4, 4, P_payloads, P_headers, P_name, P_value);

PyDoc_STRVAR(add_header_doc,
"_add_header(payloads, headers, name, value, /)\n"
"--\n\n"
"Return a column of headers for messages. A row has its headers in the batch `headers` (may be\n"
"None). If its payload is not null, it also has this header, which replaces others of that name.");

static PyObject *
add_header(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    module_state *state = PyModule_GetState(module);
    PyObject *values[4], *result = NULL;
    bytes_view value;
    if (args_parse(state, &add_header_signature, args, nargs, NULL, values) < 0
        || bytes_view_get(values[3], "value", &value) < 0) {
        return NULL;
    }
    payloads all = {0};
    schema_headers headers = {0};
    if (payloads_read(&all, values[0]) == 0
        && schema_headers_read(&headers, values[1], values[2], all.count) == 0) {
        const arrow_header added = {headers.name, value.size == 0 ? "" : value.data,
                                    strlen(headers.name), value.size};
        result = with_header(state, &all, headers.rows, &added);
    }
    schema_headers_release(&headers);
    payloads_release(&all);
    bytes_view_release(&value);
    return result;
}

static PyMethodDef add_header_functions[] = {
    {"_add_header", WITHOUT_KEYWORDS(add_header), add_header_doc},
    {NULL, NULL, 0, NULL},
};

int
add_header_functions_add(PyObject *module, module_state *Py_UNUSED(state))
{
    return PyModule_AddFunctions(module, add_header_functions);
}

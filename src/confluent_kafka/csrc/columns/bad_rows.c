#include "columns/bad_rows.h"

#include <stdlib.h>

int
bad_rows_add(bad_rows *self, bad_row row)
{
    if (self->count == self->capacity) {
        size_t capacity = self->capacity * 2 + 16;
        bad_row *rows = realloc(self->rows, capacity * sizeof(bad_row));
        if (rows == NULL) {
            return -1;
        }
        self->rows = rows;
        self->capacity = capacity;
    }
    self->rows[self->count++] = row;
    return 0;
}

PyObject *
bad_rows_list(const bad_rows *self)
{
    PyObject *list = PyList_New((Py_ssize_t)self->count);
    for (size_t i = 0; list != NULL && i < self->count; i++) {
        const bad_row *bad = &self->rows[i];
        PyObject *item = Py_BuildValue("LLss", (long long)bad->row, (long long)bad->offset,
                                       bad->field, bad->reason);
        if (item == NULL) {
            Py_CLEAR(list);
            break;
        }
        PyList_SET_ITEM(list, (Py_ssize_t)i, item);
    }
    return list;
}

/* ---- as a column ---- */

enum { ERRORS, ERROR_OFFSET, ERROR_FIELD, ERROR_REASON };

static column_types *
error_types(void)
{
    PyObject *description = Py_BuildValue(
        "(ssi((ssi()OO)(ssi()OO)(ssi()OO))OO)", "+s", "error", 1, "l", "offset", 1, Py_None,
        Py_None, "u", "field", 1, Py_None, Py_None, "u", "reason", 1, Py_None, Py_None,
        Py_None, Py_None);
    column_types *types = description == NULL ? NULL : column_types_from(description);
    Py_XDECREF(description);
    return types;
}

static enum build_status
put_error(columns *set, const bad_row *bad)
{
    enum build_status status = column_put_slot(&set->columns[ERRORS]);
    if (status == BUILD_OK) {
        status = column_put_fixed(&set->columns[ERROR_OFFSET], &bad->offset,
                                  sizeof(bad->offset));
    }
    if (status == BUILD_OK) {
        status = column_put_bytes(&set->columns[ERROR_FIELD], bad->field,
                                  (int64_t)strlen(bad->field));
    }
    if (status == BUILD_OK) {
        status = column_put_bytes(&set->columns[ERROR_REASON], bad->reason,
                                  (int64_t)strlen(bad->reason));
    }
    return status;
}

static enum build_status
fill_errors(columns *set, const bad_rows *bad, int64_t rows)
{
    size_t next = 0;
    enum build_status status = BUILD_OK;
    for (int64_t row = 0; status == BUILD_OK && row < rows; row++) {
        bool is_bad = next < bad->count && bad->rows[next].row == row;
        status = is_bad ? put_error(set, &bad->rows[next++]) : columns_put_null(set, ERRORS);
    }
    columns_finish(set);
    return status;
}

columns *
bad_rows_column(const bad_rows *self, int64_t rows)
{
    column_types *types = error_types();
    if (types == NULL) {
        return NULL;
    }
    columns *set = columns_new(types, rows, 0);
    column_types_release(types);
    if (set == NULL || fill_errors(set, self, rows) != BUILD_OK) {
        columns_release(set);
        PyErr_NoMemory();
        return NULL;
    }
    return set;
}

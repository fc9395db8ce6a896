/*
 * The Python types of this folder.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_COLUMNS_H
#define CONFLUENT_KAFKA_COLUMNS_COLUMNS_H

#include "columns/bad_rows.h"
#include "columns/payload_format.h"
#include "columns/put_program.h"
#include "columns/row_format.h"

/* _RowProgram: how rows with one schema are read into columns. */
typedef struct {
    PyObject_HEAD
    column_types *types;
    const row_format *format;
    void *program;
} RowProgram;

/* _PayloadProgram: how rows with certain types are written as payloads. */
typedef struct {
    PyObject_HEAD
    PyObject *description; /* of the input types */
    input_types *types;
    put_program *program;
} PayloadProgram;

/*
 * DecodedRows with finished columns. It takes ownership of the columns and the bad rows, even on
 * failure. `programs` owns the texts of the bad rows; it may be NULL if there are none.
 */
PyObject *decoded_rows_new(module_state *state, columns *set, bad_rows *bad,
                           PyObject *programs);
/* EncodedRows with a finished column; ownership is the same. */
PyObject *encoded_rows_new(module_state *state, columns *set, bad_rows *bad, PyObject *program);

int row_program_type_add(PyObject *module, module_state *state);
int rows_types_add(PyObject *module, module_state *state);
int column_batch_type_add(PyObject *module, module_state *state);
int arrow_type_functions_add(PyObject *module, module_state *state);
int payload_program_type_add(PyObject *module, module_state *state);
int encode_functions_add(PyObject *module, module_state *state);
int add_header_functions_add(PyObject *module, module_state *state);
int decode_functions_add(PyObject *module, module_state *state);

#endif

#include "arrow/row_digest.h"

#include "arrow/import.h"

PyDoc_STRVAR(row_digest_doc,
"_row_digest(batch, /)\n"
"--\n\n"
"Return a digest of the rows that `Producer.produce_arrow` would send from a batch.\n\n"
"It is the sum of the 64-bit hashes of all rows, modulo 2**64. So the digests of two batches add\n"
"up to the digest of all their rows, and the order of the rows does not matter.");

static PyObject *
row_digest(PyObject *Py_UNUSED(module), PyObject *batch)
{
    arrow_rows *rows = arrow_rows_import(batch, "batch");
    if (rows == NULL) {
        return NULL;
    }
    uint64_t digest;
    Py_BEGIN_ALLOW_THREADS
    digest = arrow_rows_digest(rows);
    Py_END_ALLOW_THREADS
    arrow_rows_release(rows);
    return PyLong_FromUnsignedLongLong(digest);
}

static PyMethodDef digest_functions[] = {
    {"_row_digest", row_digest, METH_O, row_digest_doc},
    {NULL, NULL, 0, NULL},
};

int
row_digest_add(PyObject *module, module_state *Py_UNUSED(state))
{
    return PyModule_AddFunctions(module, digest_functions);
}

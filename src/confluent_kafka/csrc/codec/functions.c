/*
 * What confluent_kafka.protocol.records calls of the codecs; zlib, which Python has, does the
 * rest.
 */
#include "codec/functions.h"

#include <limits.h>
#include <stdlib.h>

#include "base/args.h"
#include "codec/crc32c.h"
#include "codec/lz4.h"
#include "codec/record.h"
#include "codec/snappy.h"
#include "codec/zstd.h"

/* From how many bytes on the GIL is released: below, it takes longer than the work. */
#define LARGE 8192

static PyThreadState *
release_gil_if_large(size_t size)
{
    return size >= LARGE ? PyEval_SaveThread() : NULL;
}

static void
take_gil(PyThreadState *released)
{
    if (released != NULL) {
        PyEval_RestoreThread(released);
    }
}

/* Bytes: a text has as many of them as encodings, and None has none. */
static int
data_get(PyObject *object, bytes_view *data)
{
    if (object == Py_None || PyUnicode_Check(object)) {
        PyErr_Format(PyExc_TypeError, "data must be bytes-like, not %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    return bytes_view_get(object, "data", data);
}

/* ---- checksums ---- */

SIGNATURE(crc32c_signature, "_crc32c()", 1, 1, P_data);

PyDoc_STRVAR(crc32c_doc,
"_crc32c(data, /)\n"
"--\n\n"
"CRC-32C (Castagnoli), the checksum of record batches.");

static PyObject *
crc32c_of(PyObject *module, PyObject *const *args, Py_ssize_t nargs)
{
    PyObject *values[1];
    bytes_view data;
    if (args_parse(PyModule_GetState(module), &crc32c_signature, args, nargs, NULL, values) < 0
        || data_get(values[0], &data) < 0) {
        return NULL;
    }
    PyThreadState *released = release_gil_if_large(data.size);
    uint32_t crc = crc32c(0, data.data, data.size);
    take_gil(released);
    bytes_view_release(&data);
    return PyLong_FromUnsignedLong(crc);
}

/* ---- codecs ---- */

/* The result of a codec, or the exception for its failure. */
static PyObject *
codec_result(const signature *sig, enum codec_status status, const output *out)
{
    switch (status) {
    case CODEC_OK:
        return PyBytes_FromStringAndSize((const char *)out->data, (Py_ssize_t)out->size);
    case CODEC_TOO_LARGE:
        PyErr_Format(PyExc_OverflowError, "%s: data was made of more than %zu bytes", sig->function,
                     out->limit);
        return NULL;
    case CODEC_NO_MEMORY:
        return PyErr_NoMemory();
    case CODEC_UNAVAILABLE:
        PyErr_SetString(PyExc_NotImplementedError,
                        "this build has no zstd: libzstd or its headers were not found when "
                        "confluent_kafka was compiled");
        return NULL;
    default:
        PyErr_Format(PyExc_ValueError, "%s: data is not what the codec writes",
                     sig->function);
        return NULL;
    }
}

static PyObject *
run(const signature *sig, codec_function *codec, PyObject *object, int option, size_t limit)
{
    bytes_view data;
    if (data_get(object, &data) < 0) {
        return NULL;
    }
    output out = {.limit = limit};
    PyThreadState *released = release_gil_if_large(data.size);
    enum codec_status status = codec(data.data, data.size, option, &out);
    take_gil(released);
    bytes_view_release(&data);
    PyObject *result = codec_result(sig, status, &out);
    free(out.data);
    return result;
}

/* compress(data, option), with an option that is from `minimum` to `maximum`. */
static PyObject *
compress(PyObject *module, const signature *sig, PyObject *const *args, Py_ssize_t nargs,
         codec_function *codec, int minimum, int maximum)
{
    PyObject *values[2];
    int32_t option;
    if (args_parse(PyModule_GetState(module), sig, args, nargs, NULL, values) < 0
        || arg_int32(values[1], "option", minimum, maximum, &option) < 0) {
        return NULL;
    }
    return run(sig, codec, values[0], option, PY_SSIZE_T_MAX);
}

/* decompress(data, max_size, option). */
static PyObject *
decompress(PyObject *module, const signature *sig, PyObject *const *args, Py_ssize_t nargs,
           codec_function *codec, int maximum)
{
    PyObject *values[3];
    int64_t limit;
    int32_t option;
    if (args_parse(PyModule_GetState(module), sig, args, nargs, NULL, values) < 0
        || arg_int64(values[1], "max_size", 0, PY_SSIZE_T_MAX, &limit) < 0
        || arg_int32(values[2], "option", 0, maximum, &option) < 0) {
        return NULL;
    }
    return run(sig, codec, values[0], option, (size_t)limit);
}

/* The two functions of a codec, with the options that they know. */
#define CODEC(name, lowest, highest, reading_highest)                                    \
    SIGNATURE(name##_compress_signature, "_" #name "_compress()", 2, 2, P_data, P_option); \
    SIGNATURE(name##_decompress_signature, "_" #name "_decompress()", 3, 3, P_data,      \
              P_max_size, P_option);                                                     \
    static PyObject *name##_compressed(PyObject *module, PyObject *const *args,          \
                                       Py_ssize_t nargs)                                 \
    {                                                                                    \
        return compress(module, &name##_compress_signature, args, nargs, name##_compress, \
                        lowest, highest);                                                \
    }                                                                                    \
    static PyObject *name##_decompressed(PyObject *module, PyObject *const *args,        \
                                         Py_ssize_t nargs)                               \
    {                                                                                    \
        return decompress(module, &name##_decompress_signature, args, nargs,             \
                          name##_decompress, reading_highest);                           \
    }

CODEC(snappy, 0, 0, 0)
CODEC(lz4, 0, 1, 1)
CODEC(zstd, INT_MIN, 22, 0)

PyDoc_STRVAR(snappy_compress_doc,
"_snappy_compress(data, option, /)\n"
"--\n\n"
"The block that Snappy makes of `data`, without a framing; `option` is 0.");

PyDoc_STRVAR(snappy_decompress_doc,
"_snappy_decompress(data, max_size, option, /)\n"
"--\n\n"
"What the block `data` of Snappy was made of; `option` is 0.\n\n"
"Raises:\n"
"    ValueError: it is no such block.\n"
"    OverflowError: it was made of more than `max_size` bytes.");

PyDoc_STRVAR(lz4_compress_doc,
"_lz4_compress(data, option, /)\n"
"--\n\n"
"The frame that LZ4 makes of `data`; `option` is 1 for messages of format 0.");

PyDoc_STRVAR(lz4_decompress_doc,
"_lz4_decompress(data, max_size, option, /)\n"
"--\n\n"
"What the frames `data` of LZ4 were made of; `option` is 1 for messages of format 0.\n\n"
"Raises:\n"
"    ValueError: these are no such frames.\n"
"    OverflowError: they were made of more than `max_size` bytes.");

PyDoc_STRVAR(zstd_compress_doc,
"_zstd_compress(data, option, /)\n"
"--\n\n"
"The frame that Zstandard makes of `data` at level `option`.");

PyDoc_STRVAR(zstd_decompress_doc,
"_zstd_decompress(data, max_size, option, /)\n"
"--\n\n"
"What the frames `data` of Zstandard were made of; `option` is 0.\n\n"
"Raises:\n"
"    ValueError: these are no such frames.\n"
"    OverflowError: they were made of more than `max_size` bytes.");

static PyMethodDef codec_functions[] = {
    {"_crc32c", WITHOUT_KEYWORDS(crc32c_of), crc32c_doc},
    {"_snappy_compress", WITHOUT_KEYWORDS(snappy_compressed), snappy_compress_doc},
    {"_snappy_decompress", WITHOUT_KEYWORDS(snappy_decompressed), snappy_decompress_doc},
    {"_lz4_compress", WITHOUT_KEYWORDS(lz4_compressed), lz4_compress_doc},
    {"_lz4_decompress", WITHOUT_KEYWORDS(lz4_decompressed), lz4_decompress_doc},
    {"_zstd_compress", WITHOUT_KEYWORDS(zstd_compressed), zstd_compress_doc},
    {"_zstd_decompress", WITHOUT_KEYWORDS(zstd_decompressed), zstd_decompress_doc},
    {NULL, NULL, 0, NULL},
};

int
codec_functions_add(PyObject *module, module_state *Py_UNUSED(state))
{
    if (PyModule_AddFunctions(module, codec_functions) < 0) {
        return -1;
    }
    return record_function_add(module);
}

/*
 * The codecs as functions for confluent_kafka.protocol.records. For gzip, that module uses Python's
 * zlib.
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

/* The GIL is released from this number of bytes on: for fewer, it costs more than the work. */
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

/* Accepts bytes only: a text would have different bytes in each encoding. */
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

/* The result of a codec, or the exception for its error. */
static PyObject *
codec_result(const signature *sig, enum codec_status status, const output *out)
{
    switch (status) {
    case CODEC_OK:
        return PyBytes_FromStringAndSize((const char *)out->data, (Py_ssize_t)out->size);
    case CODEC_TOO_LARGE:
        PyErr_Format(PyExc_OverflowError, "%s: the decompressed data has more than %zu bytes",
                     sig->function, out->limit);
        return NULL;
    case CODEC_NO_MEMORY:
        return PyErr_NoMemory();
    case CODEC_UNAVAILABLE:
        PyErr_SetString(PyExc_NotImplementedError,
                        "this build has no zstd: libzstd or its headers were not found when "
                        "confluent_kafka was compiled");
        return NULL;
    default:
        PyErr_Format(PyExc_ValueError, "%s: data is not in the codec's format", sig->function);
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

/* Defines the two functions of a codec, with the options that they accept. */
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
"Return `data` compressed as a Snappy block, without framing; `option` must be 0.");

PyDoc_STRVAR(snappy_decompress_doc,
"_snappy_decompress(data, max_size, option, /)\n"
"--\n\n"
"Return the decompressed contents of `data`, a Snappy block; `option` must be 0.\n\n"
"Raises:\n"
"    ValueError: it is not such a block.\n"
"    OverflowError: the contents are larger than `max_size` bytes.");

PyDoc_STRVAR(lz4_compress_doc,
"_lz4_compress(data, option, /)\n"
"--\n\n"
"Return `data` compressed as an LZ4 frame; `option` is 1 for messages of format 0.");

PyDoc_STRVAR(lz4_decompress_doc,
"_lz4_decompress(data, max_size, option, /)\n"
"--\n\n"
"Return the decompressed contents of `data`, LZ4 frames; `option` is 1 for format 0.\n\n"
"Raises:\n"
"    ValueError: it does not consist of such frames.\n"
"    OverflowError: the contents are larger than `max_size` bytes.");

PyDoc_STRVAR(zstd_compress_doc,
"_zstd_compress(data, option, /)\n"
"--\n\n"
"Return `data` compressed as a Zstandard frame, at level `option`.");

PyDoc_STRVAR(zstd_decompress_doc,
"_zstd_decompress(data, max_size, option, /)\n"
"--\n\n"
"Return the decompressed contents of `data`, Zstandard frames; `option` must be 0.\n\n"
"Raises:\n"
"    ValueError: it does not consist of such frames.\n"
"    OverflowError: the contents are larger than `max_size` bytes.");

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

/*
 * Converts arguments from Python objects to C values. Every failure is a TypeError, ValueError or
 * OverflowError that names the argument, what was given and what is allowed.
 */
#ifndef CONFLUENT_KAFKA_BASE_ARGS_H
#define CONFLUENT_KAFKA_BASE_ARGS_H

#include "base/module_state.h"

/*
 * The parameters of a method. `parameters` lists `count` entries of enum parameter. The first
 * `required` parameters have no default. The first `positional` may be given by position.
 */
typedef struct {
    const char *function; /* its name in error texts, such as "produce()" */
    const enum parameter *parameters;
    unsigned char count, required, positional;
} signature;

/* Defines a signature `name`, with its parameters last:
   SIGNATURE(poll, "poll()", 0, 1, P_timeout). */
#define SIGNATURE(name, text, required_count, positional_count, ...)                     \
    static const enum parameter name##_parameters[] = {__VA_ARGS__};                     \
    static const signature name = {                                                      \
        text, name##_parameters,                                                         \
        (unsigned char)(sizeof(name##_parameters) / sizeof(name##_parameters[0])),       \
        required_count, positional_count}

/* Casts a METH_FASTCALL | METH_KEYWORDS function to the type in PyMethodDef. */
#define WITH_KEYWORDS(function)                                                          \
    (PyCFunction)(void (*)(void))(function), METH_FASTCALL | METH_KEYWORDS
#define WITHOUT_KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_FASTCALL

/*
 * Sorts vectorcall arguments into `values[signature->count]` (borrowed; NULL where not
 * given). Returns 0, or -1 with a TypeError.
 */
int args_parse(module_state *state, const signature *sig, PyObject *const *args,
               Py_ssize_t nargs, PyObject *kwnames, PyObject **values);

/* The same for tp_new and tp_init, which receive a tuple and a dict. */
int args_parse_tuple(module_state *state, const signature *sig, PyObject *args,
                     PyObject *kwargs, PyObject **values);

/* An int (or __index__) in [minimum, maximum]; OverflowError or ValueError outside. */
int arg_int64(PyObject *object, const char *name, int64_t minimum, int64_t maximum,
              int64_t *result);
int arg_int32(PyObject *object, const char *name, int32_t minimum, int32_t maximum,
              int32_t *result);
int arg_double(PyObject *object, const char *name, double *result); /* NaN is refused */
int arg_bool(PyObject *object, const char *name, bool *result); /* bool, or int 0 and 1 */

/* Returns a callable borrowed. None and NULL give NULL; other objects are a TypeError. */
int arg_callable(PyObject *object, const char *name, PyObject **result);
int arg_function(PyObject *object, const char *name); /* TypeError if not callable */

/*
 * UTF-8 of a str, borrowed from it and NUL-terminated; `size` may be NULL. An embedded NUL
 * and a lone surrogate are ValueErrors.
 */
const char *arg_utf8(PyObject *object, const char *name, Py_ssize_t *size);

/* Text of a value that need not be a str, see text_of_value(): new reference or NULL. */
PyObject *arg_value_text(PyObject *object, const char *name);

/* Checks for a list (or tuple) argument. -1 with a TypeError otherwise. */
int arg_list(PyObject *object, const char *name, const char *of_what);
/* The same, with confluent-kafka's error text, which programs match; ours becomes a note. */
int arg_list_or(PyObject *object, const char *name, const char *of_what, const char *text);

/* A view of str (as UTF-8), bytes, bytearray, memoryview ...; None and NULL give data NULL. */
typedef struct {
    const void *data;
    size_t size;
    Py_buffer buffer; /* buffer.obj is NULL when nothing has to be released */
} bytes_view;

int bytes_view_get(PyObject *object, const char *name, bytes_view *view);
void bytes_view_release(bytes_view *view);

/* A short repr of `object` for error texts, cut at 80 characters; new reference. */
PyObject *short_repr(PyObject *object);

#endif

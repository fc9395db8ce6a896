/*
 * Writes Python objects as Avro, but only objects that certainly fit a schema.
 */
#ifndef CONFLUENT_KAFKA_AVRO_PUT_H
#define CONFLUENT_KAFKA_AVRO_PUT_H

#include "avro/shapes.h"

enum fit {
    FITS,    /* the object fits and was written */
    DIFFERS, /* it certainly does not fit */
    UNSURE,  /* this code does not know its type: Python code decides */
    FAILED,  /* with an exception: no memory, or an interrupt */
};

typedef struct {
    const avro_shapes *schema;
    PyObject *type_hint; /* the key "-type", with which a dict may name its record */
    char *data;          /* from PyMem_Malloc(), or NULL */
    size_t size, capacity;
} avro_output;

/* Appends an object with the shape of this number. Unless the result is FITS, the bytes after the
 * old size are undefined. */
enum fit avro_put(avro_output *out, int shape, PyObject *object);

#endif

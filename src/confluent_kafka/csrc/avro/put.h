/*
 * Python objects as Avro: writes what certainly fits a schema, and nothing else.
 */
#ifndef CONFLUENT_KAFKA_AVRO_PUT_H
#define CONFLUENT_KAFKA_AVRO_PUT_H

#include "avro/shapes.h"

enum fit {
    FITS,    /* and is written */
    DIFFERS, /* certainly does not fit */
    UNSURE,  /* an object of a type that is not known here: Python decides */
    FAILED,  /* with an exception: no memory, or an interrupt */
};

typedef struct {
    const avro_shapes *schema;
    PyObject *type_hint; /* the key "-type", by which a dict may name its record */
    char *data;          /* of PyMem_Malloc(), or NULL */
    size_t size, capacity;
} avro_output;

/* Appends an object of the shape with this number. What is behind the old size is undefined
 * unless it FITS. */
enum fit avro_put(avro_output *out, int shape, PyObject *object);

#endif

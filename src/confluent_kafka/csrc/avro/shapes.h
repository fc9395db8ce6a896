/*
 * The types of an Avro schema, as confluent_kafka.schema_registry._avro_shapes describes them.
 */
#ifndef CONFLUENT_KAFKA_AVRO_SHAPES_H
#define CONFLUENT_KAFKA_AVRO_SHAPES_H

#include "base/module_state.h"

enum shape_kind {
    SHAPE_NULL,
    SHAPE_BOOLEAN,
    SHAPE_INT, /* also for long */
    SHAPE_FLOAT,
    SHAPE_DOUBLE,
    SHAPE_BYTES,
    SHAPE_STRING,
    SHAPE_FIXED,
    SHAPE_ENUM,
    SHAPE_ARRAY,
    SHAPE_MAP,
    SHAPE_RECORD,
    SHAPE_UNION,
    SHAPE_KINDS
};

/* The objects are borrowed from the description. */
typedef struct {
    enum shape_kind kind;
    PyObject *prepare; /* a logical type's function, called with the object and `schema`; or NULL */
    PyObject *schema;
    long long low, high; /* the limits of an int; `high` is also the size of a fixed */
    PyObject *names;     /* fields of a record, types of a union (tuple); symbols (dict) */
    PyObject *defaults;  /* for a record: a tuple of (default,) or None */
    int *parts;          /* the shapes of the fields, the branches, the items or the values */
    Py_ssize_t part_count;
    int closed; /* a record may not have other fields */
} avro_shape;

typedef struct {
    avro_shape *shapes; /* the first one is the schema's own */
    Py_ssize_t count;
} avro_shapes;

/* Reads a tuple of descriptions, which must outlive the shapes. 0, or -1 with an exception. */
int avro_shapes_read(avro_shapes *self, PyObject *description);
void avro_shapes_free(avro_shapes *self);

#endif

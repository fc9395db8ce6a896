/*
 * The number of a name among those of a schema.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_JSON_NAMES_H
#define CONFLUENT_KAFKA_COLUMNS_JSON_NAMES_H

#include <stdbool.h>

#include "base/module_state.h"

typedef struct {
    char *text;
    size_t size;
    bool is_plain; /* JSON does not escape any of it */
} json_name;

typedef struct {
    json_name *names;
    int32_t count;
    int32_t *slots; /* an open hash of numbers + 1; 0 is free */
    uint32_t mask;
} json_names;

/* From a tuple of str. 0, or -1 with an exception; `self` is zero before, released either way. */
int json_names_fill(json_names *self, PyObject *names);
void json_names_release(json_names *self);
/* -1: there is no such name. */
int32_t json_names_find(const json_names *self, const void *text, size_t size);

#endif

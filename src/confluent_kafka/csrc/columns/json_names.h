/*
 * Finds the number of a name among the names of a schema.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_JSON_NAMES_H
#define CONFLUENT_KAFKA_COLUMNS_JSON_NAMES_H

#include <stdbool.h>
#include <string.h>

#include "base/module_state.h"
#include "columns/words.h"

typedef struct {
    char *text; /* followed by a quote */
    size_t size;
    bool is_plain; /* JSON does not escape any of its characters */
    /* The first eight bytes of `text`, as from word_load(), and a mask of those that exist. */
    uint64_t head, head_mask;
} json_name;

typedef struct {
    json_name *names;
    int32_t count;
    int32_t *slots; /* a hash table (open addressing): the number of a name plus 1; 0 if free */
    uint32_t mask;
} json_names;

/* Reads a tuple of str. 0, or -1 with an exception. `self` must be zeroed, and released after. */
int json_names_fill(json_names *self, PyObject *names);
void json_names_release(json_names *self);
/* Whether text with `left` bytes begins with the name and a quote. */
static inline bool
json_name_is_next(const json_name *self, const uint8_t *text, size_t left)
{
    if (left <= self->size || !self->is_plain) {
        return false;
    }
    if (left < sizeof(uint64_t)) {
        return memcmp(text, self->text, self->size + 1) == 0;
    }
    return ((word_load(text) ^ self->head) & self->head_mask) == 0
           && (self->size < sizeof(uint64_t)
               || memcmp(text + sizeof(uint64_t), self->text + sizeof(uint64_t),
                         self->size + 1 - sizeof(uint64_t)) == 0);
}

/* -1: there is no such name. */
int32_t json_names_find(const json_names *self, const void *text, size_t size);

#endif

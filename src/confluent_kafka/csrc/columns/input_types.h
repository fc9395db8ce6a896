/*
 * The Arrow types of rows to encode: a tree in one array, each type before its descendants.
 * Immutable once made.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_INPUT_TYPES_H
#define CONFLUENT_KAFKA_COLUMNS_INPUT_TYPES_H

#include "arrow/column.h"
#include "base/module_state.h"

enum input_layout {
    INPUT_OTHER, /* a type that this code does not read */
    INPUT_NULLS,
    INPUT_BITS,
    INPUT_INTEGER, /* also dates, times, timestamps and durations */
    INPUT_REAL,
    INPUT_FIXED,   /* fixed-size binary, and intervals of 16 bytes */
    INPUT_DECIMAL, /* of 4, 8, 16 or 32 bytes, signed */
    INPUT_BYTES, /* binary and strings of any kind */
    INPUT_LIST,  /* also maps */
    INPUT_LIST_VIEW, /* each row has an offset and a size: in any order, and they may overlap */
    INPUT_FIXED_LIST,
    INPUT_STRUCT,
    INPUT_SPARSE_UNION,
    INPUT_DENSE_UNION,
    INPUT_DICTIONARY, /* its values are the type after it */
    INPUT_LAYOUT_COUNT,
};

/* Type ids of a union are less than this number. */
#define UNION_IDS 128

typedef struct {
    enum input_layout layout;
    arrow_format storage; /* how arrow/column.h binds it */
    int32_t items;        /* the number of items in each slot of INPUT_FIXED_LIST */
    int32_t child_count;  /* the number of direct children; 1 for INPUT_DICTIONARY */
    int32_t end;          /* one after the last type of this subtree */
    int32_t domain;       /* the first type whose rows have the same numbers as this type's rows */
    int32_t *child_of_id; /* for unions: UNION_IDS places in the tree, -1 for none; else NULL */
} input_type;

typedef struct {
    int32_t count;
    input_type types[];
} input_types;

/* How deep types may be nested: the functions that walk the tree are recursive. */
#define INPUT_DEPTH_LIMIT 64

/*
 * Describes a type in Python: (format, name, children, dictionary, words, extension). `format` is
 * in the notation of the Arrow C data interface; `dictionary` is the values' type or None; `words`
 * is the type in words, for error texts; `extension` is the name of an extension type or None. NULL
 * with an exception; `argument` is the name of the argument that has the type.
 */
PyObject *input_types_describe(const struct ArrowSchema *schema, const char *argument);
/* Reads such a description; NULL with an exception. */
input_types *input_types_from(PyObject *description);
void input_types_free(input_types *types); /* NULL does nothing */

#endif

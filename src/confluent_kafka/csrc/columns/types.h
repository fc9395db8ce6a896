/*
 * The Arrow types of columns: a tree in one array, each type before its children. Immutable once
 * made, and shared by reference count.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_TYPES_H
#define CONFLUENT_KAFKA_COLUMNS_TYPES_H

#include "arrow/abi.h"
#include "base/module_state.h"

enum column_layout {
    COLUMN_NULLS,  /* only a length */
    COLUMN_BITS,   /* booleans */
    COLUMN_FIXED,  /* `width` bytes a slot */
    COLUMN_BYTES,  /* int32 offsets into bytes: binary and string */
    COLUMN_LIST,   /* int32 offsets into its one child: list and map */
    COLUMN_STRUCT,
    COLUMN_UNION,  /* sparse: a type id a slot, and a slot in every child */
};

typedef struct {
    enum column_layout layout;
    int32_t width;       /* for COLUMN_FIXED, in bytes */
    int32_t parent;      /* -1: this is the root */
    int32_t end;         /* one after the last type of this subtree */
    int32_t child_count; /* the number of direct children */
    int64_t flags;       /* ARROW_FLAG_... */
    char *format, *name;
    char *metadata;      /* in the encoding of the C data interface, or NULL */
    /* For a dictionary: its values, strings to which the slots are indices; or NULL. */
    int32_t *symbol_offsets;
    char *symbols;
    int32_t symbol_count;
} column_type;

typedef struct {
    _Atomic int references;
    int32_t count;
    column_type types[];
} column_types;

/* How deep types may be nested: the functions that walk the tree are recursive. */
#define COLUMN_DEPTH_LIMIT 64
/* The maximum number of types: tuples that share their children can stand for any number. */
#define COLUMN_COUNT_LIMIT 1000000
/* The maximum number of branches in a union: their type ids are int8. */
#define COLUMN_BRANCH_LIMIT 128

/*
 * Reads the description of the root, a struct: (format, name, nullable, children, metadata,
 * symbols), as confluent_kafka.columns makes it. Readers of the columns rely on everything in it,
 * so everything is checked. NULL with an exception.
 */
column_types *column_types_from(PyObject *description);
column_types *column_types_share(column_types *types);
/* Whether programs for columns of one can fill columns of the other. */
bool column_types_equal(const column_types *one, const column_types *other);
void column_types_release(column_types *types); /* from any thread; NULL does nothing */

#endif

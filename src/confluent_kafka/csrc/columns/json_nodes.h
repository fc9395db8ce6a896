/*
 * Programs that read JSON into columns: a tree of nodes, which confluent_kafka.columns makes from a
 * schema.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_JSON_NODES_H
#define CONFLUENT_KAFKA_COLUMNS_JSON_NODES_H

#include "columns/json_text.h"
#include "columns/json_names.h"
#include "columns/row_format.h"

typedef struct json_node json_node;

/* A bad value, which is an error unless its key occurs again. */
typedef struct {
    row_failure failure;
    int64_t place; /* the number of its field, or the index of an entry in a map */
} json_pending;

/* The state while one row is read. */
typedef struct {
    json_text text;
    columns *set;
    row_failure *failure;
    enum row_status status; /* the status of a reader that returned false */
    uint8_t *scratch;       /* from malloc(): a string after its escapes were resolved */
    size_t scratch_size;
    json_pending *pending;  /* from malloc(): values of outer objects come first */
    size_t pending_count, pending_room;
} json_machine;

/* Reads a value, from its first byte, into the node's column. False with `status` set. */
typedef bool json_reader(json_machine *machine, const json_node *node);

enum json_flags {
    JSON_NULLABLE = 1,
    JSON_EPOCH = 2,           /* times may be numbers */
    JSON_ZONED = 4,           /* timestamps have an offset */
    JSON_NO_MISSING = 8,      /* for objects: no field may be missing, */
    JSON_NO_EXTRA = 16,       /* no other field may be there, */
    JSON_NO_DUPLICATES = 32,  /* and none may occur twice; also for maps */
};

struct json_node {
    json_reader *read;
    int32_t column;
    uint32_t flags;
    int32_t argument;    /* digits: of a decimal's precision, or of a second's fraction */
    int32_t scale;       /* the scale of a decimal */
    char *field;         /* its path, for error texts */
    json_names names;    /* the fields of an object, or the values of a dictionary */
    /* For an object: a node for each name, NULL if it is not read. Otherwise: the node of items. */
    json_node **children;
    int32_t child_count;
    int32_t present_count; /* the number of children that are not NULL */
};

static inline column *
json_column(json_machine *machine, const json_node *node)
{
    return &machine->set->columns[node->column];
}

/* Records what is wrong with the payload, and where; returns false. */
bool json_fail(json_machine *machine, const json_node *node, const char *reason);
/* False, with the reason, unless a value was put. */
bool json_put(json_machine *machine, enum build_status status);
/* Puts a null; fails if null is not allowed. */
bool json_put_null(json_machine *machine, const json_node *node);

/* Reserves scratch memory; false with `status` set. */
bool json_need_scratch(json_machine *machine, size_t size);
/* Reads a string from its quote on and resolves its escapes; valid until the next call. */
bool json_read_characters(json_machine *machine, const json_node *node, json_string *string);

/* Reads a value and the white space before it. */
static inline bool
json_read_value(json_machine *machine, const json_node *node)
{
    json_skip_space(&machine->text);
    if (machine->text.at == machine->text.end) {
        return json_fail(machine, node, json_ends_early);
    }
    if (*machine->text.at == 'n' && json_take_word(&machine->text, "null", 4)) {
        return json_put_null(machine, node);
    }
    return node->read(machine, node);
}

/* A kind of node: its reader, and the column that it requires. */
typedef struct {
    const char *name;
    json_reader *read;
    enum column_layout layout;
    int32_t width; /* the width of a COLUMN_FIXED; 0: any */
} json_node_kind;

/* Kinds without columns below them; the last one has no name. */
extern const json_node_kind json_value_kinds[];
/* Kinds with columns below them: "object", "array", "map", and "row" for the only column. */
extern const json_node_kind json_nested_kinds[];

#endif

/*
 * Programs that read JSON into columns: a tree of what to read where, which confluent_kafka.columns
 * makes from a schema.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_JSON_NODES_H
#define CONFLUENT_KAFKA_COLUMNS_JSON_NODES_H

#include "columns/json_text.h"
#include "columns/json_names.h"
#include "columns/row_format.h"

typedef struct json_node json_node;

/* A value that is bad, unless its key comes again. */
typedef struct {
    row_failure failure;
    int64_t place; /* the number of its field, or the entry of a map */
} json_pending;

/* One row while it is read. */
typedef struct {
    json_text text;
    columns *set;
    row_failure *failure;
    enum row_status status; /* of a reader that gave false */
    uint8_t *scratch;       /* of malloc(): a string that is not as the payload has it */
    size_t scratch_size;
    json_pending *pending;  /* of malloc(): those of outer objects first */
    size_t pending_count, pending_room;
} json_machine;

/* Reads a value, at its first byte, into the node's column. False with `status` set. */
typedef bool json_reader(json_machine *machine, const json_node *node);

enum json_flags {
    JSON_NULLABLE = 1,
    JSON_EPOCH = 2,           /* times may be numbers */
    JSON_ZONED = 4,           /* timestamps have an offset */
    JSON_NO_MISSING = 8,      /* of an object: every field must be there, */
    JSON_NO_EXTRA = 16,       /* no other, */
    JSON_NO_DUPLICATES = 32,  /* and none twice; this one also of maps */
};

struct json_node {
    json_reader *read;
    int32_t column;
    uint32_t flags;
    int32_t argument;    /* digits: of a decimal's precision, or of fractions of a second */
    int32_t scale;       /* of a decimal */
    char *field;         /* its path, for messages */
    json_names names;    /* of an object's fields, or of a dictionary's values */
    json_node **children; /* one for each name; NULL: nobody asked for it. Else what is within. */
    int32_t child_count;
    int32_t present_count; /* children that are there */
};

static inline column *
json_column(json_machine *machine, const json_node *node)
{
    return &machine->set->columns[node->column];
}

/* Says what is wrong with the payload, at the place where it was found; false. */
bool json_fail(json_machine *machine, const json_node *node, const char *reason);
/* False, with the reason, unless a value has been put. */
bool json_put(json_machine *machine, enum build_status status);
/* Fails for one that may not be null. */
bool json_put_null(json_machine *machine, const json_node *node);

/* So much of the scratch; false with `status` set. */
bool json_need_scratch(json_machine *machine, size_t size);
/* A string at its quote, with its escapes resolved: good until the next one is read. */
bool json_read_characters(json_machine *machine, const json_node *node, json_string *string);

/* A value with the space before it. */
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

/* What nodes of one name read, and what they need. */
typedef struct {
    const char *name;
    json_reader *read;
    enum column_layout layout;
    int32_t width; /* of a COLUMN_FIXED; 0: of any */
} json_node_kind;

/* Without columns below them; the last has no name. */
extern const json_node_kind json_value_kinds[];
/* With them: "object", "array", "map", and "row", whose one column has the payload's value. */
extern const json_node_kind json_nested_kinds[];

#endif

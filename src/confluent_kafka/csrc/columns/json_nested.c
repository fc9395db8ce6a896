#include <stdlib.h>

#include "columns/json_nodes.h"

typedef json_machine machine;
typedef const json_node node;

/* ---- objects ---- */

enum { KEY_FAILED = -2, KEY_UNKNOWN = -1 };

/* The number of a field by the characters of its key. */
static int32_t
find_key(machine *self, node *of)
{
    const uint8_t *start = self->text.at;
    json_string key;
    if (!json_read_characters(self, of, &key)) {
        return KEY_FAILED;
    }
    int32_t number = json_names_find(&of->names, key.data, key.size);
    if (number == KEY_UNKNOWN && (of->flags & JSON_NO_EXTRA)) {
        self->text.at = start;
        json_fail(self, of, "a field that the schema does not have");
        return KEY_FAILED;
    }
    return number;
}

/* Fails for what is there instead of a quote or a colon; at the end, it is cut off. */
static bool
fail_there(machine *self, node *of, const uint8_t *at, const char *reason)
{
    self->text.at = at;
    return json_fail(self, of, at == self->text.end ? json_ends_early : reason);
}

/* Goes to the quote of the next key. */
static inline bool
at_key(machine *self, node *of)
{
    const uint8_t *at = json_after_space(self->text.at, self->text.end);
    self->text.at = at;
    return (at < self->text.end && *at == '"')
           || fail_there(self, of, at, "an object without a key");
}

/* Goes to the value of a key, after the colon. */
static inline bool
take_colon(machine *self, node *of, const uint8_t *at)
{
    const uint8_t *end = self->text.end;
    at = json_after_space(at, end);
    if (at == end || *at != ':') {
        return fail_there(self, of, at, "a key without a colon after it");
    }
    self->text.at = json_after_space(at + 1, end);
    return true;
}

/* The number of the field whose key comes next, which is `expected` most of the time. */
static inline int32_t
read_key(machine *self, node *of, int32_t expected)
{
    if (!at_key(self, of)) {
        return KEY_FAILED;
    }
    const uint8_t *after_quote = self->text.at + 1;
    const json_name *name = &of->names.names[expected];
    if (expected < of->names.count
        && json_name_is_next(name, after_quote, (size_t)(self->text.end - after_quote))) {
        return take_colon(self, of, after_quote + name->size + 1) ? expected : KEY_FAILED;
    }
    int32_t number = find_key(self, of);
    return number != KEY_FAILED && take_colon(self, of, self->text.at) ? number : KEY_FAILED;
}

/* The value of a key that no column takes. */
static bool
skip_field(machine *self, node *of)
{
    const char *problem = json_skip_value(&self->text);
    return problem == NULL || json_fail(self, of, problem);
}

/* The value of a column whose object is to be in `slot`. */
static bool
read_field(machine *self, node *of, node *field, int64_t slot, int32_t *seen)
{
    if (json_column(self, field)->length == slot) {
        ++*seen;
        return json_read_value(self, field);
    }
    if (of->flags & JSON_NO_DUPLICATES) {
        return json_fail(self, field, "a field that is there twice");
    }
    columns_truncate_column(self->set, field->column, slot);
    return json_read_value(self, field);
}

static bool
put_missing(machine *self, node *of, int64_t slot)
{
    for (int32_t i = 0; i < of->child_count; i++) {
        node *field = of->children[i];
        if (field == NULL || json_column(self, field)->length > slot) {
            continue;
        }
        if ((of->flags & JSON_NO_MISSING) || !(field->flags & JSON_NULLABLE)) {
            return json_fail(self, field, "a field that is missing");
        }
        if (!json_put(self, columns_put_null(self->set, field->column))) {
            return false;
        }
    }
    return true;
}

/* What comes after a value of an object or an array: true if it is another one. */
static inline bool
goes_on(machine *self, node *of, uint8_t closing, bool *is_good)
{
    const uint8_t *at = json_after_space(self->text.at, self->text.end);
    uint8_t byte = at < self->text.end ? *at : '\0';
    *is_good = byte == closing;
    if (*is_good || byte == ',') {
        self->text.at = at + 1;
        return byte == ',';
    }
    return fail_there(self, of, at, "neither a comma nor the end");
}

static bool
read_object(machine *self, node *of)
{
    column *to = json_column(self, of);
    int64_t slot = to->length;
    int32_t expected = 0, seen = 0;
    if (!json_take(&self->text, '{')) {
        return json_fail(self, of, "not an object");
    }
    json_skip_space(&self->text);
    bool is_good = json_take(&self->text, '}');
    if (!is_good) {
        do {
            int32_t number = read_key(self, of, expected);
            if (number == KEY_FAILED) {
                return false;
            }
            node *field = number == KEY_UNKNOWN ? NULL : of->children[number];
            expected = number == KEY_UNKNOWN ? expected : number + 1;
            if (!(field == NULL ? skip_field(self, of)
                                : read_field(self, of, field, slot, &seen))) {
                return false;
            }
        } while (goes_on(self, of, '}', &is_good));
    }
    if (!is_good || (seen < of->present_count && !put_missing(self, of, slot))) {
        return false;
    }
    return json_put(self, column_put_slot(to));
}

/* The only column has the value itself. */
static bool
read_row(machine *self, node *of)
{
    return json_read_value(self, of->children[0])
           && json_put(self, column_put_slot(json_column(self, of)));
}

/* ---- arrays ---- */

static bool
read_array(machine *self, node *of)
{
    if (!json_take(&self->text, '[')) {
        return json_fail(self, of, "not an array");
    }
    json_skip_space(&self->text);
    bool is_good = json_take(&self->text, ']');
    if (!is_good) {
        do {
            if (!json_read_value(self, of->children[0])) {
                return false;
            }
        } while (goes_on(self, of, ']', &is_good));
    }
    column *list = json_column(self, of);
    return is_good && json_put(self, column_put_list(list, list + 1));
}

/* ---- maps ---- */

/* The columns of a map come one after the other: it, its entries, their keys, their values. */
enum { MAP_ENTRIES = 1, MAP_KEYS = 2 };

static bool
read_map_key(machine *self, node *of)
{
    json_string key;
    if (!at_key(self, of) || !json_read_characters(self, of, &key)) {
        return false;
    }
    column *keys = json_column(self, of) + MAP_KEYS;
    return json_put(self, column_put_bytes(keys, key.data, (int64_t)key.size))
           && take_colon(self, of, self->text.at);
}

typedef struct {
    const uint8_t *text;
    size_t size;
} map_key;

static int
compare_keys(const void *a, const void *b)
{
    const map_key *left = a, *right = b;
    if (left->size != right->size) {
        return left->size < right->size ? -1 : 1;
    }
    return memcmp(left->text, right->text, left->size);
}

/* Whether no key of the map that is not put yet is there twice. */
static bool
has_unique_keys(machine *self, node *of)
{
    const column *map = json_column(self, of), *keys = map + MAP_KEYS;
    int64_t from = map->offsets[map->length], count = keys->length - from;
    if (count < 2) {
        return true;
    }
    map_key *sorted = malloc((size_t)count * sizeof(map_key));
    if (sorted == NULL) {
        self->status = ROW_NO_MEMORY;
        return false;
    }
    for (int64_t i = 0; i < count; i++) {
        int32_t start = keys->offsets[from + i];
        sorted[i] = (map_key){keys->bytes + start, (size_t)(keys->offsets[from + i + 1] - start)};
    }
    qsort(sorted, (size_t)count, sizeof(map_key), compare_keys);
    bool is_unique = true;
    for (int64_t i = 1; i < count; i++) {
        is_unique = is_unique && compare_keys(&sorted[i - 1], &sorted[i]) != 0;
    }
    free(sorted);
    return is_unique || json_fail(self, of, "a key that is there twice");
}

static bool
read_map(machine *self, node *of)
{
    column *map = json_column(self, of), *entries = map + MAP_ENTRIES;
    if (!json_take(&self->text, '{')) {
        return json_fail(self, of, "not an object");
    }
    json_skip_space(&self->text);
    bool is_good = json_take(&self->text, '}');
    if (!is_good) {
        do {
            if (!read_map_key(self, of) || !json_read_value(self, of->children[0])
                || !json_put(self, column_put_slot(entries))) {
                return false;
            }
        } while (goes_on(self, of, '}', &is_good));
    }
    if (!is_good || ((of->flags & JSON_NO_DUPLICATES) && !has_unique_keys(self, of))) {
        return false;
    }
    return json_put(self, column_put_list(map, entries));
}

const json_node_kind json_nested_kinds[] = {
    {"object", read_object, COLUMN_STRUCT, 0},
    {"row", read_row, COLUMN_STRUCT, 0},
    {"array", read_array, COLUMN_LIST, 0},
    {"map", read_map, COLUMN_LIST, 0},
    {NULL, NULL, COLUMN_NULLS, 0},
};

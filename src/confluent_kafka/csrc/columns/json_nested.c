#include <stdlib.h>

#include "columns/json_nodes.h"
#include "columns/keep.h"

typedef json_machine machine;
typedef const json_node node;

/*
 * ---- keys that occur twice ----
 *
 * The last value is used, whatever the earlier values are. So a bad value is skipped and remembered
 * until the object ends without another value for its key.
 */

static bool
remember(machine *self, row_failure failure, int64_t place)
{
    if (self->pending_count == self->pending_room) {
        size_t room = self->pending_room * 2 + 8;
        json_pending *larger = realloc(self->pending, room * sizeof(*larger));
        if (larger == NULL) {
            self->status = ROW_NO_MEMORY;
            return false;
        }
        self->pending = larger;
        self->pending_room = room;
    }
    self->pending[self->pending_count++] = (json_pending){failure, place};
    return true;
}

/* Skips the bad value that began at `start`; false if it cannot be skipped: the row is bad. */
static bool
put_aside(machine *self, node *of, const uint8_t *start, int64_t place)
{
    if (self->status != ROW_BAD || (of->flags & JSON_NO_DUPLICATES)) {
        return false;
    }
    self->text.at = start;
    if (json_skip_value(&self->text) != NULL) {
        return false;
    }
    self->status = ROW_OK;
    return remember(self, *self->failure, place);
}

/* At the end of an object: fails if one of its bad values was not replaced by a good one. The bad
 * values begin at `from` in the list of pending values. */
static bool
settle(machine *self, size_t from, bool is_done)
{
    bool is_bad = self->pending_count > from && (is_done || self->status == ROW_BAD);
    if (is_bad) {
        *self->failure = self->pending[from].failure;
        self->status = ROW_BAD;
    }
    self->pending_count = from;
    return is_done && !is_bad;
}

/* ---- objects ---- */

enum { KEY_FAILED = -2, KEY_UNKNOWN = -1 };

/* The number of the field with this key. */
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

/* Fails at a byte other than a quote or a colon; at the end of the payload, it is cut off. */
static bool
fail_there(machine *self, node *of, const uint8_t *at, const char *reason)
{
    self->text.at = at;
    return json_fail(self, of, at == self->text.end ? json_ends_early : reason);
}

/* Moves to the quote of the next key. */
static inline bool
at_key(machine *self, node *of)
{
    const uint8_t *at = json_after_space(self->text.at, self->text.end);
    self->text.at = at;
    return (at < self->text.end && *at == '"')
           || fail_there(self, of, at, "an object without a key");
}

/* Moves to the value of a key, after the colon. */
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

/* The number of the field with the next key, which is `expected` most of the time. */
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

/* Reads the value of a key that no column takes. */
static bool
skip_field(machine *self, node *of)
{
    const char *problem = json_skip_value(&self->text);
    return problem == NULL || json_fail(self, of, problem);
}

/* The state of an object while its members are read. */
typedef struct {
    node *of;
    int64_t slot;    /* the slot of the object */
    int32_t seen;    /* the number of columns that have a value */
    size_t pending;  /* pending values of the machine before this index belong to outer objects */
} open_object;

/* Reads the value of field `number`, which a column takes. */
static bool
read_field(machine *self, open_object *object, int32_t number)
{
    node *of = object->of, *field = of->children[number];
    const uint8_t *start = self->text.at;
    if (json_column(self, field)->length == object->slot) {
        object->seen++;
    }
    else if (of->flags & JSON_NO_DUPLICATES) {
        return json_fail(self, field, "a field that occurs twice");
    }
    else {
        columns_truncate_column(self->set, field->column, object->slot);
    }
    if (json_read_value(self, field)) {
        return true;
    }
    object->seen--;
    columns_truncate_column(self->set, field->column, object->slot);
    return put_aside(self, of, start, number);
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

/* Reads the byte after a value in an object or array: true if another value follows. */
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
read_members(machine *self, open_object *object)
{
    node *of = object->of;
    int32_t expected = 0;
    json_skip_space(&self->text);
    bool is_good = json_take(&self->text, '}');
    if (!is_good) {
        do {
            int32_t number = read_key(self, of, expected);
            if (number == KEY_FAILED) {
                return false;
            }
            bool is_wanted = number != KEY_UNKNOWN && of->children[number] != NULL;
            expected = number == KEY_UNKNOWN ? expected : number + 1;
            if (!(is_wanted ? read_field(self, object, number) : skip_field(self, of))) {
                return false;
            }
        } while (goes_on(self, of, '}', &is_good));
    }
    return is_good;
}

/* Removes the pending bad values of fields that now have a value. */
static void
forget_replaced(machine *self, const open_object *object)
{
    size_t kept = object->pending;
    for (size_t i = kept; i < self->pending_count; i++) {
        node *field = object->of->children[self->pending[i].place];
        if (json_column(self, field)->length == object->slot) {
            self->pending[kept++] = self->pending[i];
        }
    }
    self->pending_count = kept;
}

static bool
read_object(machine *self, node *of)
{
    column *to = json_column(self, of);
    open_object object = {of, to->length, 0, self->pending_count};
    if (!json_take(&self->text, '{')) {
        return json_fail(self, of, "not an object");
    }
    bool is_done = read_members(self, &object);
    if (self->pending_count > object.pending) {
        forget_replaced(self, &object);
        is_done = settle(self, object.pending, is_done);
    }
    if (!is_done
        || (object.seen < of->present_count && !put_missing(self, of, object.slot))) {
        return false;
    }
    return json_put(self, column_put_slot(to));
}

/* Reads the whole payload into the only column. */
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

/* The columns of a map are consecutive: the map, its entries, their keys, their values. */
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

/* Whether no key occurs twice in the map that is being read. */
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
    return is_unique || json_fail(self, of, "a key that occurs twice");
}

/* Reads one key and its value. A bad value is null until all keys have been read. */
static bool
read_entry(machine *self, node *of)
{
    column *entries = json_column(self, of) + MAP_ENTRIES;
    node *value = of->children[0];
    if (!read_map_key(self, of)) {
        return false;
    }
    const uint8_t *start = self->text.at;
    if (!json_read_value(self, value)) {
        columns_truncate_column(self->set, value->column, entries->length);
        if (!put_aside(self, of, start, entries->length)
            || !json_put(self, columns_put_null(self->set, value->column))) {
            return false;
        }
    }
    return json_put(self, column_put_slot(entries));
}

/* Keeps the last entry of each key, and forgets the bad values of all other entries. The map's bad
 * values begin at `from` in the list of pending values. */
static bool
keep_last(machine *self, node *of, size_t from)
{
    size_t count = self->pending_count - from;
    if (count == 0) {
        return json_put(self, columns_keep_last_keys(self->set, of->column, NULL));
    }
    watched_entries bad = {malloc(count * sizeof(int64_t)), count};
    if (bad.places == NULL) {
        return json_put(self, BUILD_NO_MEMORY);
    }
    for (size_t i = 0; i < count; i++) {
        bad.places[i] = self->pending[from + i].place;
    }
    bool is_done = json_put(self, columns_keep_last_keys(self->set, of->column, &bad));
    for (size_t i = 0, stayed = 0; i < count; i++) {
        json_pending *one = &self->pending[from + i];
        if (stayed < bad.count && one->place == bad.places[stayed]) {
            self->pending[from + stayed++] = *one;
        }
    }
    self->pending_count = from + bad.count;
    free(bad.places);
    return is_done;
}

static bool
read_entries(machine *self, node *of)
{
    json_skip_space(&self->text);
    bool is_good = json_take(&self->text, '}');
    if (!is_good) {
        do {
            if (!read_entry(self, of)) {
                return false;
            }
        } while (goes_on(self, of, '}', &is_good));
    }
    return is_good;
}

static bool
read_map(machine *self, node *of)
{
    column *map = json_column(self, of), *entries = map + MAP_ENTRIES;
    size_t pending = self->pending_count;
    if (!json_take(&self->text, '{')) {
        return json_fail(self, of, "not an object");
    }
    bool is_done = read_entries(self, of)
                   && (of->flags & JSON_NO_DUPLICATES ? has_unique_keys(self, of)
                                                      : keep_last(self, of, pending));
    return settle(self, pending, is_done) && json_put(self, column_put_list(map, entries));
}

const json_node_kind json_nested_kinds[] = {
    {"object", read_object, COLUMN_STRUCT, 0},
    {"row", read_row, COLUMN_STRUCT, 0},
    {"array", read_array, COLUMN_LIST, 0},
    {"map", read_map, COLUMN_LIST, 0},
    {NULL, NULL, COLUMN_NULLS, 0},
};

#include "columns/keep.h"
#include "columns/last_keys.h"

#include <stdlib.h>

/* ---- removing some slots ---- */

/* The places of the slots that stay, in ascending order. */
typedef struct {
    int64_t first; /* the first slot of all */
    int64_t count;
    int64_t *places;
} kept_slots;

static enum build_status keep(columns *set, int32_t index, const kept_slots *kept);

static bool
get_bit(const uint8_t *bits, int64_t index)
{
    return bits[index >> 3] >> (index & 7) & 1;
}

static void
keep_bits(uint8_t *bits, const kept_slots *kept)
{
    for (int64_t i = 0; i < kept->count; i++) {
        set_bit(bits, kept->first + i, get_bit(bits, kept->places[i]));
    }
}

static void
keep_fixed(column *self, const kept_slots *kept)
{
    size_t width = (size_t)self->width;
    for (int64_t i = 0; i < kept->count; i++) {
        memmove(self->slots + (size_t)(kept->first + i) * width,
                self->slots + (size_t)kept->places[i] * width, width);
    }
}

static void
keep_type_ids(column *self, const kept_slots *kept)
{
    for (int64_t i = 0; i < kept->count; i++) {
        self->slots[kept->first + i] = self->slots[kept->places[i]];
    }
}

/* Offsets and bytes move towards the start, so that unread data is not overwritten. */
static void
keep_bytes(column *self, const kept_slots *kept)
{
    self->size = self->offsets[kept->first];
    for (int64_t i = 0; i < kept->count; i++) {
        int32_t start = self->offsets[kept->places[i]];
        int32_t size = self->offsets[kept->places[i] + 1] - start;
        memmove(self->bytes + self->size, self->bytes + start, (size_t)size);
        self->size += size;
        self->offsets[kept->first + i + 1] = (int32_t)self->size;
    }
}

static enum build_status
keep_lists(columns *set, int32_t index, const kept_slots *kept)
{
    column *self = &set->columns[index];
    int64_t from = self->offsets[kept->first];
    int64_t items = self->offsets[self->length] - from;
    kept_slots inner = {from, 0, malloc(((size_t)items + 1) * sizeof(int64_t))};
    if (inner.places == NULL) {
        return BUILD_NO_MEMORY;
    }
    for (int64_t i = 0; i < kept->count; i++) {
        int32_t end = self->offsets[kept->places[i] + 1];
        for (int32_t item = self->offsets[kept->places[i]]; item < end; item++) {
            inner.places[inner.count++] = item;
        }
        self->offsets[kept->first + i + 1] = (int32_t)(from + inner.count);
    }
    enum build_status status = keep(set, index + 1, &inner);
    free(inner.places);
    return status;
}

static enum build_status
keep_children(columns *set, int32_t index, const kept_slots *kept)
{
    enum build_status status = BUILD_OK;
    int32_t end = set->types->types[index].end;
    for (int32_t i = index + 1; status == BUILD_OK && i < end; i = set->types->types[i].end) {
        status = keep(set, i, kept);
    }
    return status;
}

/* Removes slots of a column and its descendants. */
static enum build_status
keep(columns *set, int32_t index, const kept_slots *kept)
{
    column *self = &set->columns[index];
    enum build_status status = BUILD_OK;
    if (self->validity != NULL) {
        keep_bits(self->validity, kept);
    }
    switch (self->layout) {
    case COLUMN_BITS:
        keep_bits(self->slots, kept);
        break;
    case COLUMN_FIXED:
        keep_fixed(self, kept);
        break;
    case COLUMN_BYTES:
        keep_bytes(self, kept);
        break;
    case COLUMN_LIST:
        status = keep_lists(set, index, kept);
        break;
    case COLUMN_UNION:
        keep_type_ids(self, kept);
        status = keep_children(set, index, kept);
        break;
    default:
        status = keep_children(set, index, kept);
    }
    self->length = kept->first + kept->count;
    return status;
}

/* ---- the keys of a map ---- */

static void
read_keys(const column *keys, int64_t first, size_t count, keyed_entry *entries)
{
    static const uint8_t booleans[2] = {0, 1};
    for (size_t i = 0; i < count; i++) {
        int64_t place = first + (int64_t)i;
        if (keys->layout == COLUMN_BYTES) {
            entries[i].key = keys->bytes + keys->offsets[place];
            entries[i].size = (size_t)(keys->offsets[place + 1] - keys->offsets[place]);
        }
        else if (keys->layout == COLUMN_BITS) {
            entries[i].key = &booleans[get_bit(keys->slots, place)];
            entries[i].size = 1;
        }
        else {
            entries[i].key = keys->slots + place * keys->width;
            entries[i].size = (size_t)keys->width;
        }
    }
}

static enum build_status
keep_marked(columns *set, int32_t index, int64_t first, const keyed_entry *entries,
            size_t count)
{
    kept_slots kept = {first, 0, malloc(count * sizeof(int64_t))};
    if (kept.places == NULL) {
        return BUILD_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        if (!entries[i].is_replaced) {
            kept.places[kept.count++] = first + (int64_t)i;
        }
    }
    enum build_status status = keep(set, index, &kept);
    free(kept.places);
    return status;
}

/* Keeps those watched places whose entries stay. */
static void
keep_watched(watched_entries *watched, int64_t first, const keyed_entry *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < watched->count; i++) {
        if (!entries[watched->places[i] - first].is_replaced) {
            watched->places[count++] = watched->places[i];
        }
    }
    watched->count = count;
}

/* For so few texts, each is compared with each, without sorting. */
#define FEW_TEXTS 8

static bool
texts_differ(const column *keys, int64_t first)
{
    const int32_t *offsets = keys->offsets + first;
    int64_t count = keys->length - first;
    for (int64_t i = 1; i < count; i++) {
        int32_t size = offsets[i + 1] - offsets[i];
        for (int64_t j = 0; j < i; j++) {
            if (offsets[j + 1] - offsets[j] == size
                && (size == 0
                    || memcmp(keys->bytes + offsets[j], keys->bytes + offsets[i], (size_t)size)
                           == 0)) {
                return false;
            }
        }
    }
    return true;
}

enum build_status
columns_keep_last_keys(columns *set, int32_t index, watched_entries *watched)
{
    const column *map = &set->columns[index], *keys = map + 2;
    int64_t first = map->offsets[map->length];
    size_t count = (size_t)(map[1].length - first);
    if (count < 2
        || (keys->layout == COLUMN_BYTES && count <= FEW_TEXTS && texts_differ(keys, first))) {
        return BUILD_OK;
    }
    if (!columns_below_are_whole(set, index + 1)) {
        return BUILD_OK; /* a program that columns_are_whole() will refuse */
    }
    keyed_entry few[16];
    keyed_entry *entries = count <= 16 ? few : malloc(count * sizeof(*entries));
    if (entries == NULL) {
        return BUILD_NO_MEMORY;
    }
    read_keys(keys, first, count, entries);
    size_t replaced;
    enum build_status status =
        mark_replaced(entries, count, &replaced) < 0 ? BUILD_NO_MEMORY : BUILD_OK;
    if (status == BUILD_OK && watched != NULL) {
        keep_watched(watched, first, entries);
    }
    if (status == BUILD_OK && replaced > 0) {
        status = keep_marked(set, index + 1, first, entries, count);
    }
    if (entries != few) {
        free(entries);
    }
    return status;
}

#include "arrow/column.h"

#include <stdlib.h>
#include <string.h>

/* The longer string comes first if one format string is the beginning of another. */
static const struct {
    const char *prefix, *words;
} format_words[] = {
    {"vz", "binary_view"}, {"vu", "string_view"},
    {"tdD", "date32"}, {"tdm", "date64"},
    {"tts", "time32[s]"}, {"ttm", "time32[ms]"},
    {"ttu", "time64[us]"}, {"ttn", "time64[ns]"},
    {"tss", "timestamp[s]"}, {"tsm", "timestamp[ms]"}, {"tsu", "timestamp[us]"},
    {"tsn", "timestamp[ns]"}, {"tD", "duration"}, {"ti", "interval"},
    {"+vl", "list_view"}, {"+vL", "large_list_view"},
    {"+l", "list"}, {"+L", "large_list"},
    {"+w", "fixed_size_list"}, {"+s", "struct"}, {"+m", "map"}, {"+u", "union"},
    {"+r", "run_end_encoded"}, {"w:", "fixed_size_binary"}, {"d:", "decimal"},
    {"n", "null"}, {"b", "bool"}, {"c", "int8"}, {"C", "uint8"}, {"s", "int16"},
    {"S", "uint16"}, {"i", "int32"}, {"I", "uint32"}, {"l", "int64"}, {"L", "uint64"},
    {"e", "float16"}, {"f", "float32"}, {"g", "float64"},
    {"z", "binary"}, {"Z", "large_binary"}, {"u", "string"}, {"U", "large_string"},
};

const char *
arrow_format_words(const char *format)
{
    for (size_t i = 0; i < sizeof(format_words) / sizeof(format_words[0]); i++) {
        const char *prefix = format_words[i].prefix;
        if (strncmp(format, prefix, strlen(prefix)) == 0) {
            return format_words[i].words;
        }
    }
    return "an unknown type";
}

static arrow_format
parse_timestamp(char unit)
{
    arrow_format result = {.layout = ARROW_INTEGER, .width = 8, .is_signed = true,
                           .is_timestamp = true, .multiply = 1, .divide = 1};
    switch (unit) {
    case 's':
        result.multiply = 1000;
        break;
    case 'm':
        break;
    case 'u':
        result.divide = 1000;
        break;
    case 'n':
        result.divide = 1000000;
        break;
    default:
        result.layout = ARROW_OTHER;
    }
    return result;
}

static arrow_format
parse_letter(char letter)
{
    static const char integers[] = "cCsSiIlL";
    const char *integer = strchr(integers, letter);
    if (integer != NULL) {
        int index = (int)(integer - integers);
        return (arrow_format){.layout = ARROW_INTEGER, .width = 1 << (index / 2),
                              .is_signed = index % 2 == 0, .multiply = 1, .divide = 1};
    }
    switch (letter) {
    case 'n':
        return (arrow_format){.layout = ARROW_NULLS};
    case 'z':
    case 'u':
        return (arrow_format){.layout = ARROW_BYTES, .width = 4,
                              .is_text = letter == 'u'};
    case 'Z':
    case 'U':
        return (arrow_format){.layout = ARROW_BYTES, .width = 8,
                              .is_text = letter == 'U'};
    default:
        return (arrow_format){.layout = ARROW_OTHER};
    }
}

static arrow_format
parse_fixed(const char *digits)
{
    char *end;
    long width = strtol(digits, &end, 10);
    if (end == digits || *end != '\0' || width < 0 || width > INT32_MAX) {
        return (arrow_format){.layout = ARROW_OTHER};
    }
    return (arrow_format){.layout = ARROW_FIXED, .width = (int32_t)width};
}

arrow_format
arrow_format_parse(const char *format)
{
    if (format[0] != '\0' && format[1] == '\0') {
        return parse_letter(format[0]);
    }
    if (strcmp(format, "vz") == 0 || strcmp(format, "vu") == 0) {
        return (arrow_format){.layout = ARROW_VIEW, .width = 16,
                              .is_text = format[1] == 'u'};
    }
    if (strcmp(format, "+l") == 0 || strcmp(format, "+L") == 0) {
        return (arrow_format){.layout = ARROW_LIST, .width = format[1] == 'l' ? 4 : 8};
    }
    if (strcmp(format, "+s") == 0) {
        return (arrow_format){.layout = ARROW_STRUCT};
    }
    if (strncmp(format, "w:", 2) == 0) {
        return parse_fixed(format + 2);
    }
    if (strncmp(format, "ts", 2) == 0 && format[2] != '\0' && format[3] == ':') {
        return parse_timestamp(format[2]);
    }
    return (arrow_format){.layout = ARROW_OTHER};
}

/* The number of buffers of a layout by the specification; views may have more. */
static int64_t
buffers_of(enum arrow_layout layout)
{
    switch (layout) {
    case ARROW_NULLS:
        return 0;
    case ARROW_STRUCT:
        return 1;
    case ARROW_BYTES:
    case ARROW_VIEW:
        return 3;
    default:
        return 2;
    }
}

/* A column of views has: validity, views, any number of blocks, and the sizes of the blocks. */
static const char *
bind_blocks(arrow_column *column, const struct ArrowArray *array)
{
    column->block_count = array->n_buffers - 3;
    column->blocks = (const void *const *)array->buffers + 2;
    column->block_sizes = array->buffers[array->n_buffers - 1];
    if (column->block_count > 0 && column->block_sizes == NULL) {
        return "its buffer of sizes is missing";
    }
    return NULL;
}

const char *
arrow_column_bind(arrow_column *column, arrow_format format,
                  const struct ArrowArray *array, int64_t first, int64_t rows)
{
    if (array->length < 0 || array->offset < 0 || first < 0 || rows < 0
        || array->offset > INT64_MAX - array->length) {
        return "its length or offset is negative";
    }
    if (first > array->length || rows > array->length - first) {
        return "it has fewer rows than its parent";
    }
    int64_t needed = buffers_of(format.layout);
    *column = (arrow_column){
        .format = format,
        .start = array->offset + first,
        .length = array->length - first,
    };
    if (array->n_buffers < needed || (needed > 0 && array->buffers == NULL)) {
        return "buffers are missing";
    }
    if (format.layout == ARROW_NULLS) {
        return NULL;
    }
    column->validity = array->null_count == 0 ? NULL : array->buffers[0];
    if (array->null_count > 0 && column->validity == NULL) {
        return "its validity bitmap is missing";
    }
    if (needed > 1) {
        column->slots = array->buffers[1];
        if (rows > 0 && column->slots == NULL && format.width > 0) {
            return "its values are missing";
        }
    }
    if (format.layout == ARROW_BYTES) {
        column->bytes = array->buffers[2];
    }
    return format.layout == ARROW_VIEW ? bind_blocks(column, array) : NULL;
}

bool
arrow_column_is_valid(const arrow_column *column, int64_t row)
{
    if (column->format.layout == ARROW_NULLS) {
        return false;
    }
    int64_t slot = column->start + row;
    return column->validity == NULL || (column->validity[slot / 8] >> (slot % 8) & 1);
}

/* Reads element `index` of a buffer that need not be aligned. */
#define LOAD(type, buffer, index, result)                                                \
    do {                                                                                 \
        type value_;                                                                     \
        memcpy(&value_, (const uint8_t *)(buffer) + (size_t)(index) * sizeof(type),      \
               sizeof(type));                                                            \
        (result) = (int64_t)value_;                                                      \
    } while (0)

int64_t
arrow_column_integer(const arrow_column *column, int64_t row)
{
    int64_t slot = column->start + row, result;
    switch (column->format.is_signed ? column->format.width : -column->format.width) {
    case 1:
        LOAD(int8_t, column->slots, slot, result);
        return result;
    case -1:
        LOAD(uint8_t, column->slots, slot, result);
        return result;
    case 2:
        LOAD(int16_t, column->slots, slot, result);
        return result;
    case -2:
        LOAD(uint16_t, column->slots, slot, result);
        return result;
    case 4:
        LOAD(int32_t, column->slots, slot, result);
        return result;
    case -4:
        LOAD(uint32_t, column->slots, slot, result);
        return result;
    default:
        LOAD(int64_t, column->slots, slot, result);
        return result < 0 && !column->format.is_signed ? INT64_MAX : result;
    }
}

/* The offsets of a row of ARROW_BYTES or ARROW_LIST. */
static inline void
read_offsets(const arrow_column *column, int64_t row, int64_t *from, int64_t *to)
{
    int64_t slot = column->start + row;
    if (column->format.width == 4) {
        LOAD(int32_t, column->slots, slot, *from);
        LOAD(int32_t, column->slots, slot + 1, *to);
    }
    else {
        LOAD(int64_t, column->slots, slot, *from);
        LOAD(int64_t, column->slots, slot + 1, *to);
    }
}

void
arrow_column_list(const arrow_column *column, int64_t row, int64_t *from, int64_t *to)
{
    if (arrow_column_is_valid(column, row)) {
        read_offsets(column, row, from, to);
    }
    else {
        *from = *to = 0;
    }
}

void
arrow_column_span(const arrow_column *column, int64_t count, int64_t *from, int64_t *to)
{
    int64_t unused;
    read_offsets(column, 0, from, &unused);
    read_offsets(column, count - 1, &unused, to);
}

/* Whether one of `count` 32-bit offsets is negative or less than the previous one: then the sign
 * bit of the offset or of the difference is set. It has no branch in the loop, for speed. */
static bool
are_wrong_32(const uint8_t *offsets, int64_t count)
{
    uint32_t signs = 0, before = 0, offset;
    for (int64_t i = 0; i < count; i++, before = offset) {
        memcpy(&offset, offsets + (size_t)i * sizeof(offset), sizeof(offset));
        signs |= offset | (offset - before);
    }
    return signs >> 31;
}

/* The same for 64-bit offsets. */
static bool
are_wrong_64(const uint8_t *offsets, int64_t count)
{
    uint64_t signs = 0, before = 0, offset;
    for (int64_t i = 0; i < count; i++, before = offset) {
        memcpy(&offset, offsets + (size_t)i * sizeof(offset), sizeof(offset));
        signs |= offset | (offset - before);
    }
    return signs >> 63;
}

const char *
arrow_column_check_offsets(const arrow_column *column, int64_t from, int64_t to,
                           int64_t limit)
{
    if (from >= to) {
        return NULL;
    }
    const uint8_t *offsets = (const uint8_t *)column->slots
                             + (size_t)(column->start + from) * (size_t)column->format.width;
    int64_t count = to - from + 1;
    if (column->format.width == 4 ? are_wrong_32(offsets, count) : are_wrong_64(offsets, count)) {
        return "its offsets are negative or decrease";
    }
    int64_t before_last, last;
    read_offsets(column, to - 1, &before_last, &last);
    return last > limit ? "its offsets lie outside its values" : NULL;
}

/* A view: the size, and up to 12 bytes of value; or 4 bytes, the block, and the place in it. */
typedef struct {
    int32_t size;
    char start[4];
    int32_t block, offset;
} view;

#define INLINE_VIEW 12

static const uint8_t *
view_at(const arrow_column *column, int64_t row, view *result)
{
    const uint8_t *place = (const uint8_t *)column->slots +
                           (size_t)(column->start + row) * sizeof(view);
    memcpy(result, place, sizeof(*result));
    return place;
}

static const char *
check_views(const arrow_column *column, int64_t from, int64_t to)
{
    for (int64_t row = from; row < to; row++) {
        view found;
        if (!arrow_column_is_valid(column, row)) {
            continue; /* the view of a null value is undefined */
        }
        view_at(column, row, &found);
        if (found.size < 0) {
            return "a value's size is negative";
        }
        if (found.size <= INLINE_VIEW) {
            continue;
        }
        if (found.block < 0 || found.block >= column->block_count || found.offset < 0
            || column->blocks[found.block] == NULL
            || (int64_t)found.offset + found.size > column->block_sizes[found.block]) {
            return "a view lies outside its buffers";
        }
    }
    return NULL;
}

static const char *
check_values(const arrow_column *column, int64_t from, int64_t to)
{
    switch (column->format.layout) {
    case ARROW_BYTES:
        /* Without a buffer, all values must be empty. */
        return arrow_column_check_offsets(column, from, to,
                                          column->bytes == NULL ? 0 : INT64_MAX);
    case ARROW_VIEW:
        return check_views(column, from, to);
    default:
        return NULL; /* it was checked when the column was bound */
    }
}

const char *
arrow_bytes_check(const arrow_bytes *column, int64_t from, int64_t to)
{
    if (!column->is_encoded) {
        return check_values(&column->values, from, to);
    }
    for (int64_t row = from; row < to; row++) {
        if (!arrow_column_is_valid(&column->indices, row)) {
            continue;
        }
        int64_t index = arrow_column_integer(&column->indices, row);
        if (index < 0 || index >= column->values.length) {
            return "an index lies outside its dictionary";
        }
    }
    return check_values(&column->values, 0, column->values.length);
}

const void *
arrow_column_value(const arrow_column *column, int64_t row, size_t *size)
{
    int64_t from, to;
    view found;
    const uint8_t *place;
    switch (column->format.layout) {
    case ARROW_BYTES:
        read_offsets(column, row, &from, &to);
        *size = (size_t)(to - from);
        return column->bytes + from;
    case ARROW_FIXED:
        *size = (size_t)column->format.width;
        return (const uint8_t *)column->slots + (size_t)(column->start + row) * *size;
    default: /* ARROW_VIEW */
        place = view_at(column, row, &found);
        *size = (size_t)found.size;
        if (found.size <= INLINE_VIEW) {
            return place + offsetof(view, start);
        }
        return (const uint8_t *)column->blocks[found.block] + found.offset;
    }
}

/* The end of the buffer that contains the value of a valid row. */
static const uint8_t *
end_of_buffer(const arrow_column *column, int64_t row)
{
    int64_t before_last, last;
    size_t slots = (size_t)(column->start + column->length);
    view found;
    switch (column->format.layout) {
    case ARROW_BYTES:
        read_offsets(column, column->length - 1, &before_last, &last);
        return column->bytes + last;
    case ARROW_FIXED:
        return (const uint8_t *)column->slots + slots * (size_t)column->format.width;
    default: /* ARROW_VIEW */
        view_at(column, row, &found);
        return found.size <= INLINE_VIEW
                   ? (const uint8_t *)column->slots + slots * sizeof(view)
                   : (const uint8_t *)column->blocks[found.block]
                         + column->block_sizes[found.block];
    }
}

const void *
arrow_bytes_end(const arrow_bytes *column, int64_t row)
{
    return end_of_buffer(&column->values,
                         column->is_encoded ? arrow_column_integer(&column->indices, row) : row);
}

const void *
arrow_bytes_get(const arrow_bytes *column, int64_t row, size_t *size)
{
    *size = 0;
    if (column->is_encoded) {
        if (!arrow_column_is_valid(&column->indices, row)) {
            return NULL;
        }
        row = arrow_column_integer(&column->indices, row);
    }
    if (!arrow_column_is_valid(&column->values, row)) {
        return NULL;
    }
    const void *value = arrow_column_value(&column->values, row, size);
    /* A column without bytes may have no buffer, but NULL would mean a null value. */
    return *size == 0 ? "" : value;
}

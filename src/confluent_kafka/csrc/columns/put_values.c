#include "columns/put_values.h"

#include <math.h>

#include "columns/utf8.h"

typedef put_machine machine;
typedef const put_instruction instruction;

/* ---- integers ---- */

/* Whether a valid row is a uint64 that does not fit into int64. */
static inline bool
is_beyond_int64(const arrow_column *column, int64_t row)
{
    if (column->format.is_signed || column->format.width < 8) {
        return false;
    }
    int64_t value;
    memcpy(&value, input_fixed(column, row), sizeof(value));
    return value < 0;
}

bool
put_rescale(int64_t value, int64_t scale, int64_t *result)
{
    if (scale < 0) {
        int64_t quotient = value / -scale;
        *result = quotient - (value % -scale < 0);
        return true;
    }
    if (value > INT64_MAX / scale || value < INT64_MIN / scale) {
        return false;
    }
    *result = value * scale;
    return true;
}

instruction *
put_load_integer(machine *self, instruction *at, int64_t *value)
{
    const arrow_column *column = put_column(self, at);
    if (put_need(self, at) == NULL) {
        return NULL;
    }
    if (is_beyond_int64(column, self->row)
        || !put_rescale(arrow_column_integer(column, self->row), at->argument, value)) {
        return put_fail(self, at, "an integer of more than 64 bits");
    }
    return at;
}

bool
put_load_wide(const arrow_column *column, int64_t row, uint64_t *value, bool *is_negative)
{
    decimal number;
    decimal_load(&number, input_fixed(column, row), column->format.width);
    uint64_t magnitude = (uint64_t)number.limbs[1] << 32 | number.limbs[0];
    *is_negative = number.is_negative;
    *value = number.is_negative ? 0 - magnitude : magnitude;
    for (int i = 2; i < DECIMAL_LIMBS; i++) {
        if (number.limbs[i] != 0) {
            return false;
        }
    }
    return !number.is_negative || magnitude <= (uint64_t)1 << 63;
}

/* ---- real numbers ---- */

/* Converts from IEEE 754's binary16. */
static double
half(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double value = exponent == 0      ? ldexp(fraction, -24)
                   : exponent == 0x1f ? (fraction == 0 ? INFINITY : NAN)
                                      : ldexp(fraction | 0x400, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

instruction *
put_load_double(machine *self, instruction *at, double *value)
{
    const arrow_column *column = put_column(self, at);
    if (put_need(self, at) == NULL) {
        return NULL;
    }
    const uint8_t *place = input_fixed(column, self->row);
    uint16_t small;
    float single;
    switch (column->format.width) {
    case 2:
        memcpy(&small, place, sizeof(small));
        *value = half(small);
        break;
    case 4:
        memcpy(&single, place, sizeof(single));
        *value = single;
        break;
    default:
        memcpy(value, place, sizeof(*value));
    }
    return at;
}

instruction *
put_load_float(machine *self, instruction *at, float *value)
{
    double wide;
    if (put_load_double(self, at, &wide) == NULL) {
        return NULL;
    }
    *value = (float)wide;
    return isfinite(wide) && !isfinite(*value)
               ? put_fail(self, at, "a number that is too large for a float")
               : at;
}

/* ---- bytes ---- */

const void *
put_load_bytes(machine *self, instruction *at, size_t *size)
{
    if (put_need(self, at) == NULL) {
        return NULL;
    }
    const void *data = arrow_column_value(put_column(self, at), self->row, size);
    return *size == 0 ? "" : data;
}

const void *
put_load_text(machine *self, instruction *at, size_t *size)
{
    const void *data = put_load_bytes(self, at, size);
    if (data != NULL && !utf8_is_valid(data, *size)) {
        put_fail(self, at, "a string that is not UTF-8");
        return NULL;
    }
    return data;
}

/* Negative, 0 or positive if the bytes come before the symbol, are equal, or come after it. */
static int
compare_symbol(instruction *at, int32_t symbol, const void *data, size_t size)
{
    size_t other = (size_t)at->table[symbol * 3 + 1];
    int order = memcmp(data, at->data + at->table[symbol * 3], size < other ? size : other);
    return order != 0 ? order : (size > other) - (size < other);
}

const int32_t *
put_find_symbol(instruction *at, const void *data, size_t size)
{
    int32_t low = 0, high = at->table_size / 3;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        int order = compare_symbol(at, middle, data, size);
        if (order == 0) {
            return &at->table[middle * 3 + 2];
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    return NULL;
}

instruction *
put_load_decimal(machine *self, instruction *at, decimal *value)
{
    const arrow_column *column = put_column(self, at);
    if (put_need(self, at) == NULL) {
        return NULL;
    }
    decimal_load(value, input_fixed(column, self->row), column->format.width);
    int32_t shift = at->table[0];
    if (shift < 0 && !decimal_divide(value, -shift)) {
        return put_fail(self, at, "a decimal of more digits after the point than its scale");
    }
    if ((shift > 0 && !decimal_multiply(value, shift)) || !decimal_is_below(value, at->data)) {
        return put_fail(self, at, "a decimal of more digits than its precision");
    }
    return at;
}

/* ---- structure ---- */

instruction *
put_constant(machine *self, instruction *at)
{
    return put_raw(self, at, at->data, (size_t)at->data_size);
}

instruction *
put_record(machine *self, instruction *at)
{
    return put_need(self, at) == NULL ? NULL : at + 1;
}

instruction *
put_nullable(machine *self, instruction *at)
{
    if (!input_is_null(self->from, at->column, self->row)) {
        return at + 1;
    }
    return put_raw(self, at, at->data, (size_t)at->data_size) == NULL ? NULL : at->target;
}

/* Runs the block up to `end` for another row. */
static bool
run_at(machine *self, int64_t row, instruction *from, instruction *end)
{
    int64_t here = self->row;
    self->row = row;
    bool is_done = self->run(self, from, end);
    self->row = here;
    return is_done;
}

instruction *
put_dictionary(machine *self, instruction *at)
{
    if (put_need(self, at) == NULL) {
        return NULL;
    }
    int64_t row = input_index(self->from, at->column, self->row);
    if (row < 0) {
        return put_fail(self, at, "an index that lies outside its dictionary");
    }
    return run_at(self, row, at + 1, at->target) ? at->target : NULL;
}

instruction *
put_union(machine *self, instruction *at)
{
    int64_t row;
    int32_t child = input_branch(self->from, at->column, self->row, &row);
    if (child < 0) {
        return put_fail(self, at, "a type id or offset that the union does not have");
    }
    instruction *block = at + 1;
    while (block->column != child) {
        block = block->target;
    }
    return run_at(self, row, block + 1, block->target) ? at->target : NULL;
}

/* A block that a union enters. */
instruction *
put_case(machine *Py_UNUSED(self), instruction *at)
{
    return at->target;
}

instruction *
put_load_items(machine *self, instruction *at, int64_t *from, int64_t *to)
{
    if (put_need(self, at) == NULL) {
        return NULL;
    }
    input_items(self->from, at->column, self->row, from, to);
    if (*to - *from > INT32_MAX) { /* without this limit, items without bytes would not end */
        self->status = ROW_TOO_LARGE;
        return NULL;
    }
    return at;
}

bool
put_each(machine *self, instruction *at, int64_t from, int64_t to)
{
    int64_t here = self->row;
    bool is_done = true, is_empty = at + 1 == at->target;
    for (; is_done && !is_empty && from < to; from++) {
        self->row = from;
        is_done = self->run(self, at + 1, at->target);
    }
    self->row = here;
    return is_done;
}

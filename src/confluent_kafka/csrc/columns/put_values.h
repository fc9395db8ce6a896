/*
 * Reads values of columns for the steps of all formats, and has the steps that all formats share.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PUT_VALUES_H
#define CONFLUENT_KAFKA_COLUMNS_PUT_VALUES_H

#include "columns/decimal.h"
#include "columns/put_steps.h"

/* Each function returns NULL for a null and for a wrong value; otherwise not NULL. */

/* A number of any width, times the argument. If the argument is negative, the number is divided by
 * its magnitude, and rounded down. */
const put_instruction *put_load_integer(put_machine *machine, const put_instruction *at,
                                        int64_t *value);
const put_instruction *put_load_double(put_machine *machine, const put_instruction *at,
                                       double *value);
/* Rounded; it is finite if the column's value is. */
const put_instruction *put_load_float(put_machine *machine, const put_instruction *at,
                                      float *value);
/* Returns an address even if there are no bytes; NULL for a null, which is an error. */
const void *put_load_bytes(put_machine *machine, const put_instruction *at, size_t *size);
/* The same, if the bytes are UTF-8. */
const void *put_load_text(put_machine *machine, const put_instruction *at, size_t *size);
/* The table and the data are as for PUT_POWER: the value is multiplied by the power of ten. */
const put_instruction *put_load_decimal(put_machine *machine, const put_instruction *at,
                                        decimal *value);
/* The number of the symbol with these bytes; NULL if there is none. */
const int32_t *put_find_symbol(const put_instruction *at, const void *data, size_t size);

/* The value times `scale`. If `scale` is negative, the value is divided by its magnitude, and
 * rounded down. False: too large. */
bool put_rescale(int64_t value, int64_t scale, int64_t *result);

/* The rows of a list's items. */
const put_instruction *put_load_items(put_machine *machine, const put_instruction *at,
                                      int64_t *from, int64_t *to);
/* Runs the block of `at` once for each of these rows. */
bool put_each(put_machine *machine, const put_instruction *at, int64_t from, int64_t to);

/* ---- the common cases ---- */

static inline const put_instruction *
put_need(put_machine *machine, const put_instruction *at)
{
    return input_is_valid(put_column(machine, at), machine->row) ? at
                                                                 : put_fail_null(machine, at);
}

static inline const put_instruction *
put_load_bool(put_machine *machine, const put_instruction *at, bool *value)
{
    if (put_need(machine, at) == NULL) {
        return NULL;
    }
    *value = input_bit(put_column(machine, at), machine->row);
    return at;
}

/* Whether a number fits into `bits` bits; a negative `bits` includes a sign bit. */
static inline bool
put_is_within(uint64_t value, bool is_negative, int64_t bits)
{
    uint64_t magnitude = is_negative ? ~value : value; /* without the sign */
    int64_t digits = bits < 0 ? -(bits + 1) : bits;
    return (bits < 0 || !is_negative) && (digits >= 64 || magnitude >> digits == 0);
}

/* The bits of a valid row of a decimal wider than 64 bits; false if it has more than 64. */
bool put_load_wide(const arrow_column *column, int64_t row, uint64_t *value, bool *is_negative);

/* The bits of an integer, also of a uint64, or of a decimal whose scale is ignored. The
 * number must fit into `bits` bits. `bits` is negative if one of these bits is the sign, and 0 if
 * the number may have any 64 bits. */
static inline const put_instruction *
put_load_whole(put_machine *machine, const put_instruction *at, int64_t bits, uint64_t *value,
               bool *is_negative)
{
    const arrow_column *column = put_column(machine, at);
    bool is_whole = true;
    if (put_need(machine, at) == NULL) {
        return NULL;
    }
    if (column->format.width > 8) {
        is_whole = put_load_wide(column, machine->row, value, is_negative);
    }
    else {
        if (column->format.width == 8) {
            memcpy(value, input_fixed(column, machine->row), sizeof(*value));
        }
        else {
            *value = (uint64_t)arrow_column_integer(column, machine->row);
        }
        *is_negative = column->format.is_signed && *value >> 63 != 0;
    }
    return is_whole && (bits == 0 || put_is_within(*value, *is_negative, bits))
               ? at
               : put_fail(machine, at, "an integer that is out of the range of its type");
}

/* ---- steps ---- */

/* Writes the data unchanged. */
put_step put_constant;
/* Fails for a null. */
put_step put_record;
/* A block for the value that a dictionary's index refers to. */
put_step put_dictionary;
/* A block of cases, one for each child of a union. */
put_step put_union, put_case;
/* A block for a value; a null is written as the data. */
put_step put_nullable;

#define PUT_COMMON_KINDS                                                                       \
    {"constant", put_constant, 0, 0, PUT_NO_BLOCK, PUT_NO_TABLE, false},                       \
    {"record", put_record, PUT_ONLY(INPUT_STRUCT), 0, PUT_NO_BLOCK, PUT_NO_TABLE, false,       \
     PUT_SHORT_RECORD},                                                                        \
    {"dictionary", put_dictionary, PUT_ONLY(INPUT_DICTIONARY), 0, PUT_BELOW, PUT_NO_TABLE,     \
     false},                                                                                   \
    {"union", put_union, PUT_UNION, 0, PUT_CASES, PUT_NO_TABLE, false},                        \
    {"case", put_case, PUT_ANY, 0, PUT_OWN, PUT_NO_TABLE, false},                              \
    {"nullable", put_nullable, PUT_ANY, 0, PUT_SAME, PUT_NO_TABLE, false}

#endif

/*
 * Values of columns as steps of all formats read them, and the steps that all formats have.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PUT_VALUES_H
#define CONFLUENT_KAFKA_COLUMNS_PUT_VALUES_H

#include "columns/decimal.h"
#include "columns/put_steps.h"

/* Each gives NULL for a null, and for what is not such a value; else something. */

/* A number of any width, times the argument, or divided and rounded down if that is negative. */
const put_instruction *put_load_integer(put_machine *machine, const put_instruction *at,
                                        int64_t *value);
const put_instruction *put_load_double(put_machine *machine, const put_instruction *at,
                                       double *value);
/* Rounded; finite if the column's is. */
const put_instruction *put_load_float(put_machine *machine, const put_instruction *at,
                                      float *value);
/* An address also if there are none; NULL for a null, which has failed. */
const void *put_load_bytes(put_machine *machine, const put_instruction *at, size_t *size);
/* The same, if it is UTF-8. */
const void *put_load_text(put_machine *machine, const put_instruction *at, size_t *size);
/* The table has the power of ten to multiply by; the data begins with the limit. */
const put_instruction *put_load_decimal(put_machine *machine, const put_instruction *at,
                                        decimal *value);
/* The number of the symbol that the bytes are, NULL: there is none. */
const int32_t *put_find_symbol(const put_instruction *at, const void *data, size_t size);

/* The value times `scale`, or divided and rounded down if that is negative; false: too large. */
bool put_rescale(int64_t value, int64_t scale, int64_t *result);

/* The rows of the items of a list. */
const put_instruction *put_load_items(put_machine *machine, const put_instruction *at,
                                      int64_t *from, int64_t *to);
/* Runs the block of `at` once for each of them. */
bool put_each(put_machine *machine, const put_instruction *at, int64_t from, int64_t to);

/* ---- what most values are ---- */

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

/* Whether a number fits into so many bits, of which one is the sign if they are less than 0. */
static inline bool
put_is_within(uint64_t value, bool is_negative, int64_t bits)
{
    uint64_t magnitude = is_negative ? ~value : value; /* of the sign's complement */
    int64_t digits = bits < 0 ? -(bits + 1) : bits;
    return (bits < 0 || !is_negative) && (digits >= 64 || magnitude >> digits == 0);
}

/* The bits of a valid row of a decimal that is wider than 64; false: it has more of them. */
bool put_load_wide(const arrow_column *column, int64_t row, uint64_t *value, bool *is_negative);

/* The bits of an integer, also of a uint64, or of a decimal, whose scale does not count. It may
 * have so many `bits`, less than 0 if one of them is the sign, 0 for any that 64 can have. */
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

/* The data as it is. */
put_step put_constant;
/* Fails for a null. */
put_step put_record;
/* A block for what stands behind a dictionary's index. */
put_step put_dictionary;
/* A block of cases, one for each child of a union. */
put_step put_union, put_case;
/* A block for a value; for a null, the data. */
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

#include "columns/avro_read.h"

/* How many items without bytes (nulls, empty records) a payload may have, because they are free. */
#define EMPTY_ITEMS_LIMIT 65536

typedef avro_machine machine;
typedef const avro_instruction instruction;

instruction *
avro_fail(machine *self, instruction *at, const char *reason)
{
    *self->failure = (row_failure){reason, at->field, self->at};
    self->status = ROW_BAD;
    return NULL;
}

instruction *
avro_ends_early(machine *self, instruction *at)
{
    return avro_fail(self, at, "the payload ends within a value");
}

bool
avro_read_varint(machine *self, instruction *at, int64_t *value)
{
    uint64_t bits = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (self->at == self->end) {
            avro_ends_early(self, at);
            return false;
        }
        uint8_t byte = *self->at++;
        bits |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            if (shift == 63 && byte > 1) {
                break;
            }
            *value = (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
            return true;
        }
    }
    avro_fail(self, at, "a number of more than 64 bits");
    return false;
}

bool
avro_read_size(machine *self, instruction *at, int64_t *size)
{
    if (!avro_read_long(self, at, size)) {
        return false;
    }
    if (*size < 0) {
        avro_fail(self, at, "a negative size");
        return false;
    }
    if (*size > avro_left(self)) {
        avro_ends_early(self, at);
        return false;
    }
    return true;
}

/* The argument of an array is the minimum size of an item in bytes. */
bool
avro_can_have(machine *self, instruction *array, int64_t count)
{
    if (array->argument > 0) {
        if (count <= avro_left(self)) {
            return true;
        }
        avro_ends_early(self, array);
        return false;
    }
    if (count > EMPTY_ITEMS_LIMIT - self->empty_items) {
        avro_fail(self, array, "more than 65536 items of no bytes");
        return false;
    }
    self->empty_items += count;
    return true;
}

bool
avro_read_block(machine *self, instruction *array, int64_t *count, int64_t *size)
{
    *size = -1;
    if (!avro_read_long(self, array, count)) {
        return false;
    }
    if (*count >= 0) {
        return true;
    }
    if (*count == INT64_MIN) {
        avro_fail(self, array, "a block of too many items");
        return false;
    }
    *count = -*count;
    return avro_read_size(self, array, size);
}

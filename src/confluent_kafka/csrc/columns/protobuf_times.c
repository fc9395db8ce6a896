#include "columns/protobuf_times.h"

typedef protobuf_machine machine;
typedef const protobuf_field field;

#define NANOS 1000000000

typedef struct {
    int64_t seconds;
    int32_t nanos;
} time_parts;

/* Reads one message; parts that it does not have stay unchanged. */
static bool
read_parts(machine *self, field *at, time_parts *parts)
{
    wire_input outside;
    if (!protobuf_enter(self, at, &outside)) {
        return false;
    }
    bool is_read = true;
    while (is_read && self->in.at < self->in.end) {
        uint32_t tag;
        uint64_t number;
        is_read = wire_read_tag(&self->in, &tag);
        if (is_read && tag == (1 << 3 | WIRE_VARINT)) {
            is_read = wire_read_varint(&self->in, &number);
            parts->seconds = is_read ? (int64_t)number : 0;
        }
        else if (is_read && tag == (2 << 3 | WIRE_VARINT)) {
            is_read = wire_read_varint(&self->in, &number);
            parts->nanos = is_read ? (int32_t)(uint32_t)number : 0;
        }
        else if (is_read) {
            is_read = wire_skip(&self->in, tag);
        }
    }
    if (!is_read) {
        return protobuf_spoilt(self, at);
    }
    protobuf_leave(self, &outside);
    return true;
}

/* The parts that an earlier message of the field had, as far as the column has kept them. */
static time_parts
parts_of(int64_t value, int64_t units)
{
    return (time_parts){value / units, (int32_t)(value % units * (NANOS / units))};
}

static int64_t
value_so_far(const machine *self, field *at, int64_t row)
{
    const column *to = &self->set->columns[at->values];
    int64_t value = 0;
    if (to->length > row) {
        memcpy(&value, to->slots + (size_t)row * sizeof(value), sizeof(value));
    }
    return value;
}

/* Joins parts, which have the same sign or are 0; `fraction` is in units. False: too large. */
static bool
value_of(int64_t seconds, int64_t fraction, int64_t units, int64_t *value)
{
    if (seconds > (INT64_MAX - (fraction > 0 ? fraction : 0)) / units
        || seconds < (INT64_MIN - (fraction < 0 ? fraction : 0)) / units) {
        return false;
    }
    *value = seconds * units + fraction;
    return true;
}

static bool
put_time(machine *self, field *at, int64_t row, int64_t value)
{
    return protobuf_put(
        self, column_put_fixed(protobuf_target(self, at, row), &value, sizeof(value)));
}

bool
protobuf_read_timestamp(machine *self, field *at, int64_t row)
{
    int64_t units = at->argument;
    time_parts parts = parts_of(value_so_far(self, at, row), units);
    if (parts.nanos < 0) { /* before 1970, nanos count forward */
        parts.seconds--;
        parts.nanos += NANOS;
    }
    if (!read_parts(self, at, &parts)) {
        return false;
    }
    if (parts.nanos < 0 || parts.nanos >= NANOS) {
        return protobuf_fail(self, at->path, "a Timestamp's nanos that are not 0 to 999999999");
    }
    int64_t fraction = parts.nanos / (NANOS / units), value;
    if (parts.seconds < 0 && fraction > 0) {
        parts.seconds++;
        fraction -= units;
    }
    return value_of(parts.seconds, fraction, units, &value)
               ? put_time(self, at, row, value)
               : protobuf_fail(self, at->path,
                               "a Timestamp that 64 bits cannot hold; with unit=\"us\" they can");
}

bool
protobuf_read_duration(machine *self, field *at, int64_t row)
{
    int64_t units = at->argument, value;
    time_parts parts = parts_of(value_so_far(self, at, row), units);
    if (!read_parts(self, at, &parts)) {
        return false;
    }
    if (parts.nanos <= -NANOS || parts.nanos >= NANOS
        || (parts.seconds > 0 && parts.nanos < 0) || (parts.seconds < 0 && parts.nanos > 0)) {
        return protobuf_fail(self, at->path,
                             "a Duration whose nanos are out of range or have the wrong sign");
    }
    return value_of(parts.seconds, parts.nanos / (NANOS / units), units, &value)
               ? put_time(self, at, row, value)
               : protobuf_fail(self, at->path,
                               "a Duration that 64 bits cannot hold; with unit=\"us\" they can");
}

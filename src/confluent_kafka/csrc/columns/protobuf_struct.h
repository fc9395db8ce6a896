/*
 * Tags of the messages that google.protobuf has for JSON: Value, and what holds values.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_STRUCT_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_STRUCT_H

#include "columns/protobuf_wire.h"

/* The fields of Value, which are one oneof. */
enum {
    NULL_VALUE = 1 << 3 | WIRE_VARINT,
    NUMBER_VALUE = 2 << 3 | WIRE_64,
    STRING_VALUE = 3 << 3 | WIRE_SIZED,
    BOOL_VALUE = 4 << 3 | WIRE_VARINT,
    STRUCT_VALUE = 5 << 3 | WIRE_SIZED,
    LIST_VALUE = 6 << 3 | WIRE_SIZED,
};

/* An entry of a Struct, or a value of a ListValue, which is all that they have; */
enum { STRUCT_ITEM = 1 << 3 | WIRE_SIZED };
/* and what an entry has. */
enum { ENTRY_KEY = 1 << 3 | WIRE_SIZED, ENTRY_VALUE = 2 << 3 | WIRE_SIZED };

/* How deep values may be nested; each is read or written by calls. */
#define JSON_DEPTH_LIMIT 64

#endif

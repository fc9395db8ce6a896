/*
 * The tags of google.protobuf's messages for JSON: Value, and the containers of values.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_STRUCT_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_STRUCT_H

#include "columns/protobuf_wire.h"

/* The fields of Value, which form one oneof. */
enum {
    NULL_VALUE = 1 << 3 | WIRE_VARINT,
    NUMBER_VALUE = 2 << 3 | WIRE_64,
    STRING_VALUE = 3 << 3 | WIRE_SIZED,
    BOOL_VALUE = 4 << 3 | WIRE_VARINT,
    STRUCT_VALUE = 5 << 3 | WIRE_SIZED,
    LIST_VALUE = 6 << 3 | WIRE_SIZED,
};

/* The only field of a Struct (an entry) and of a ListValue (a value). */
enum { STRUCT_ITEM = 1 << 3 | WIRE_SIZED };
/* The fields of an entry. */
enum { ENTRY_KEY = 1 << 3 | WIRE_SIZED, ENTRY_VALUE = 2 << 3 | WIRE_SIZED };

/* How deep values may be nested; the functions that read or write them are recursive. */
#define JSON_DEPTH_LIMIT 64

#endif

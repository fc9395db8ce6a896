/*
 * google.protobuf.Struct, Value and ListValue as JSON text.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_JSON_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_JSON_H

#include "columns/protobuf_machine.h"

protobuf_step protobuf_read_struct, protobuf_read_value, protobuf_read_list_value;
/* If the machine has parts: makes text of those of slot `row`, if it is JSON. */
bool protobuf_complete_json(protobuf_machine *machine, const protobuf_field *field, int64_t row);

#endif

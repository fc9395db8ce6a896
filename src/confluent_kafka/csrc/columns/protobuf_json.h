/*
 * Converts google.protobuf.Struct, Value and ListValue to JSON text.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_JSON_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_JSON_H

#include "columns/protobuf_machine.h"

protobuf_step protobuf_read_struct, protobuf_read_value, protobuf_read_list_value;
/* If the machine has parts and the field is JSON: makes text from the parts of slot `row`. */
bool protobuf_complete_json(protobuf_machine *machine, const protobuf_field *field, int64_t row);

#endif

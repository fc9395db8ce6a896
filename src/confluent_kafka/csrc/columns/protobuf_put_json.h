/*
 * Writes columns with JSON text as google.protobuf's types for JSON values.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_PUT_JSON_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_PUT_JSON_H

#include "columns/put_steps.h"

put_step protobuf_put_struct, protobuf_put_value, protobuf_put_list_value;

#endif

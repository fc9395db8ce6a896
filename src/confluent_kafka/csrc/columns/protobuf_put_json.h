/*
 * The types of google.protobuf that JSON values have, of columns with JSON text.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_PUT_JSON_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_PUT_JSON_H

#include "columns/put_steps.h"

put_step protobuf_put_struct, protobuf_put_value, protobuf_put_list_value;

#endif

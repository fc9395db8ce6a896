#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_STEPS_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_STEPS_H

#include "columns/protobuf_machine.h"

extern const protobuf_kind protobuf_kinds[]; /* the last one has no name */
/* The step for fields whose message wraps a value of the kind (google.protobuf.Int32Value). */
protobuf_step protobuf_read_wrapper;

/* Reads all fields up to the end of the input into the last slot of the message's column. */
bool protobuf_read_fields(protobuf_machine *machine, const protobuf_message *message);
/* Puts values for missing fields. */
bool protobuf_complete(protobuf_machine *machine, const protobuf_message *message, int64_t row);

#endif

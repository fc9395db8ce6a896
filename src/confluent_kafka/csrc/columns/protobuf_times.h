/*
 * google.protobuf.Timestamp and Duration, as counts of the column's unit. The field's argument is
 * the number of units in a second: 10^3, 10^6 or 10^9.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PROTOBUF_TIMES_H
#define CONFLUENT_KAFKA_COLUMNS_PROTOBUF_TIMES_H

#include "columns/protobuf_machine.h"

protobuf_step protobuf_read_timestamp, protobuf_read_duration;

#endif

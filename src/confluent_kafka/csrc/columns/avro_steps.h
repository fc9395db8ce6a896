#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_STEPS_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_STEPS_H

#include "columns/avro_instruction.h"

extern const avro_step_kind avro_step_kinds[]; /* the last one has no name */

#endif

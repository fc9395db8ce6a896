#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_RUN_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_RUN_H

#include "columns/avro_instruction.h"

/* Steps over the instructions up to `end`; false with `machine->status` set. */
bool avro_run(avro_machine *machine, const avro_instruction *from, const avro_instruction *end);

#endif

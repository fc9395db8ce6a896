#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_RUN_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_RUN_H

#include "columns/avro_instruction.h"

/* Runs the instructions up to `end`; false with `machine->status` set. */
bool avro_run(avro_machine *machine, const avro_instruction *from, const avro_instruction *end);
/* The same for the instructions of an array's items, `count` times. */
bool avro_run_items(avro_machine *machine, const avro_instruction *array, int64_t count);

#endif

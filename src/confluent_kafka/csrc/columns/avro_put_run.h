#ifndef CONFLUENT_KAFKA_COLUMNS_AVRO_PUT_RUN_H
#define CONFLUENT_KAFKA_COLUMNS_AVRO_PUT_RUN_H

#include "columns/put_steps.h"

put_runner avro_put_run;
put_rows_runner avro_put_run_rows;

#endif

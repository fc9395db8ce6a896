/*
 * A format of payloads: the steps that write a row.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_PAYLOAD_FORMAT_H
#define CONFLUENT_KAFKA_COLUMNS_PAYLOAD_FORMAT_H

#include "columns/put_steps.h"

typedef struct {
    const char *name;
    const put_step_kind *kinds; /* the last one has no name */
    put_runner *run;
    put_rows_runner *run_rows; /* NULL: rows are written one by one */
} payload_format;

extern const payload_format avro_payload_format;
extern const payload_format json_payload_format;
extern const payload_format protobuf_payload_format;

#endif

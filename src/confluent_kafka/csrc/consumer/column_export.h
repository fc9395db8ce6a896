/*
 * Message columns through the Arrow C data interface.
 */
#ifndef CONFLUENT_KAFKA_CONSUMER_COLUMN_EXPORT_H
#define CONFLUENT_KAFKA_CONSUMER_COLUMN_EXPORT_H

#include "arrow/export.h"
#include "consumer/message_columns.h"

/* The owners that it takes are message_columns. */
extern const arrow_exporter message_columns_exporter;

#endif

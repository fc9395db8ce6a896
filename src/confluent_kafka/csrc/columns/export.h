/*
 * Finished columns through the Arrow C data interface.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_EXPORT_H
#define CONFLUENT_KAFKA_COLUMNS_EXPORT_H

#include "arrow/export.h"
#include "columns/builder.h"

/* The owners that it takes are `columns` after columns_finish(). */
extern const arrow_exporter columns_exporter;
/* The same as record batches, which must not have nulls of their own. */
extern const arrow_exporter batch_exporter;
/* The owners that it takes are column_types; only for arrow_schema_capsule(). */
extern const arrow_exporter column_types_exporter;

#endif

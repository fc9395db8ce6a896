/*
 * Finished columns through the Arrow C data interface.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_EXPORT_H
#define CONFLUENT_KAFKA_COLUMNS_EXPORT_H

#include "arrow/export.h"
#include "columns/builder.h"

/* Its owners are `columns` after columns_finish(). */
extern const arrow_exporter columns_exporter;
/* The same as record batches, which readers do not let have nulls of their own. */
extern const arrow_exporter batch_exporter;
/* Its owners are column_types: for arrow_schema_capsule() alone. */
extern const arrow_exporter column_types_exporter;

#endif

/*
 * Imports columns to produce, by the Arrow C data interface and PyCapsule protocol (no pyarrow
 * needed).
 */
#ifndef CONFLUENT_KAFKA_ARROW_IMPORT_H
#define CONFLUENT_KAFKA_ARROW_IMPORT_H

#include "arrow/row.h"

typedef struct arrow_rows arrow_rows;

/*
 * Imports an object with __arrow_c_array__ or __arrow_c_stream__ (the whole stream). Its struct
 * arrays may have the columns key, value, topic, partition, timestamp and headers. The columns
 * offset and timestampType are ignored, so that a consumed batch can be produced again. Other
 * names are a ValueError that suggests the most similar allowed name. Wrong types are a TypeError
 * that names column and type. A row that Kafka does not accept (such as a negative partition) is a
 * ValueError. Everything is checked here, so that reading rows cannot fail. NULL with an exception.
 * The data is not copied.
 */
arrow_rows *arrow_rows_import(PyObject *object, const char *name);
/* Call it with the GIL, because the array's owner may be Python code. */
void arrow_rows_release(arrow_rows *rows);
int64_t arrow_rows_count(const arrow_rows *rows);
bool arrow_rows_has_topic(const arrow_rows *rows);
/* Needs no GIL and cannot fail. */
void arrow_rows_get(const arrow_rows *rows, int64_t index, arrow_row *row);
/* The sum of arrow_chunk_digest() of all rows. Needs no GIL. */
uint64_t arrow_rows_digest(const arrow_rows *rows);
/*
 * The headers of a row: 0 with `*headers`, which the caller owns (NULL: none); -1 if there is no
 * memory. Needs no GIL and sets no exception.
 */
int arrow_rows_headers(const arrow_rows *rows, int64_t index,
                       rd_kafka_headers_t **headers);
/*
 * The value of the last header with this name in a row; NULL if the value is null or there is no
 * such header. Needs no GIL.
 */
const void *arrow_rows_header(const arrow_rows *rows, int64_t index, const char *name,
                              size_t *size);
/* Header `number` of a row, counted from 0; false if the row has fewer. Needs no GIL. */
bool arrow_rows_header_at(const arrow_rows *rows, int64_t index, int64_t number,
                          arrow_header *header);

#endif

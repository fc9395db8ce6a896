/*
 * One struct array of rows to produce: its columns are found by name, and their types and data
 * are checked.
 */
#ifndef CONFLUENT_KAFKA_ARROW_CHUNK_H
#define CONFLUENT_KAFKA_ARROW_CHUNK_H

#include "arrow/column.h"
#include "arrow/row.h"

typedef struct {
    struct ArrowArray array; /* moved here; owns all memory that the columns refer to */
    int64_t first_row;       /* its number in the whole batch */
    int64_t count;
    bool has_topic;
    arrow_bytes key, value, topic;
    arrow_column partition, timestamp;
    arrow_column headers, header; /* the lists, and the structs in the lists */
    arrow_bytes header_key, header_value;
} arrow_chunk;

/*
 * Finds and checks the columns of `chunk->array`, whose type is `schema`; `first_row` must be set,
 * all other fields zero. `name` is the name of the argument. 0, or -1 with an exception.
 */
int arrow_chunk_bind(arrow_chunk *chunk, const struct ArrowSchema *schema,
                     const char *name);

/* The same as the functions of arrow_rows with these names; rows count from the chunk's first. */
void arrow_chunk_get(const arrow_chunk *chunk, int64_t index, arrow_row *row);
int arrow_chunk_headers(const arrow_chunk *chunk, int64_t index,
                        rd_kafka_headers_t **headers);
const void *arrow_chunk_header(const arrow_chunk *chunk, int64_t index, const char *name,
                               size_t *size);
bool arrow_chunk_header_at(const arrow_chunk *chunk, int64_t index, int64_t number,
                           arrow_header *header);

#endif

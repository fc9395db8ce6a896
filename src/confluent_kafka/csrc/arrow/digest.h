/*
 * The hash of a row: equal for rows that produce() would send alike.
 */
#ifndef CONFLUENT_KAFKA_ARROW_DIGEST_H
#define CONFLUENT_KAFKA_ARROW_DIGEST_H

#include "arrow/chunk.h"

/* Of 64 bits, over all that is produced of a row. Needs no GIL. */
uint64_t arrow_chunk_digest(const arrow_chunk *chunk, int64_t index);

#endif

/*
 * The hash of a row: rows that produce() would send in the same way have equal hashes.
 */
#ifndef CONFLUENT_KAFKA_ARROW_DIGEST_H
#define CONFLUENT_KAFKA_ARROW_DIGEST_H

#include "arrow/chunk.h"

/* A 64-bit hash of everything in a row that is produced. Needs no GIL. */
uint64_t arrow_chunk_digest(const arrow_chunk *chunk, int64_t index);

#endif

#include "arrow/digest.h"

#include <string.h>

/* MurmurHash64A (Austin Appleby, public domain); the seed is the hash of the preceding values. */
#define MULTIPLIER UINT64_C(0xc6a4a7935bd1e995)
/* The size for a null value; no value has this size. */
#define NULL_VALUE UINT64_MAX

static inline uint64_t
scramble(uint64_t word)
{
    word *= MULTIPLIER;
    word ^= word >> 47;
    return word * MULTIPLIER;
}

static inline uint64_t
add_word(uint64_t hash, uint64_t word)
{
    return (hash ^ scramble(word)) * MULTIPLIER;
}

static uint64_t
finish(uint64_t hash)
{
    hash = (hash ^ hash >> 47) * MULTIPLIER;
    return hash ^ hash >> 47;
}

/* Hashes a value with its size, so that moving bytes from one value to the next is detected. */
static uint64_t
add_bytes(uint64_t hash, const void *data, size_t size)
{
    if (data == NULL) {
        return finish(add_word(hash, NULL_VALUE));
    }
    const uint8_t *bytes = data;
    hash = add_word(hash, size);
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), bytes += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes, sizeof(word));
        hash = add_word(hash, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, bytes, size);
    return finish(add_word(hash, rest));
}

static uint64_t
add_headers(uint64_t hash, const arrow_chunk *chunk, int64_t index)
{
    int64_t from, to;
    arrow_column_list(&chunk->headers, index, &from, &to);
    hash = add_word(hash, (uint64_t)(to - from));
    for (int64_t item = from; item < to; item++) {
        size_t key_size, value_size;
        const void *key = arrow_bytes_get(&chunk->header_key, item, &key_size);
        const void *value = arrow_bytes_get(&chunk->header_value, item, &value_size);
        hash = add_bytes(add_bytes(hash, key, key_size), value, value_size);
    }
    return finish(hash);
}

uint64_t
arrow_chunk_digest(const arrow_chunk *chunk, int64_t index)
{
    arrow_row row;
    arrow_chunk_get(chunk, index, &row);
    uint64_t hash = add_bytes(0, row.topic, row.topic_size);
    hash = add_word(hash, (uint64_t)(int64_t)row.partition);
    hash = add_word(hash, (uint64_t)row.timestamp_ms);
    hash = add_bytes(hash, row.key, row.key_size);
    hash = add_bytes(hash, row.value, row.value_size);
    return add_headers(hash, chunk, index);
}

/*
 * The tagged fields at the end of request and answer headers, by API key and version (KIP-482).
 */
#ifndef CONFLUENT_KAFKA_CLIENT_RAW_HEADER_H
#define CONFLUENT_KAFKA_CLIENT_RAW_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the request's header has tags after the client id. */
bool raw_request_has_tags(int16_t api_key, int16_t version);

/* Whether the answer's header has tags after the correlation id. */
bool raw_answer_has_tags(int16_t api_key, int16_t version);

/* The size in bytes of the tags at `data`; 0 if they are not tags. */
size_t raw_tags_size(const unsigned char *data, size_t size);

#endif

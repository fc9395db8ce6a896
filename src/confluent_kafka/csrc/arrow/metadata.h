/*
 * The metadata of somebody else's type: pairs of texts, as the Arrow C data interface encodes them.
 */
#ifndef CONFLUENT_KAFKA_ARROW_METADATA_H
#define CONFLUENT_KAFKA_ARROW_METADATA_H

#include <stddef.h>
#include <stdint.h>

/* A text, which no NUL ends. */
typedef struct {
    const char *data;
    size_t size;
} arrow_text;

/* How many pairs there are; `*at` begins with the first then. NULL has none. */
int32_t arrow_metadata_begin(const char **at);
/* The next text: a key, or after it its value. */
arrow_text arrow_metadata_next(const char **at);

/* The name of the extension type that a type stands for; `data` is NULL if it stands for none. */
arrow_text arrow_metadata_extension(const char *metadata);

#endif

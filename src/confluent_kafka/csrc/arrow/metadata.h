/*
 * The metadata of an Arrow type: pairs of texts, as the Arrow C data interface encodes them.
 */
#ifndef CONFLUENT_KAFKA_ARROW_METADATA_H
#define CONFLUENT_KAFKA_ARROW_METADATA_H

#include <stddef.h>
#include <stdint.h>

/* A text that does not end in NUL. */
typedef struct {
    const char *data;
    size_t size;
} arrow_text;

/* Returns the number of pairs and moves `*at` to the first one. NULL has no pairs. */
int32_t arrow_metadata_begin(const char **at);
/* Returns the next text: a key, or the value after a key. */
arrow_text arrow_metadata_next(const char **at);

/* The name of the extension type; `data` is NULL if the type is not an extension type. */
arrow_text arrow_metadata_extension(const char *metadata);

#endif

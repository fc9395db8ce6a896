#ifndef CONFLUENT_KAFKA_COLUMNS_UTF8_H
#define CONFLUENT_KAFKA_COLUMNS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether it is UTF-8 (RFC 3629), as Arrow requires of strings: no surrogates, and no overlong
 * forms. */
bool utf8_is_valid(const uint8_t *data, size_t size);

#endif

#ifndef CONFLUENT_KAFKA_COLUMNS_UUID_TEXT_H
#define CONFLUENT_KAFKA_COLUMNS_UUID_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UUID_SIZE 16
#define UUID_TEXT_SIZE 36

/* Reads a UUID from its text (RFC 4122: 8-4-4-4-12 hexadecimal digits); false if it is not one. */
bool uuid_text_read(const uint8_t *text, size_t size, uint8_t *value);
/* Writes its text in lower case, without a NUL. */
void uuid_text_write(const uint8_t *value, char *text);

#endif

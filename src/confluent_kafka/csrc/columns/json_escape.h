/*
 * Escapes characters of strings for JSON (RFC 8259, section 7).
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_JSON_ESCAPE_H
#define CONFLUENT_KAFKA_COLUMNS_JSON_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The size of the longest escape, \u001f. */
#define JSON_ESCAPE_SIZE 6

static inline bool
json_must_escape(uint8_t byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\';
}

/* Writes a character that must be escaped; returns the number of bytes. */
static inline size_t
json_escape(uint8_t byte, uint8_t *to)
{
    static const char letters[] = "uuuuuuuubtnufruu", digits[] = "0123456789abcdef";
    to[0] = '\\';
    to[1] = byte >= 0x20 ? byte : byte < 0x10 ? (uint8_t)letters[byte] : 'u';
    if (to[1] != 'u') {
        return 2;
    }
    to[2] = '0';
    to[3] = '0';
    to[4] = (uint8_t)digits[byte >> 4];
    to[5] = (uint8_t)digits[byte & 0xf];
    return JSON_ESCAPE_SIZE;
}

#endif

/*
 * Copies short text that is mostly ASCII, without a call and without accessing further bytes.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_SHORT_TEXT_H
#define CONFLUENT_KAFKA_COLUMNS_SHORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "columns/words.h"

#define SHORT_TEXT_SIZE 16

/* Copies text of up to SHORT_TEXT_SIZE bytes as two halves, which may overlap. Returns whether it
 * is ASCII. */
static inline bool
short_text_copy(uint8_t *to, const uint8_t *text, size_t size)
{
    if (size >= 8) {
        uint64_t first = word_load(text), last = word_load(text + size - 8);
        memcpy(to, text, 8);
        memcpy(to + size - 8, text + size - 8, 8);
        return ((first | last) & WORD_HIGHS) == 0;
    }
    if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, text, 4);
        memcpy(&last, text + size - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + size - 4, &last, 4);
        return ((first | last) & (uint32_t)WORD_HIGHS) == 0;
    }
    if (size == 0) {
        return true;
    }
    /* For one to three bytes, these are all bytes. */
    uint8_t first = text[0], middle = text[size / 2], last = text[size - 1];
    to[0] = first;
    to[size / 2] = middle;
    to[size - 1] = last;
    return (first | middle | last) < 0x80;
}

#endif

#include "columns/utf8.h"

#include <string.h>

/* The number of ASCII bytes at the start, in steps of eight. */
static size_t
skip_ascii(const uint8_t *data, size_t size)
{
    size_t at = 0;
    while (size - at >= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, data + at, sizeof(word));
        if ((word & 0x8080808080808080u) != 0) {
            break;
        }
        at += sizeof(word);
    }
    return at;
}

/* The size of the character at `data`, of which `size` bytes exist; 0 if it is not valid. */
static size_t
character(const uint8_t *data, size_t size)
{
    uint8_t first = data[0];
    if (first < 0x80) {
        return 1;
    }
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || size < length) {
        return 0;
    }
    /* The limits of the second byte exclude overlong forms, surrogates and code points that are
     * too large. */
    uint8_t low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    uint8_t high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (data[1] < low || data[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < length; i++) {
        if ((data[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return length;
}

bool
utf8_is_valid(const uint8_t *data, size_t size)
{
    size_t at = 0;
    while (at < size) {
        at += skip_ascii(data + at, size - at);
        /* Eight characters, so that text without ASCII is seldom checked for ASCII again. */
        for (int i = 0; i < 8 && at < size; i++) {
            size_t length = character(data + at, size - at);
            if (length == 0) {
                return false;
            }
            at += length;
        }
    }
    return true;
}

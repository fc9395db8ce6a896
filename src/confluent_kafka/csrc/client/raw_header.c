#include "client/raw_header.h"

#define API_VERSIONS 18
#define NEVER INT8_MAX

/*
 * The first flexible version of each API key, from Kafka's message definitions
 * ("flexibleVersions"). For later keys, all versions are flexible.
 */
static const int8_t first_flexible[] = {
    9, 12, 6, 9, 4, 2, 6, 3, 8, 6, 3, 6, 4, 4, 4, 5, 3, NEVER, 3, 5, /* 0 */
    4, 2, 2, 4, 3, 3, 3, 1, 3, 2, 2, 2, 4, 2, 2, 2, 2, 2, 2, 2, /* 20 */
    2, 2, 2, 2, 1, 0, 0, NEVER, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, /* 40 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 60 */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 80 */
};

bool
raw_request_has_tags(int16_t api_key, int16_t version)
{
    const int16_t count = sizeof(first_flexible) / sizeof(first_flexible[0]);
    return api_key >= count || version >= first_flexible[api_key];
}

bool
raw_answer_has_tags(int16_t api_key, int16_t version)
{
    /* Its answer has the oldest header, because the client does not know any versions yet. */
    return api_key != API_VERSIONS && raw_request_has_tags(api_key, version);
}

/* Reads an unsigned varint. Returns the number of its bytes, or 0 if it is not a varint. */
static size_t
read_varint(const unsigned char *data, size_t size, uint32_t *value)
{
    const size_t longest = 5;
    *value = 0;
    for (size_t i = 0; i < size && i < longest; i++) {
        *value |= (uint32_t)(data[i] & 0x7f) << (7 * i);
        if ((data[i] & 0x80) == 0) {
            return i + 1;
        }
    }
    return 0;
}

size_t
raw_tags_size(const unsigned char *data, size_t size)
{
    uint32_t count, tag, length;
    size_t at = read_varint(data, size, &count);
    for (; at > 0 && count > 0; count--) {
        size_t of_tag = read_varint(data + at, size - at, &tag);
        size_t of_length = read_varint(data + at + of_tag, size - at - of_tag, &length);
        at += of_tag + of_length;
        if (of_tag == 0 || of_length == 0 || length > size - at) {
            return 0;
        }
        at += length;
    }
    return at;
}

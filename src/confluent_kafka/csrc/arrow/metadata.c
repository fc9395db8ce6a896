#include "arrow/metadata.h"

#include <string.h>

/* Sizes have the machine's byte order and need not be aligned. */
static int32_t
next_size(const char **at)
{
    int32_t size;
    memcpy(&size, *at, sizeof(size));
    *at += sizeof(size);
    return size;
}

int32_t
arrow_metadata_begin(const char **at)
{
    return *at == NULL ? 0 : next_size(at);
}

arrow_text
arrow_metadata_next(const char **at)
{
    size_t size = (size_t)next_size(at);
    arrow_text text = {*at, size};
    *at += size;
    return text;
}

arrow_text
arrow_metadata_extension(const char *metadata)
{
    static const char name[] = "ARROW:extension:name";
    int32_t count = arrow_metadata_begin(&metadata);
    for (int32_t i = 0; i < count; i++) {
        arrow_text key = arrow_metadata_next(&metadata);
        arrow_text value = arrow_metadata_next(&metadata);
        if (key.size == sizeof(name) - 1 && memcmp(key.data, name, key.size) == 0) {
            return value;
        }
    }
    return (arrow_text){NULL, 0};
}

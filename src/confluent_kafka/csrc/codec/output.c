#include "codec/output.h"

#include <stdlib.h>
#include <string.h>

enum codec_status
output_reserve(output *out, size_t more)
{
    if (more <= out->capacity - out->size) {
        return CODEC_OK;
    }
    if (more > out->limit - out->size) {
        return CODEC_TOO_LARGE;
    }
    /* Doubling the capacity means that each byte is copied once on average. */
    size_t needed = out->size + more;
    size_t capacity = out->capacity > out->limit / 2 ? out->limit : out->capacity * 2;
    if (capacity < needed) {
        capacity = needed;
    }
    uint8_t *data = realloc(out->data, capacity);
    if (data == NULL) {
        return CODEC_NO_MEMORY;
    }
    out->data = data;
    out->capacity = capacity;
    return CODEC_OK;
}

enum codec_status
output_put(output *out, const void *data, size_t size)
{
    if (size == 0) { /* then the pointer may be NULL */
        return CODEC_OK;
    }
    enum codec_status status = output_reserve(out, size);
    if (status == CODEC_OK) {
        memcpy(out->data + out->size, data, size);
        out->size += size;
    }
    return status;
}

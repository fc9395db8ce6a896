#include "codec/zstd.h"

#ifdef HAVE_ZSTD

#include <zstd.h>
#include <zstd_errors.h>

#define FIRST_ROOM 65536

static enum codec_status
status_of(size_t result)
{
    switch (ZSTD_getErrorCode(result)) {
    case ZSTD_error_no_error:
        return CODEC_OK;
    case ZSTD_error_memory_allocation:
        return CODEC_NO_MEMORY;
    default:
        return CODEC_CORRUPT;
    }
}

/*
 * Decompresses the frame as a whole, into a growing buffer. A stream would need an additional
 * window. The sizes of the window and of the content come from the input and cannot be trusted.
 */
enum codec_status
zstd_decompress(const uint8_t *data, size_t size, int option, output *out)
{
    (void)option;
    if (size == 0) {
        return CODEC_CORRUPT; /* libzstd sees no frame, which for libzstd is not an error */
    }
    size_t room = size < out->limit / 8 ? size * 8 : out->limit;
    room = room < FIRST_ROOM ? FIRST_ROOM : room;
    for (;;) {
        size_t left = out->limit - out->size;
        room = room < left ? room : left;
        enum codec_status status = output_reserve(out, room);
        if (status != CODEC_OK) {
            return status;
        }
        size_t result = ZSTD_decompress(out->data + out->size, room, data, size);
        if (ZSTD_getErrorCode(result) != ZSTD_error_dstSize_tooSmall) {
            out->size += ZSTD_isError(result) ? 0 : result;
            return status_of(result);
        }
        if (room == left) {
            return CODEC_TOO_LARGE;
        }
        room = room > left / 4 ? left : room * 4;
    }
}

enum codec_status
zstd_compress(const uint8_t *data, size_t size, int option, output *out)
{
    size_t most = ZSTD_compressBound(size);
    enum codec_status status = output_reserve(out, most);
    if (status != CODEC_OK) {
        return status;
    }
    size_t result = ZSTD_compress(out->data + out->size, most, data, size, option);
    out->size += ZSTD_isError(result) ? 0 : result;
    return status_of(result);
}

#else

enum codec_status
zstd_decompress(const uint8_t *data, size_t size, int option, output *out)
{
    (void)data, (void)size, (void)option, (void)out;
    return CODEC_UNAVAILABLE;
}

enum codec_status
zstd_compress(const uint8_t *data, size_t size, int option, output *out)
{
    (void)data, (void)size, (void)option, (void)out;
    return CODEC_UNAVAILABLE;
}

#endif

/*
 * Reads one column of Arrow data that another library made. This is plain C without Python.
 *
 * A column is bound to its array and then checked once; after that, reading a row cannot fail.
 * Checking functions return a description of the error (a constant), or NULL.
 */
#ifndef CONFLUENT_KAFKA_ARROW_COLUMN_H
#define CONFLUENT_KAFKA_ARROW_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arrow/abi.h"

enum arrow_layout {
    ARROW_NULLS,  /* no buffers: every row is null (also used for a missing column) */
    ARROW_INTEGER,
    ARROW_BYTES,  /* int32 or int64 offsets into one buffer */
    ARROW_FIXED,  /* `width` bytes a row */
    ARROW_VIEW,   /* 16-byte views: short values inline, others in one of many buffers */
    ARROW_LIST,   /* int32 or int64 offsets into the child */
    ARROW_STRUCT,
    ARROW_OTHER,
};

/* The relevant part of an Arrow format string. */
typedef struct {
    enum arrow_layout layout;
    int32_t width; /* the size of an integer, an offset or a fixed value in bytes */
    bool is_signed, is_text, is_timestamp;
    int64_t multiply, divide; /* convert a timestamp's unit to milliseconds */
} arrow_format;

arrow_format arrow_format_parse(const char *format);
/* The type in words, as pyarrow writes it; never NULL. */
const char *arrow_format_words(const char *format);

/* Rows are counted from the batch's first row, so `start` is the sum of all slicing. */
typedef struct {
    arrow_format format;
    int64_t start;
    int64_t length; /* the length of the array, in rows after `start` */
    const uint8_t *validity; /* NULL: no row is null */
    const void *slots;       /* values, offsets or views */
    const uint8_t *bytes;
    const void *const *blocks; /* the buffers that the views refer to */
    const int64_t *block_sizes;
    int64_t block_count;
} arrow_column;

/*
 * Binds `column` to `array`, which has the type `format`. Rows [first, first + rows) are used,
 * counted from the array's own offset.
 */
const char *arrow_column_bind(arrow_column *column, arrow_format format,
                              const struct ArrowArray *array, int64_t first,
                              int64_t rows);

bool arrow_column_is_valid(const arrow_column *column, int64_t row);
/* The value of a valid row of ARROW_INTEGER; UINT64 beyond INT64_MAX gives INT64_MAX. */
int64_t arrow_column_integer(const arrow_column *column, int64_t row);
/* The bytes of a valid row of ARROW_BYTES, ARROW_FIXED or ARROW_VIEW; may be NULL if empty. */
const void *arrow_column_value(const arrow_column *column, int64_t row, size_t *size);
/* The rows of the child that belong to `row` of ARROW_LIST: [*from, *to). */
void arrow_column_list(const arrow_column *column, int64_t row, int64_t *from,
                       int64_t *to);
/* The child's rows that rows [0, count) refer to; the offsets are checked, and count > 0. */
void arrow_column_span(const arrow_column *column, int64_t count, int64_t *from,
                       int64_t *to);
/* Checks that the offsets of rows [from, to) do not decrease and are within [0, limit]. */
const char *arrow_column_check_offsets(const arrow_column *column, int64_t from,
                                       int64_t to, int64_t limit);

/* A column of bytes or text, possibly dictionary-encoded. */
typedef struct {
    arrow_column values;
    arrow_column indices; /* into `values`, if dictionary-encoded */
    bool is_encoded;
} arrow_bytes;

/* Checks that every value in rows [from, to) lies inside its buffers. */
const char *arrow_bytes_check(const arrow_bytes *column, int64_t from, int64_t to);
/* NULL for a null value; an empty value has an address. */
const void *arrow_bytes_get(const arrow_bytes *column, int64_t row, size_t *size);
/* The end of the buffer of a non-empty value: it can be read up to there. */
const void *arrow_bytes_end(const arrow_bytes *column, int64_t row);

#endif

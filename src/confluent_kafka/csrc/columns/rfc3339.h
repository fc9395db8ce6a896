/*
 * Reads and writes dates and times in the format of RFC 3339.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_RFC3339_H
#define CONFLUENT_KAFKA_COLUMNS_RFC3339_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The offset of a text from UTC, if there is one. */
typedef struct {
    bool is_given;
    int32_t seconds; /* to the east */
} utc_offset;

/* Reads "2026-11-23": days since 1970. */
bool rfc3339_date(const uint8_t *text, size_t size, int32_t *days);
/* Reads "10:20:30.123456", possibly with an offset: nanoseconds since local midnight. */
bool rfc3339_time(const uint8_t *text, size_t size, int64_t *nanoseconds, utc_offset *offset);
/* Reads both, with "T" or a space between: seconds since 1970, in UTC if an offset is given. */
bool rfc3339_timestamp(const uint8_t *text, size_t size, int64_t *seconds,
                       int32_t *nanoseconds, utc_offset *offset);

/* The maximum size of the texts that these functions write. */
#define RFC3339_SIZE 32

/* Each function writes without an offset, and returns the number of bytes. A fraction has `digits`
 * digits, 0 to 9; a fraction of 0 is left out. */
size_t rfc3339_write_date(int32_t days, uint8_t *to);
size_t rfc3339_write_time(int32_t seconds, int32_t fraction, int digits, uint8_t *to);
/* Whether the year of the date can be written with four digits. */
bool rfc3339_has_date(int64_t days);

#endif

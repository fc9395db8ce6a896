/*
 * Dates and times as RFC 3339 writes them.
 */
#ifndef CONFLUENT_KAFKA_COLUMNS_RFC3339_H
#define CONFLUENT_KAFKA_COLUMNS_RFC3339_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether, and by how much, a text is away from UTC. */
typedef struct {
    bool is_given;
    int32_t seconds; /* to the east */
} utc_offset;

/* "2026-11-23": days since 1970. */
bool rfc3339_date(const uint8_t *text, size_t size, int32_t *days);
/* "10:20:30.123456", perhaps with an offset: nanoseconds since midnight, there. */
bool rfc3339_time(const uint8_t *text, size_t size, int64_t *nanoseconds, utc_offset *offset);
/* Both, with "T" or a space between: seconds since 1970, in UTC if an offset is given. */
bool rfc3339_timestamp(const uint8_t *text, size_t size, int64_t *seconds,
                       int32_t *nanoseconds, utc_offset *offset);

/* Bytes of the longest text that follows. */
#define RFC3339_SIZE 32

/* Each writes without an offset, and gives the number of bytes. A fraction has `digits` digits, 0
 * to 9; one that is 0 is left out. */
size_t rfc3339_write_date(int32_t days, uint8_t *to);
size_t rfc3339_write_time(int32_t seconds, int32_t fraction, int digits, uint8_t *to);
/* Whether the date has a year that is written with four digits. */
bool rfc3339_has_date(int64_t days);

#endif

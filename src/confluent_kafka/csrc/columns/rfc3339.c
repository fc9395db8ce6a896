#include "columns/rfc3339.h"

#include "columns/digits.h"

typedef struct {
    const uint8_t *at, *end;
} text;

static inline bool
take(text *self, uint8_t byte)
{
    if (self->at == self->end || *self->at != byte) {
        return false;
    }
    self->at++;
    return true;
}

/* Reads a two-digit number within limits. */
static inline bool
take_two(text *self, int32_t least, int32_t most, int32_t *value)
{
    if (self->end - self->at < 2) {
        return false;
    }
    uint8_t tens = (uint8_t)(self->at[0] - '0'), ones = (uint8_t)(self->at[1] - '0');
    *value = tens * 10 + ones;
    self->at += 2;
    return tens <= 9 && ones <= 9 && *value >= least && *value <= most;
}

/* In the Gregorian calendar, also before its introduction (Howard Hinnant, "days_from_civil"). */
static int32_t
days_since_1970(int32_t year, int32_t month, int32_t day)
{
    year += 400 - (month <= 2); /* years begin in March, and are not negative */
    int32_t of_era = year % 400;
    int32_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return (year / 400 - 1) * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year
           - 719468;
}

static bool
is_leap(int32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static bool
take_date(text *self, int32_t *days)
{
    static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int32_t century, year, month, day;
    if (!take_two(self, 0, 99, &century) || !take_two(self, 0, 99, &year) || !take(self, '-')
        || !take_two(self, 1, 12, &month) || !take(self, '-')
        || !take_two(self, 1, 31, &day)) {
        return false;
    }
    year += century * 100;
    *days = days_since_1970(year, month, day);
    return day <= lengths[month - 1] + (month == 2 && is_leap(year));
}

/* Reads "Z" or "+01:00"; an empty text means no offset. */
static bool
take_offset(text *self, utc_offset *offset)
{
    *offset = (utc_offset){.is_given = self->at < self->end};
    if (!offset->is_given || take(self, 'Z') || take(self, 'z')) {
        return true;
    }
    int32_t hours, minutes;
    bool is_west = take(self, '-');
    if ((!is_west && !take(self, '+')) || !take_two(self, 0, 23, &hours) || !take(self, ':')
        || !take_two(self, 0, 59, &minutes)) {
        return false;
    }
    offset->seconds = (hours * 60 + minutes) * (is_west ? -60 : 60);
    return true;
}

/* Reads a fraction; digits beyond nanoseconds are dropped. */
static bool
take_fraction(text *self, int32_t *nanoseconds)
{
    *nanoseconds = 0;
    if (!take(self, '.')) {
        return true;
    }
    const uint8_t *start = self->at;
    int32_t unit = 100000000;
    for (; self->at < self->end && (uint8_t)(*self->at - '0') <= 9; self->at++) {
        *nanoseconds += (*self->at - '0') * unit;
        unit /= 10;
    }
    return self->at > start;
}

static bool
take_time(text *self, int32_t *seconds, int32_t *nanoseconds)
{
    int32_t hour, minute, second;
    if (!take_two(self, 0, 23, &hour) || !take(self, ':') || !take_two(self, 0, 59, &minute)
        || !take(self, ':') || !take_two(self, 0, 59, &second)) {
        return false;
    }
    *seconds = (hour * 60 + minute) * 60 + second;
    return take_fraction(self, nanoseconds);
}

bool
rfc3339_date(const uint8_t *data, size_t size, int32_t *days)
{
    text self = {data, data + size};
    return take_date(&self, days) && self.at == self.end;
}

bool
rfc3339_time(const uint8_t *data, size_t size, int64_t *nanoseconds, utc_offset *offset)
{
    text self = {data, data + size};
    int32_t seconds, fraction;
    if (!take_time(&self, &seconds, &fraction) || !take_offset(&self, offset)) {
        return false;
    }
    *nanoseconds = (int64_t)seconds * 1000000000 + fraction;
    return self.at == self.end;
}

bool
rfc3339_timestamp(const uint8_t *data, size_t size, int64_t *seconds, int32_t *nanoseconds,
                  utc_offset *offset)
{
    text self = {data, data + size};
    int32_t days, of_day;
    if (!take_date(&self, &days)
        || !(take(&self, 'T') || take(&self, 't') || take(&self, ' '))
        || !take_time(&self, &of_day, nanoseconds) || !take_offset(&self, offset)) {
        return false;
    }
    *seconds = (int64_t)days * 86400 + of_day - offset->seconds;
    return self.at == self.end;
}

/* ---- writing ---- */

bool
rfc3339_has_date(int64_t days)
{
    return days >= days_since_1970(0, 1, 1) && days <= days_since_1970(9999, 12, 31);
}

/* The inverse ("civil_from_days"), for years that are not negative. */
size_t
rfc3339_write_date(int32_t days, uint8_t *to)
{
    uint32_t since = (uint32_t)(days + 719468 + 146097); /* March 1 of the year -400 */
    uint32_t era = since / 146097, of_era = since % 146097;
    uint32_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    uint32_t of_year = of_era - (365 * year + year / 4 - year / 100);
    uint32_t from_march = (5 * of_year + 2) / 153;
    uint32_t month = from_march < 10 ? from_march + 3 : from_march - 9;
    digits_write_padded(year + era * 400 - 400 + (month <= 2), 4, to);
    to[4] = '-';
    digits_write_padded(month, 2, to + 5);
    to[7] = '-';
    digits_write_padded(of_year - (153 * from_march + 2) / 5 + 1, 2, to + 8);
    return 10;
}

size_t
rfc3339_write_time(int32_t seconds, int32_t fraction, int digits, uint8_t *to)
{
    digits_write_padded((uint64_t)(seconds / 3600), 2, to);
    to[2] = ':';
    digits_write_padded((uint64_t)(seconds / 60 % 60), 2, to + 3);
    to[5] = ':';
    digits_write_padded((uint64_t)(seconds % 60), 2, to + 6);
    if (fraction == 0) {
        return 8;
    }
    to[8] = '.';
    digits_write_padded((uint64_t)fraction, digits, to + 9);
    return 9 + (size_t)digits;
}

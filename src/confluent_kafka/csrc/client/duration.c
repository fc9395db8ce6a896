#include "client/duration.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const char UNITS[] = "DHMS"; /* a T stands between days and the other units */
static const double UNITS_MS[] = {86400e3, 3600e3, 60e3, 1e3};

/* Reads a number. Returns the end of its text, where its unit begins, or NULL without a number. */
static const char *
read_number(const char *text, double *number)
{
    size_t digits = strspn(text, "0123456789");
    *number = 0;
    for (size_t i = 0; i < digits; i++) {
        *number = *number * 10 + (text[i] - '0');
    }
    const char *end = text + digits;
    if (digits > 0 && *end == '.') {
        size_t places = strspn(end + 1, "0123456789");
        double place = 1;
        for (size_t i = 1; i <= places; i++) {
            place /= 10;
            *number += (end[i] - '0') * place;
        }
        end += 1 + places;
        digits = *end == 'S' || *end == 's' ? places : 0;
    }
    return digits == 0 ? NULL : end;
}

double
duration_ms(const char *text)
{
    double total = 0;
    size_t next = 0; /* the first unit that may follow */
    bool has_parts = false, in_time = false;
    if (toupper((unsigned char)*text++) != 'P') {
        return -1;
    }
    while (*text != '\0') {
        if (!in_time && toupper((unsigned char)*text) == 'T') {
            in_time = true;
            next = 1;
            text++;
        }
        double number;
        text = read_number(text, &number);
        if (text == NULL) {
            return -1;
        }
        size_t unit = next;
        while (unit < sizeof(UNITS_MS) / sizeof(*UNITS_MS)
               && toupper((unsigned char)*text) != UNITS[unit]) {
            unit++;
        }
        if (unit == sizeof(UNITS_MS) / sizeof(*UNITS_MS) || in_time == (unit == 0)) {
            return -1;
        }
        total += number * UNITS_MS[unit];
        next = unit + 1;
        has_parts = true;
        text++;
    }
    return has_parts && total <= LONGEST_DURATION_MS ? floor(total + 0.5) : -1;
}

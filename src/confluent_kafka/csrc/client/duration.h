/*
 * Durations in the form of ISO 8601, as Kafka writes them in configurations: "PT1H", "P1DT12H".
 */
#ifndef CONFLUENT_KAFKA_CLIENT_DURATION_H
#define CONFLUENT_KAFKA_CLIENT_DURATION_H

#include "base/compat.h"

/* About 3,000 years. A double can represent each millisecond of this time. */
#define LONGEST_DURATION_MS 1e14

/*
 * The milliseconds of a duration, or -1 if the text is not one, or is longer than
 * LONGEST_DURATION_MS. Its parts are days, hours, minutes and seconds, in this order. Only seconds
 * can have a fraction, which is rounded to milliseconds.
 */
double duration_ms(const char *text);

#endif

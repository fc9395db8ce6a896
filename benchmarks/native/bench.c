/* Options, clocks and clients for the subcommands. */

#include "bench.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FLUSH_TIMEOUT_MS 60000

void
die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("benchmarks: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

const char *
option(const options_t *options, const char *name)
{
    for (int i = 0; i + 1 < options->argc; i += 2) {
        if (strcmp(options->argv[i], name) == 0) {
            return options->argv[i + 1];
        }
    }
    die("option %s is missing", name);
}

int64_t
option_count(const options_t *options, const char *name)
{
    const char *text = option(options, name);
    char *end;
    long long count = strtoll(text, &end, 10);

    if (end == text || *end != '\0' || count < 0) {
        die("option %s must be a count, not \"%s\"", name, text);
    }
    return count;
}

static double
clock_seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double
wall_seconds(void)
{
    return clock_seconds(CLOCK_MONOTONIC);
}

double
thread_seconds(void)
{
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

double
process_seconds(void)
{
    return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

void
conf_set(rd_kafka_conf_t *conf, const char *key, const char *value)
{
    char error[512];

    if (rd_kafka_conf_set(conf, key, value, error, sizeof(error))
        != RD_KAFKA_CONF_OK) {
        die("%s", error);
    }
}

rd_kafka_t *
client_new(rd_kafka_type_t type, rd_kafka_conf_t *conf)
{
    char error[512];
    rd_kafka_t *rk = rd_kafka_new(type, conf, error, sizeof(error));

    if (rk == NULL) {
        die("%s", error);
    }
    return rk;
}

void
fill_value(char value[VALUE_SIZE], int64_t i)
{
    char text[VALUE_SIZE + 1];

    snprintf(text, sizeof(text), "%0*d", VALUE_SIZE,
             (int)(i % MESSAGES_PER_POLL));
    memcpy(value, text, VALUE_SIZE);
}

void
flush_or_die(rd_kafka_t *rk)
{
    rd_kafka_resp_err_t err = rd_kafka_flush(rk, FLUSH_TIMEOUT_MS);

    if (err) {
        die("flush: %s, %d messages not delivered", rd_kafka_err2str(err),
            rd_kafka_outq_len(rk));
    }
}

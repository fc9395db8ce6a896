/* The functions that the subcommands of the native benchmark program share. */

#ifndef BENCH_H
#define BENCH_H

/* Declares clock_gettime() and nanosleep() under -std=c11. */
#define _POSIX_C_SOURCE 200809L

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <librdkafka/rdkafka.h>

#define VALUE_SIZE 100

/* Calls between two polls of the event queue, as in the Python workloads. */
#define MESSAGES_PER_POLL 1000

typedef struct {
    int argc;
    char **argv;
} options_t;

/* Return the text or the count given as "--name value". The program ends if
 * the option is missing or not a count. */
const char *option(const options_t *options, const char *name);
int64_t option_count(const options_t *options, const char *name);

/* Print the message and end the program with status 1. */
_Noreturn void die(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

double wall_seconds(void);
double thread_seconds(void);
double process_seconds(void);

void conf_set(rd_kafka_conf_t *conf, const char *key, const char *value);
rd_kafka_t *client_new(rd_kafka_type_t type, rd_kafka_conf_t *conf);

/* Write the value of the i-th message, which is the same as in the Python
 * workloads. Each call between two polls has a different value. */
void fill_value(char value[VALUE_SIZE], int64_t i);

void flush_or_die(rd_kafka_t *rk);

int cluster_main(const options_t *options);
int load_main(const options_t *options);
int produce_main(const options_t *options);
int consume_main(const options_t *options);

#endif

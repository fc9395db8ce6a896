/* The native side of the benchmarks: the cluster that every client talks to,
 * the loader of its topics, and the C programs that show librdkafka's limit. */

#include "bench.h"

#include <string.h>

static const struct {
    const char *name;
    int (*run)(const options_t *options);
} subcommands[] = {
    {"cluster", cluster_main},
    {"load", load_main},
    {"produce", produce_main},
    {"consume", consume_main},
};

int
main(int argc, char **argv)
{
    const size_t count = sizeof(subcommands) / sizeof(subcommands[0]);

    for (size_t i = 0; argc > 1 && i < count; i++) {
        if (strcmp(argv[1], subcommands[i].name) == 0) {
            options_t options = {argc - 2, argv + 2};
            return subcommands[i].run(&options);
        }
    }
    die("the first argument must be cluster, load, produce or consume");
}

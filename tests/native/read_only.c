/*
 * Reads an atomic counter of librdkafka's in memory that cannot be written: what is a write to the
 * processor ends the process. rd_kafka_fatal_error() reads one, and nothing else where it is zero,
 * of a handle; this one is zeros, and larger than any. Prints what it returns.
 */
#include <librdkafka/rdkafka.h>
#include <stdio.h>
#include <sys/mman.h>

int
main(void)
{
    void *handle = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (handle == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    printf("%s\n", rd_kafka_err2name(rd_kafka_fatal_error(handle, NULL, 0)));
    return 0;
}

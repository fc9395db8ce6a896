/*
 * Reads an atomic counter of librdkafka in read-only memory: if the processor counts the read as a
 * write, the process ends. rd_kafka_fatal_error() reads such a counter in a handle, and if it is
 * zero, nothing else. The handle here is all zeros, and larger than a real one. Prints the result.
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

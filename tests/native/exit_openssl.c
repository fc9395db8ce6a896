/*
 * Tests whether a client that is not destroyed can still use OpenSSL while the process exits.
 *
 * exit_openssl plaintext prints how often librdkafka has asked OpenSSL for random bytes: the linker
 * option --wrap redirects these calls to this file. exit_openssl ssl prints whether OpenSSL works
 * after all other exit handlers.
 */
#include "clients.h"

#include <openssl/crypto.h>
#include <stdatomic.h>
#include <string.h>

#define WAIT_MS 60000

static atomic_int random_calls;

int __real_RAND_priv_bytes(unsigned char *buffer, int size);

int
__wrap_RAND_priv_bytes(unsigned char *buffer, int size)
{
    atomic_fetch_add(&random_calls, 1);
    return __real_RAND_priv_bytes(buffer, size);
}

static void
look_at_openssl(void)
{
    printf("OpenSSL %s\n", OPENSSL_init_crypto(0, NULL) ? "works" : "has ended");
}

/* Creates a client of a missing broker, and waits for two failed connections. */
static void
leave_a_client(const char *protocol)
{
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    set(conf, "bootstrap.servers", "127.0.0.1:1");
    set(conf, "security.protocol", protocol);
    set(conf, "enable.ssl.certificate.verification", "false");
    set(conf, "reconnect.backoff.ms", "1");
    set(conf, "log_level", "0");
    rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_ERROR);
    rd_kafka_t *client = new_client(RD_KAFKA_PRODUCER, conf);
    rd_kafka_queue_t *queue = rd_kafka_queue_get_main(client);
    for (int errors = 0; errors < 2; errors++) {
        rd_kafka_event_t *event = rd_kafka_queue_poll(queue, WAIT_MS);
        check(rd_kafka_event_type(event) == RD_KAFKA_EVENT_ERROR, "no error");
        rd_kafka_event_destroy(event);
    }
    rd_kafka_queue_destroy(queue);
}

int
main(int argc, char **argv)
{
    check(argc == 2, "plaintext or ssl");
    bool uses_tls = strcmp(argv[1], "ssl") == 0;
    if (uses_tls) {
        atexit(look_at_openssl); /* the first handler, so it runs after OpenSSL's own */
    }
    leave_a_client(argv[1]);
    if (!uses_tls) {
        printf("random calls %d\n", random_calls);
    }
    return 0;
}

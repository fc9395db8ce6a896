/*
 * Configuration: from a Python dict to rd_kafka_conf_t.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CONFIG_H
#define CONFLUENT_KAFKA_CLIENT_CONFIG_H

#include "client/client.h"

/* A key that is handled here and not by librdkafka, stored in the client's struct. */
typedef struct {
    const char *key;
    size_t offset; /* of a PyObject * (a callable), or of a bool for CONFIG_BOOL */
    enum {
        CONFIG_CALLABLE,     /* of all clients */
        CONFIG_OWN_CALLABLE, /* of this one */
        CONFIG_LOGGER,
        CONFIG_BOOL
    } kind;
} python_key;

/*
 * Reads tp_init arguments (config_dict, **kwargs) into a new rd_kafka_conf_t and the
 * client's fields. `own_keys` (ended by key NULL) are the subtype's own. NULL with an
 * exception: KafkaException(_INVALID_ARG) naming the key and the nearest known one.
 */
rd_kafka_conf_t *config_read(Client *self, PyObject *args, PyObject *kwargs,
                             const python_key *own_keys);

/* Keys that all clients have. */
extern const python_key client_keys[];

#endif

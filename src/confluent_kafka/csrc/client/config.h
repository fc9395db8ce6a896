/*
 * Converts the configuration from a Python dict to rd_kafka_conf_t.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CONFIG_H
#define CONFLUENT_KAFKA_CLIENT_CONFIG_H

#include "client/client.h"

/* A key that is handled here instead of by librdkafka, and stored in the client's struct. */
typedef struct {
    const char *key;
    size_t offset; /* of a PyObject * (a callable), or of a bool for CONFIG_BOOL */
    enum {
        CONFIG_CALLABLE,     /* every kind of client has this key */
        CONFIG_OWN_CALLABLE, /* only this kind of client has this key */
        CONFIG_LOGGER,
        CONFIG_BOOL
    } kind;
} python_key;

/*
 * Reads the arguments of tp_init (config_dict, **kwargs) into a new rd_kafka_conf_t and the
 * client's fields. `own_keys` are the keys of the subtype, ended by a NULL key. NULL with an
 * exception: KafkaException(_INVALID_ARG), which names the key and the most similar known key.
 */
rd_kafka_conf_t *config_read(Client *self, PyObject *args, PyObject *kwargs,
                             const python_key *own_keys);

/* The keys that all clients have. */
extern const python_key client_keys[];

#endif

#ifndef CONFLUENT_KAFKA_VALUES_METADATA_H
#define CONFLUENT_KAFKA_VALUES_METADATA_H

#include "base/module_state.h"

/* A confluent_kafka.admin.ClusterMetadata; the caller keeps `metadata`. New reference. */
PyObject *cluster_metadata_from(module_state *state, rd_kafka_t *rk,
                                const struct rd_kafka_metadata *metadata);

/* The id that the client already has, a str or None. Sends nothing and never waits. */
PyObject *cluster_id_known(rd_kafka_t *rk);

#endif

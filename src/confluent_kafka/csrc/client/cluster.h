/*
 * list_topics() and cluster_id(): what every client can ask of the cluster.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CLUSTER_H
#define CONFLUENT_KAFKA_CLIENT_CLUSTER_H

#include "base/module_state.h"

/* For the type of all clients. */
extern PyMethodDef cluster_methods[];

#endif

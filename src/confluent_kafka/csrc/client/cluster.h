/*
 * list_topics() and cluster_id(): the requests about the cluster that every client has.
 */
#ifndef CONFLUENT_KAFKA_CLIENT_CLUSTER_H
#define CONFLUENT_KAFKA_CLIENT_CLUSTER_H

#include "base/module_state.h"

/* Methods for the base type of all clients. */
extern PyMethodDef cluster_methods[];

#endif

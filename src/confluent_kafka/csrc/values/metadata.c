#include "values/metadata.h"

#include "base/list.h"
#include "base/text.h"
#include "values/error.h"

/* The Python classes of metadata, during one conversion. */
typedef struct {
    module_state *state;
    PyObject *cluster, *broker, *topic, *partition;
} metadata_classes;

static int
class_import(PyObject **result, const char *name)
{
    *result = import_attribute("confluent_kafka._values.metadata", name);
    return *result == NULL ? -1 : 0;
}

static int
classes_import(metadata_classes *classes, module_state *state)
{
    *classes = (metadata_classes){.state = state};
    if (class_import(&classes->cluster, "ClusterMetadata") < 0
        || class_import(&classes->broker, "BrokerMetadata") < 0
        || class_import(&classes->topic, "TopicMetadata") < 0
        || class_import(&classes->partition, "PartitionMetadata") < 0) {
        return -1;
    }
    return 0;
}

static void
classes_release(metadata_classes *classes)
{
    Py_XDECREF(classes->cluster);
    Py_XDECREF(classes->broker);
    Py_XDECREF(classes->topic);
    Py_XDECREF(classes->partition);
}

static PyObject *
id_of(const void *ids, size_t i)
{
    return PyLong_FromLong(((const int32_t *)ids)[i]);
}

static PyObject *
ids_from(const int32_t *ids, int count)
{
    return list_of((size_t)count, id_of, ids);
}

/* dict[key] = value; steals both, either may be NULL with an exception set. */
static int
dict_add(PyObject *dict, PyObject *key, PyObject *value)
{
    int result = -1;
    if (key != NULL && value != NULL) {
        result = PyDict_SetItem(dict, key, value);
    }
    Py_XDECREF(key);
    Py_XDECREF(value);
    return result;
}

static PyObject *
partition_from(const metadata_classes *classes,
               const struct rd_kafka_metadata_partition *partition)
{
    return call_with(classes->partition,
                     Py_BuildValue("(iiNNN)", (int)partition->id, (int)partition->leader,
                                   ids_from(partition->replicas, partition->replica_cnt),
                                   ids_from(partition->isrs, partition->isr_cnt),
                                   kafka_error_or_none(classes->state, partition->err, NULL)));
}

static PyObject *
partitions_from(const metadata_classes *classes,
                const struct rd_kafka_metadata_topic *topic)
{
    PyObject *partitions = PyDict_New();
    for (int i = 0; partitions != NULL && i < topic->partition_cnt; i++) {
        const struct rd_kafka_metadata_partition *partition = &topic->partitions[i];
        if (dict_add(partitions, PyLong_FromLong(partition->id),
                     partition_from(classes, partition)) < 0) {
            Py_CLEAR(partitions);
        }
    }
    return partitions;
}

static PyObject *
topic_from(const metadata_classes *classes, const struct rd_kafka_metadata_topic *topic)
{
    return call_with(classes->topic,
                     Py_BuildValue("(NNN)", text_from(topic->topic),
                                   partitions_from(classes, topic),
                                   kafka_error_or_none(classes->state, topic->err, NULL)));
}

static PyObject *
topics_from(const metadata_classes *classes, const struct rd_kafka_metadata *metadata)
{
    PyObject *topics = PyDict_New();
    for (int i = 0; topics != NULL && i < metadata->topic_cnt; i++) {
        const struct rd_kafka_metadata_topic *topic = &metadata->topics[i];
        if (dict_add(topics, text_from(topic->topic), topic_from(classes, topic)) < 0) {
            Py_CLEAR(topics);
        }
    }
    return topics;
}

static PyObject *
broker_from(const metadata_classes *classes,
            const struct rd_kafka_metadata_broker *broker)
{
    return call_with(classes->broker, Py_BuildValue("(iNi)", (int)broker->id,
                                                    text_from(broker->host), broker->port));
}

static PyObject *
brokers_from(const metadata_classes *classes, const struct rd_kafka_metadata *metadata)
{
    PyObject *brokers = PyDict_New();
    for (int i = 0; brokers != NULL && i < metadata->broker_cnt; i++) {
        const struct rd_kafka_metadata_broker *broker = &metadata->brokers[i];
        if (dict_add(brokers, PyLong_FromLong(broker->id), broker_from(classes, broker))
            < 0) {
            Py_CLEAR(brokers);
        }
    }
    return brokers;
}

PyObject *
cluster_id_known(rd_kafka_t *rk)
{
    char *id = rd_kafka_clusterid(rk, 0); /* a timeout of 0 does not ask a broker */
    PyObject *object = text_from(id);
    if (id != NULL) {
        rd_kafka_mem_free(rk, id);
    }
    return object;
}

PyObject *
cluster_metadata_from(module_state *state, rd_kafka_t *rk,
                      const struct rd_kafka_metadata *metadata)
{
    metadata_classes classes;
    PyObject *cluster = NULL;
    if (classes_import(&classes, state) == 0) {
        cluster = call_with(
            classes.cluster,
            Py_BuildValue("(NiNNiN)", cluster_id_known(rk), (int)rd_kafka_controllerid(rk, 0),
                          brokers_from(&classes, metadata), topics_from(&classes, metadata),
                          (int)metadata->orig_broker_id,
                          text_from(metadata->orig_broker_name)));
    }
    classes_release(&classes);
    return cluster;
}

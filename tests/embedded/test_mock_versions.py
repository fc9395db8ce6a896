"""The embedded cluster answers every version that it offers, so old and new clients work with
it."""

from __future__ import annotations

from typing import Any

from confluent_kafka import OFFSET_INVALID, Consumer, Producer, TopicPartition, protocol
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from confluent_kafka.testing._administration import administration
from confluent_kafka.testing._security._authorizer import Acls
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "mock-snapshot", "raw-request")


def samples(kind: Any, topic: str, version: int) -> list[Any]:
    """Requests of a kind to which the brokers answer with as many fields as possible."""
    if kind is protocol.ListOffsetsRequest:
        return [_list_offsets(topic, timestamp) for timestamp in (-1, -2, 0, 1, 2**62)]
    if kind is protocol.CreateTopicsRequest:
        new = kind.CreatableTopic(name=f"{topic}-{version}", num_partitions=1, replication_factor=1)
        return [kind(topics=[new], timeout_ms=1000)]
    if kind is protocol.DescribeConfigsRequest:
        resource = kind.DescribeConfigsResource(resource_type=2, resource_name=topic)
        return [kind(resources=[resource])]
    if kind is protocol.DescribeGroupsRequest:
        return [kind(groups=["no-such-group"])]
    if kind is protocol.DeleteRecordsRequest:
        first = kind.DeleteRecordsPartition(partition_index=0, offset=0)
        return [kind(topics=[kind.DeleteRecordsTopic(name=topic, partitions=[first])])]
    if kind is protocol.DescribeAclsRequest:
        any_of = {"resource_type_filter": 1, "operation": 1, "permission_type": 1}
        return [kind(**any_of, pattern_type_filter=1 if version else 3)]
    return [kind()]


def _list_offsets(topic: str, timestamp: int) -> Any:
    kind = protocol.ListOffsetsRequest
    asked = kind.ListOffsetsPartition(partition_index=0, timestamp=timestamp)
    return kind(replica_id=-1, topics=[kind.ListOffsetsTopic(name=topic, partitions=[asked])])


def test_every_version_is_answered(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """In every version that the brokers report, the answer does not end the connection."""
    producer.produce(kafka_topic, "a record", partition=0)
    assert producer.flush(TIMEOUT) == 0
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        leader = admin.list_topics(kafka_topic, TIMEOUT).topics[kafka_topic].partitions[0].leader
        versions = admin.api_versions(timeout=TIMEOUT)
        for api_key in administration(kafka_cluster, {}, Acls()).handlers:
            first, last = versions[api_key]
            kind = protocol.request_class(api_key)
            for version in range(max(first, kind.valid_versions[0]), last + 1):
                _ask(admin, kind, version, kafka_topic, leader)


def _ask(admin: AdminClient, kind: Any, version: int, topic: str, broker: int) -> None:
    for request in samples(kind, topic, version):
        body = request.encode(version)
        answer = admin.request(kind.api_key, version, body, broker=broker, timeout=TIMEOUT)
        kind.response_class.decode(answer, version)


@needs("mock-committed")
def test_committed_offsets_of_an_unknown_topic(kafka_cluster: MockCluster) -> None:
    """As on Kafka, no offset is committed for an unknown topic, and there is no error."""
    kafka_cluster.create_topic("topic", 1)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    places = [TopicPartition("nothing", 0), TopicPartition("topic", 7)]
    with Consumer(config) as consumer:
        found = consumer.committed(places, timeout=TIMEOUT)
    assert [(each.offset, each.error) for each in found] == [(OFFSET_INVALID, None)] * 2

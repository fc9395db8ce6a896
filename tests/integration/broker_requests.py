"""Administrative requests that tests need, except requests for topics (see topics.py)."""

from __future__ import annotations

import struct
import uuid

from confluent_kafka import Consumer, KafkaError
from tests.integration.embedded_kafka import EmbeddedKafkaCluster
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader
from tests.integration.topics import create_topic
from tests.support.protocol import array, ask, compact_array, compact_text, text
from tests.support.waiting import TIMEOUT, wait_until

DELETE_RECORDS, INCREMENTAL_ALTER_CONFIGS = 21, 44
GROUP_RESOURCE, SET = 32, 0
ALTER_PARTITION_REASSIGNMENTS, ALTER_CLIENT_QUOTAS = 45, 49
TIMEOUT_MS = 30_000
CREATE_ACLS, DELEGATION_TOKEN, LITERAL, DESCRIBE, ALLOW = 30, 6, 3, 8, 3
NO_TAGS = b"\x00"


def delete_records(kafka: KafkaCluster, topic: str, before: int) -> None:
    """Deletes the records of partition 0 whose offsets are smaller than `before`."""
    body = array([text(topic) + array([struct.pack(">iq", 0, before)])])
    body += struct.pack(">i", TIMEOUT_MS)
    with reader(kafka) as consumer:
        address = _leader_address(consumer, topic)
    answer = ask(address, DELETE_RECORDS, 1, body)
    # The partition is the last field: its number, low watermark and error code.
    low, code = struct.unpack(">qh", answer[-10:])
    assert (code, low) == (KafkaError.NO_ERROR, before), KafkaError(code)


def allow_to_describe_token(kafka: KafkaCluster, token: str, principal: str) -> None:
    """Creates an ACL of a delegation token, a kind of resource that librdkafka does not support."""
    body = struct.pack(">b", DELEGATION_TOKEN) + text(token) + struct.pack(">b", LITERAL)
    body += text(principal) + text("*") + struct.pack(">bb", DESCRIBE, ALLOW)
    answer = ask(_any_address(kafka), CREATE_ACLS, 1, array([body]))
    (code,) = struct.unpack_from(">h", answer, 8)  # after throttle time and count
    assert code == KafkaError.NO_ERROR, KafkaError(code)


def set_client_quota(kafka: KafkaCluster, client_id: str, quota: str, rate: float | None) -> None:
    """Sets or removes a client's quota, in bytes per second and broker. Brokers apply it after a
    delay."""
    entity = array([text("client-id") + text(client_id)])
    operation = array([text(quota) + struct.pack(">db", rate or 0, rate is None)])
    answer = ask(_any_address(kafka), ALTER_CLIENT_QUOTAS, 0, array([entity + operation]) + b"\x00")
    (code,) = struct.unpack_from(">h", answer, 8)  # after throttle time and count
    assert code == KafkaError.NO_ERROR, KafkaError(code)


def set_group_config(kafka: KafkaCluster, group: str, **config: str) -> None:
    """Sets a group's configuration on every broker; `_` stands for a dot."""
    settings = {key.replace("_", "."): value for key, value in config.items()}
    configs = [text(key) + struct.pack(">b", SET) + text(settings[key]) for key in settings]
    resource = struct.pack(">b", GROUP_RESOURCE) + text(group) + array(configs)
    body = array([resource]) + b"\0"
    answer = ask(_any_address(kafka), INCREMENTAL_ALTER_CONFIGS, 0, body)
    (code,) = struct.unpack_from(">h", answer, 8)  # after throttle time and count
    assert code == KafkaError.NO_ERROR, f"{group}: {KafkaError(code)}"
    create_topic(kafka, f"{group}-{uuid.uuid4().hex[:12]}")  # afterwards every broker has it


def move_leader(kafka: KafkaCluster, topic: str) -> None:
    """Removes the leader of partition 0 from its replicas, so that another replica becomes the
    leader."""
    with reader(kafka) as consumer:
        partition = consumer.list_topics(topic, TIMEOUT).topics[topic].partitions[0]
        others = [each for each in partition.replicas if each != partition.leader]
        if isinstance(kafka, EmbeddedKafkaCluster):
            kafka.cluster.set_leader(topic, 0, others[0])
            return
        moved = struct.pack(">i", 0) + compact_array([struct.pack(">i", each) for each in others])
        topics = compact_array([compact_text(topic) + compact_array([moved + NO_TAGS]) + NO_TAGS])
        body = struct.pack(">i", TIMEOUT_MS) + topics + NO_TAGS
        answer = ask(
            _any_address(kafka), ALTER_PARTITION_REASSIGNMENTS, 0, body, header_tags=NO_TAGS
        )
        # after the header's tags and the throttle time
        (code,) = struct.unpack_from(">h", answer, 5)
        assert code == KafkaError.NO_ERROR, KafkaError(code)
        wait_until(
            lambda: (
                consumer.list_topics(topic, TIMEOUT).topics[topic].partitions[0].leader in others
            )
        )


def _any_address(kafka: KafkaCluster) -> str:
    """The address of any broker: brokers forward a request that is for the controller."""
    return kafka.bootstrap_servers.split(",")[0]


def _leader_address(consumer: Consumer, topic: str) -> str:
    metadata = consumer.list_topics(topic, TIMEOUT)
    broker = metadata.brokers[metadata.topics[topic].partitions[0].leader]
    return f"{broker.host}:{broker.port}"

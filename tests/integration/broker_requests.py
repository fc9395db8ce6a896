"""Administrative requests that tests need, written by hand: a script of Kafka's takes seconds.

Versions are those without tagged fields, where there are any.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence

from confluent_kafka import Consumer, KafkaError
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader
from tests.support.waiting import TIMEOUT, wait_until

DELETE_RECORDS, ALTER_PARTITION_REASSIGNMENTS, ALTER_CLIENT_QUOTAS = 21, 45, 49
TIMEOUT_MS = 30_000
NO_TAGS = b"\x00"


def delete_records(kafka: KafkaCluster, topic: str, before: int) -> None:
    """Deletes the records of partition 0 whose offsets are smaller."""
    body = _array([_text(topic) + _array([struct.pack(">iq", 0, before)])])
    body += struct.pack(">i", TIMEOUT_MS)
    with reader(kafka) as consumer:
        address = _leader_address(consumer, topic)
    answer = _ask(address, DELETE_RECORDS, 1, body)
    # The partition is the last field: number, low watermark, error code.
    low, code = struct.unpack(">qh", answer[-10:])
    assert (code, low) == (KafkaError.NO_ERROR, before), KafkaError(code)


def set_client_quota(kafka: KafkaCluster, client_id: str, quota: str, rate: float | None) -> None:
    """Sets bytes a second, for each broker, or removes the quota. Brokers obey a moment later."""
    entity = _array([_text("client-id") + _text(client_id)])
    operation = _array([_text(quota) + struct.pack(">db", rate or 0, rate is None)])
    answer = _ask(
        _any_address(kafka), ALTER_CLIENT_QUOTAS, 0, _array([entity + operation]) + b"\x00"
    )
    (code,) = struct.unpack_from(">h", answer, 8)  # after throttle time and count
    assert code == KafkaError.NO_ERROR, KafkaError(code)


def move_leader(kafka: KafkaCluster, topic: str) -> None:
    """Takes the leader of partition 0 out of its replicas, so that another one leads."""
    with reader(kafka) as consumer:
        partition = consumer.list_topics(topic, TIMEOUT).topics[topic].partitions[0]
        others = [each for each in partition.replicas if each != partition.leader]
        moved = struct.pack(">i", 0) + _compact_array([struct.pack(">i", each) for each in others])
        topics = _compact_array(
            [_compact_text(topic) + _compact_array([moved + NO_TAGS]) + NO_TAGS]
        )
        body = struct.pack(">i", TIMEOUT_MS) + topics + NO_TAGS
        answer = _ask(
            _any_address(kafka), ALTER_PARTITION_REASSIGNMENTS, 0, body, header_tags=NO_TAGS
        )
        (code,) = struct.unpack_from(">h", answer, 5)  # after the header's tags, throttle time
        assert code == KafkaError.NO_ERROR, KafkaError(code)
        wait_until(
            lambda: (
                consumer.list_topics(topic, TIMEOUT).topics[topic].partitions[0].leader in others
            )
        )


# ---- the protocol ----


def _ask(address: str, api_key: int, version: int, body: bytes, header_tags: bytes = b"") -> bytes:
    """The answer after its correlation id."""
    request = struct.pack(">hhi", api_key, version, 1) + _text("tests") + header_tags + body
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=TIMEOUT) as connection:
        connection.sendall(struct.pack(">i", len(request)) + request)
        stream = connection.makefile("rb")
        (size,) = struct.unpack(">i", stream.read(4))
        return stream.read(size)[4:]


def _any_address(kafka: KafkaCluster) -> str:
    """Brokers forward to the controller what is for it."""
    return kafka.bootstrap_servers.split(",")[0]


def _leader_address(consumer: Consumer, topic: str) -> str:
    metadata = consumer.list_topics(topic, TIMEOUT)
    broker = metadata.brokers[metadata.topics[topic].partitions[0].leader]
    return f"{broker.host}:{broker.port}"


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">h", len(data)) + data


def _array(items: Sequence[bytes]) -> bytes:
    return struct.pack(">i", len(items)) + b"".join(items)


def _compact_text(value: str) -> bytes:
    return bytes([len(value.encode()) + 1]) + value.encode()


def _compact_array(items: Sequence[bytes]) -> bytes:
    return bytes([len(items) + 1]) + b"".join(items)

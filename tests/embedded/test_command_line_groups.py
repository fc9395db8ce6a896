"""``groups describe`` for a group whose topics have changed."""

from __future__ import annotations

from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from tests.support.kafka import NO_BROKER, numbers, send
from tests.support.waiting import SOON, TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli.groups import _rows


def done(result: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(result)
    return future


class Groups(AdminClient):
    """An admin client with one group; it asks the cluster for the ends of partitions.

    The embedded cluster cannot describe groups.
    """

    def __init__(self, servers: str, committed: list[TopicPartition]) -> None:
        super().__init__({"bootstrap.servers": servers})
        self._offsets = committed

    def describe_consumer_groups(self, group_ids: Any, **_: Any) -> dict[str, Future[Any]]:
        found = SimpleNamespace(state=ConsumerGroupState.EMPTY, members=[])
        return {group: done(found) for group in group_ids}

    def list_consumer_group_offsets(self, request: Any, **_: Any) -> dict[str, Future[Any]]:
        found = ConsumerGroupTopicPartitions("g", self._offsets)
        return {each.group_id: done(found) for each in request}


def test_a_topic_that_is_gone(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """The end and the lag of the deleted topic are unknown; the group's other rows are shown."""
    send(producer, kafka_topic, numbers(0, 5))
    kafka_cluster.set_topic_error("gone", KafkaError.UNKNOWN_TOPIC_OR_PART)
    committed = [
        TopicPartition("gone", 0, 7),
        TopicPartition(kafka_topic, 0, 3),
        TopicPartition(kafka_topic, 999, 1),
    ]
    with Groups(kafka_cluster.bootstrap_servers, committed) as admin:
        rows = {(row[0], row[1]): row[2:5] for row in _rows(admin, "g", TIMEOUT)}
    assert rows == {
        (kafka_topic, 0): [3, 5, 2],
        (kafka_topic, 999): [1, None, None],
        ("gone", 0): [7, None, None],
    }


def test_a_cluster_that_does_not_answer() -> None:
    """If the cluster does not answer, the whole command fails, and not only one partition."""
    with (
        Groups(NO_BROKER, [TopicPartition("t", 0, 1)]) as admin,
        pytest.raises(KafkaException),
    ):
        _rows(admin, "g", SOON / 100)

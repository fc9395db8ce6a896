"""Consumers look up the coordinator of their group only if they have a request for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from confluent_kafka import OFFSET_BEGINNING, OFFSET_STORED, Consumer, KafkaError, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED, MakeConsumer, MakeProducer
from tests.support.kafka import committed, numbers, poll_values, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until


def searches(cluster: MockCluster) -> int:
    """How often a coordinator was looked up since start_request_tracking()."""
    return [each.request for each in cluster.requests()].count("FindCoordinator")


@needs("idle-group")
def test_reading_without_the_group(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """A consumer that only assigns, reads and requests offsets sends no request about its group.

    Without idle-group.patch, the consumer looked up the coordinator when it connected. If the user
    may not use the group, poll() returned an error.
    """
    kafka_cluster.inject_errors("FindCoordinator", [KafkaError.GROUP_AUTHORIZATION_FAILED] * 1000)
    kafka_cluster.start_request_tracking()
    consumer = make_consumer({"enable.auto.commit": False})
    place = TopicPartition(filled, 0, OFFSET_BEGINNING)
    consumer.assign([place])
    assert poll_values(consumer, FILLED) == numbers(0, FILLED)
    assert consumer.get_watermark_offsets(place, TIMEOUT) == (0, FILLED)
    consumer.seek(TopicPartition(filled, 0, 98))
    assert poll_values(consumer, 2) == [b"98", b"99"]
    consumer.unassign()
    consumer.assign([TopicPartition(filled, 0, 99)])
    assert poll_values(consumer, 1) == [b"99"]
    consumer.close()
    assert searches(kafka_cluster) == 0


@needs("idle-group")
@pytest.mark.parametrize("command", ["consume {} -e -q", "bench consume {}"])
def test_consume_without_a_group(kafka_cluster: MockCluster, filled: str, command: str) -> None:
    """Without -g the command line uses no group."""
    kafka_cluster.start_request_tracking()
    arguments = [*command.format(filled).split(), "--brokers", kafka_cluster.bootstrap_servers]
    extra = "the extra [cli] is not installed"
    command_line = pytest.importorskip("tests.support.command_line", reason=extra)
    assert command_line.run(*arguments).status == 0
    assert searches(kafka_cluster) == 0


def assign_stored(consumer: Consumer, topic: str) -> None:
    consumer.assign([TopicPartition(topic, 0, OFFSET_STORED)])
    assert poll_values(consumer, 1) == [b"5"]


def subscribe(consumer: Consumer, topic: str) -> None:
    consumer.subscribe([topic])
    assert poll_values(consumer, 1) == [b"5"]


def ask(consumer: Consumer, topic: str) -> None:
    assert committed(consumer, topic) == 5


def commit(consumer: Consumer, topic: str) -> None:
    offset = TopicPartition(topic, 0, 7)
    (result,) = consumer.commit(offsets=[offset], asynchronous=False)
    assert result.error is None
    assert committed(consumer, topic) == 7


def commit_and_close(consumer: Consumer, topic: str) -> None:
    consumer.commit(offsets=[TopicPartition(topic, 0, 7)])
    consumer.close()


@pytest.mark.parametrize("use", [assign_stored, subscribe, ask, commit, commit_and_close])
def test_first_use_of_the_group(
    kafka_cluster: MockCluster,
    filled: str,
    make_consumer: MakeConsumer,
    use: Callable[[Consumer, str], None],
) -> None:
    """A consumer that has read without its group looks up the coordinator when it needs it."""
    with make_consumer() as other:
        other.commit(offsets=[TopicPartition(filled, 0, 5)], asynchronous=False)
    consumer = make_consumer()
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 1) == [b"0"]
    consumer.unassign()
    kafka_cluster.start_request_tracking()
    use(consumer, filled)
    if use is commit_and_close:
        assert committed(make_consumer(), filled) == 7


def test_automatic_commits_find_the_coordinator(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_producer: MakeProducer,
    make_consumer: MakeConsumer,
) -> None:
    """The consumer looks up the coordinator before anything must be committed, so close() need not
    wait."""
    send(make_producer(), kafka_topic, numbers(0, 3))
    kafka_cluster.start_request_tracking()
    consumer = make_consumer({"enable.auto.commit": True})
    consumer.assign([TopicPartition(kafka_topic, 0, 3)])
    wait_until(lambda: searches(kafka_cluster), lambda: consumer.poll(0.01))
    consumer.seek(TopicPartition(kafka_topic, 0, 1))
    assert poll_values(consumer, 2) == [b"1", b"2"]
    consumer.close()
    assert committed(make_consumer(), kafka_topic) == 3

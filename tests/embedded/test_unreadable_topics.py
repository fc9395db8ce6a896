"""A topic that may not be read is an error, however and whenever it is assigned."""

from __future__ import annotations

import pytest

from confluent_kafka import OFFSET_BEGINNING, OFFSET_STORED, KafkaError, Message, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

FAILED = KafkaError.TOPIC_AUTHORIZATION_FAILED


@needs("unreadable-topic")
@pytest.mark.parametrize("offset", [0, OFFSET_STORED, OFFSET_BEGINNING])
@pytest.mark.parametrize("known", [False, True])
def test_an_assigned_topic_that_may_not_be_read(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_consumer: MakeConsumer,
    offset: int,
    known: bool,
) -> None:
    """poll() returns the error, also where the client knew the topic before, and each time anew."""
    kafka_cluster.set_topic_error(kafka_topic, FAILED)
    consumer = make_consumer()
    if known:
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        errors(consumer.poll(TIMEOUT))
        consumer.unassign()
    consumer.assign([TopicPartition(kafka_topic, 0, offset)])
    found: list[Message | None] = []
    wait_until(lambda: FAILED in errors(*found), lambda: found.append(consumer.poll(0.05)))


def errors(*messages: Message | None) -> set[int]:
    """The codes of events; none is a record."""
    result = set()
    for message in messages:
        if message is not None:
            error = message.error()
            assert error is not None
            result.add(error.code())
    return result

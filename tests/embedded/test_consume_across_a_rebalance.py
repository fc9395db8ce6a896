"""consume() waits for more messages while the member loses partitions."""

from __future__ import annotations

import pytest

from confluent_kafka import Consumer, Producer, TopicPartition
from tests.embedded.conftest import MakeConsumer
from tests.support.waiting import TIMEOUT


@pytest.mark.kafka_topic(partitions=4)
@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_messages_of_revoked_partitions_are_not_handed_out(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer, strategy: str
) -> None:
    """A member has collected messages in consume() when some of its partitions are revoked.

    on_revoke commits what was processed, so the new owner reads all other messages. If consume()
    also returned these, they would be processed twice.
    """
    for number in range(2000):
        producer.produce(kafka_topic, b"%d" % number, partition=number % 4)
    assert producer.flush(TIMEOUT) == 0
    revoked: set[int] = set()

    def on_revoke(who: Consumer, partitions: list[TopicPartition]) -> None:
        revoked.update(each.partition for each in partitions)
        who.wakeup()  # consume() returns the messages that it has

    config = {"partition.assignment.strategy": strategy}
    first, second = make_consumer(config), make_consumer(config)
    first.subscribe([kafka_topic], on_revoke=on_revoke)
    assert len(first.consume(100, TIMEOUT)) == 100
    second.subscribe([kafka_topic])
    partitions = {message.partition() for message in first.consume(100_000, TIMEOUT)}
    assert revoked
    assert not partitions & revoked


@pytest.mark.kafka_topic(partitions=1)
def test_position_in_on_revoke(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """The position does not include messages that consume() has collected but not returned.
    Otherwise an application that commits its position in on_revoke would lose them.
    """
    for number in range(100):
        producer.produce(kafka_topic, b"%d" % number, partition=0)
    assert producer.flush(TIMEOUT) == 0
    positions: list[int] = []

    def on_revoke(who: Consumer, partitions: list[TopicPartition]) -> None:
        positions.extend(each.offset for each in who.position(partitions))
        who.wakeup()

    first = make_consumer({"partition.assignment.strategy": "range"})
    first.subscribe([kafka_topic], on_revoke=on_revoke)
    assert len(first.consume(10, TIMEOUT)) == 10
    # The member whose name sorts first gets the only partition.
    second = make_consumer({"partition.assignment.strategy": "range", "client.id": "A"})
    second.subscribe([kafka_topic])
    kept = first.consume(100_000, TIMEOUT)
    assert positions == [10]
    assert kept == []

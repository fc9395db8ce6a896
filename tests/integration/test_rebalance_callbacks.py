"""Rebalance callbacks: the order that Kafka promises, and what callbacks may do."""

from __future__ import annotations

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from tests.integration.broker_requests import set_group_config
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import (
    EAGER,
    INCREMENTAL,
    PROTOCOLS,
    Event,
    Member,
    poll_until,
    settle,
    share,
    with_long_sessions,
)
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import writer
from tests.support.kafka import numbers, send
from tests.support.waiting import Stopwatch, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

PARTITIONS = 4
ALL = list(range(PARTITIONS))


@pytest.mark.parametrize("protocol", EAGER)
def test_eager_order(kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str) -> None:
    """With an eager protocol, all partitions are revoked before any partition is assigned again."""
    topic = make_topic(partitions=PARTITIONS)
    events: list[Event] = []
    config = EAGER[protocol] | with_long_sessions(kafka, group, protocol)
    with (
        Member(kafka, group, config, "one", events) as one,
        Member(kafka, group, config, "two", events) as two,
    ):
        one.join(topic)
        share([one], PARTITIONS)
        two.join(topic)
        share([one, two], PARTITIONS)
        half, other_half = one.partitions, two.partitions
        assert events[:2] == [Event("one", "assign", ALL), Event("one", "revoke", ALL)]
        assert sorted(events[2:]) == [
            Event("one", "assign", half),
            Event("two", "assign", other_half),
        ]
        del events[:]
        two.close()
        assert events == [Event("two", "revoke", other_half)]
        share([one], PARTITIONS)
        assert events[1:] == [Event("one", "revoke", half), Event("one", "assign", ALL)]


@pytest.mark.parametrize("protocol", INCREMENTAL)
def test_incremental_order(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """With a cooperative protocol, only moved partitions are revoked, before their new owner gets
    them."""
    topic = make_topic(partitions=PARTITIONS)
    events: list[Event] = []
    config = INCREMENTAL[protocol] | with_long_sessions(kafka, group, protocol)
    with (
        Member(kafka, group, config, "one", events) as one,
        Member(kafka, group, config, "two", events) as two,
    ):
        one.join(topic)
        share([one], PARTITIONS)
        two.join(topic)
        share([one, two], PARTITIONS)
        moved = two.partitions
        # If nothing changes for a member, a cooperative rebalance calls its callback without
        # partitions.
        assert [event for event in events if event.partitions] == [
            Event("one", "assign", ALL),
            Event("one", "revoke", moved),
            Event("two", "assign", moved),
        ]
        del events[:]
        two.close()
        share([one], PARTITIONS)
        assert [event for event in events if event.partitions] == [
            Event("two", "revoke", moved),
            Event("one", "assign", moved),
        ]


@pytest.mark.parametrize(
    "protocol",
    PROTOCOLS,
)
def test_too_long_between_polls(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """After max.poll.interval.ms, other members take over, and the slow member cannot commit.

    poll() returns an error with the reason for which the member joins again.
    """
    topic = make_topic(partitions=PARTITIONS)
    config = PROTOCOLS[protocol] | {"max.poll.interval.ms": 1000}
    if protocol == "consumer":  # librdkafka stops its heartbeats, so the broker ends its session
        set_group_config(kafka, group, consumer_session_timeout_ms="6000")
    else:
        config["session.timeout.ms"] = 1000
    with Member(kafka, group, config) as slow, Member(kafka, group, PROTOCOLS[protocol]) as other:
        slow.join(topic)
        other.join(topic)
        share([slow, other], PARTITIONS)
        settle([slow, other])
        half = slow.partitions
        del slow.events[:], slow.errors[:]
        watch = Stopwatch()
        share([other], PARTITIONS)
        wait_until(lambda: watch.elapsed > 2)  # librdkafka checks the interval twice a second
        assert slow.events == []
        with pytest.raises(KafkaException) as caught:
            slow.commit(offsets=[TopicPartition(topic, half[0], 1)], asynchronous=False)
        assert caught.value.args[0] == KafkaError.UNKNOWN_MEMBER_ID
        poll_until([slow, other], lambda: slow.errors and slow.events)
        assert slow.errors == [KafkaError._MAX_POLL_EXCEEDED]
        assert slow.events[0] == Event("member", "lost", half)
        share([slow, other], PARTITIONS)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_commit_in_on_revoke(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """The partition's next owner starts at the offset that on_revoke committed."""
    topic = make_topic(partitions=1)
    config = PROTOCOLS[protocol] | with_long_sessions(kafka, group, protocol)
    config["enable.auto.commit"] = False
    with writer(kafka) as producer:
        send(producer, topic, numbers(0, 10))
    with Member(kafka, group, config) as one, Member(kafka, group, config) as two:
        one.subscribe([topic], on_revoke=lambda who, _: who.commit(asynchronous=False))
        poll_until([one], lambda: len(one.values) == 3)
        one.close()
        two.join(topic)
        poll_until([two], lambda: len(two.values) == 7)
        assert two.values == numbers(3, 10)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_on_assign_chooses_the_offset(
    kafka: KafkaCluster, topic: str, group: str, protocol: str
) -> None:
    """on_assign can assign partitions with offsets other than the committed ones."""

    def start_at_4(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        for each in partitions:
            each.offset = 4
        if protocol in INCREMENTAL:
            consumer.incremental_assign(partitions)
        else:
            consumer.assign(partitions)

    with writer(kafka) as producer, Member(kafka, group, PROTOCOLS[protocol]) as member:
        send(producer, topic, numbers(0, 10))
        member.subscribe([topic], on_assign=start_at_4)
        poll_until([member], lambda: len(member.values) == 6)
        assert member.values == numbers(4, 10)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_wrong_kind_of_assign(
    kafka: KafkaCluster, topic: str, group: str, protocol: str
) -> None:
    """assign() or incremental_assign() raises _STATE if the protocol needs the other call; the
    member still works."""
    errors: list[KafkaError] = []

    def on_assign(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        try:
            if protocol in INCREMENTAL:
                consumer.assign(partitions)
            else:
                consumer.incremental_assign(partitions)
        except KafkaException as error:
            errors.append(error.args[0])

    with Member(kafka, group, PROTOCOLS[protocol]) as member:
        member.subscribe([topic], on_assign=on_assign)
        share([member], 1)
    assert errors == [KafkaError._STATE]

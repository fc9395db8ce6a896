"""The arguments of compat.aiokafka's consumer, in tests that need no cluster."""

from __future__ import annotations

import re
from typing import Any

import pytest

from confluent_kafka import KafkaError
from confluent_kafka.compat.aiokafka import OffsetAndMetadata, TopicPartition
from confluent_kafka.compat.aiokafka.consumer import AIOKafkaConsumer
from confluent_kafka.compat.aiokafka.consumer._commits import failure_of_commit, offsets_to_commit
from confluent_kafka.compat.aiokafka.consumer._subscription import Subscription
from confluent_kafka.compat.aiokafka.errors import (
    CommitFailedError,
    GroupAuthorizationFailedError,
    IllegalStateError,
)

PARTITION = TopicPartition("topic", 1)


@pytest.mark.parametrize(
    ("value", "offset", "metadata"),
    [(5, 5, ""), ((6, "text"), 6, "text"), (OffsetAndMetadata(7, "more"), 7, "more")],
)
def test_offsets_to_commit(value: Any, offset: int, metadata: str) -> None:
    """An offset is an int, a tuple or an OffsetAndMetadata."""
    (place,) = offsets_to_commit({PARTITION: value})
    assert (place.topic, place.partition, place.offset) == ("topic", 1, offset)
    assert (place.metadata or "") == metadata


@pytest.mark.parametrize(
    ("offsets", "error", "text"),
    [
        ({}, ValueError, "at least one"),
        ([PARTITION], ValueError, "dict"),
        ({PARTITION: "x"}, ValueError, "'x'"),
        ({PARTITION: 1.5}, ValueError, "1.5"),
        ({PARTITION: (1, 2, 3)}, ValueError, "(1, 2, 3)"),
        ({PARTITION: -1}, ValueError, "-1"),
        ({PARTITION: (1, None)}, TypeError, "NoneType"),
        ({("topic", 1): 1}, TypeError, "tuple"),
    ],
)
def test_offsets_that_cannot_be_committed(offsets: Any, error: type[Exception], text: str) -> None:
    """The error contains the given value."""
    with pytest.raises(error, match=re.escape(text)):
        offsets_to_commit(offsets)


def test_commits_of_former_members() -> None:
    """Error codes of a rebalance become CommitFailedError, and other codes become their own
    classes."""
    rebalanced = failure_of_commit(KafkaError(KafkaError.ILLEGAL_GENERATION))
    assert type(rebalanced) is CommitFailedError
    refused = failure_of_commit(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED))
    assert type(refused) is GroupAuthorizationFailedError


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (((), None, None), TypeError),
        ((["topic"], "to.*", None), TypeError),
        (("topic", None, None), TypeError),
        (([4], None, None), TypeError),
        (((), "[", None), ValueError),
        ((["topic"], None, object()), TypeError),
    ],
)
def test_subscriptions_that_are_refused(arguments: Any, error: type[Exception]) -> None:
    """Wrong types, or both topics and a pattern, are refused, and the earlier subscription does not
    change."""
    subscription = Subscription(exclude_internal_topics=True)
    subscription.subscribe(["before"], None, None)
    with pytest.raises(error):
        subscription.subscribe(*arguments)
    assert subscription.topics == {"before"}


def test_kinds_of_subscription_exclude_each_other() -> None:
    """assign() after subscribe(), and the reverse, need unsubscribe() in between."""
    subscription = Subscription(exclude_internal_topics=True)
    subscription.subscribe(["topic"], None, None)
    with pytest.raises(IllegalStateError):
        subscription.assign_by_hand([PARTITION])
    subscription.forget()
    subscription.assign_by_hand([PARTITION])
    with pytest.raises(IllegalStateError):
        subscription.subscribe(["topic"], None, None)


@pytest.mark.parametrize("excluded", [True, False])
def test_patterns(excluded: bool) -> None:
    """A pattern matches the beginning of names, and Kafka's own topics only if
    exclude_internal_topics is false."""
    subscription = Subscription(exclude_internal_topics=excluded)
    subscription.subscribe((), "a|__", None)
    own = {"__consumer_offsets", "__share_group_state", "__transaction_state"}
    matching = subscription.matching(["ab", "ba", *own])
    assert matching == {"ab"} | (set() if excluded else own)


@pytest.mark.parametrize("value", [0, -1, "4"])
def test_max_poll_records(value: Any) -> None:
    """max_poll_records must be a positive int."""
    with pytest.raises(ValueError, match="max_poll_records"):
        AIOKafkaConsumer(max_poll_records=value)


def test_before_start() -> None:
    """A consumer can be subscribed before it is started.

    Calls that need a started consumer raise an error.
    """
    consumer = AIOKafkaConsumer("topic")
    assert consumer.subscription() == {"topic"}
    assert consumer.assignment() == set()
    assert consumer.paused() == set()
    assert consumer.partitions_for_topic("topic") is None
    consumer.unsubscribe()
    consumer.assign([PARTITION])
    with pytest.raises(IllegalStateError, match="start"):
        consumer.seek(PARTITION, 0)

"""What the brokers know of topics: their partitions and the offsets these begin and end at."""

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from .offsets import EARLIEST, LATEST, Bound, Offsets, Partition

# Seconds for one question to the brokers, repeated errors that pass by themselves included.
TIMEOUT = 15.0
_RETRY_AFTER = 0.2
# What a broker answers whose partition just moved, or whose topic is still being made.
_PASSING = frozenset(
    {
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.REPLICA_NOT_AVAILABLE,
        KafkaError.KAFKA_STORAGE_ERROR,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.REQUEST_TIMED_OUT,
    }
)

T = TypeVar("T")


def partitions(consumer: Consumer, topics: Iterable[str]) -> list[Partition]:
    """Return the partitions of topics, in order.

    Raises:
        ValueError: a topic does not exist.
        KafkaException: the brokers cannot be reached or refuse.
    """

    def ask(topic: str) -> list[Partition]:
        metadata = consumer.list_topics(topic, timeout=TIMEOUT).topics[topic]
        if metadata.error is None:
            return [Partition(topic, number) for number in sorted(metadata.partitions)]
        if metadata.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise ValueError(f"topic {topic!r} of option subscribe does not exist")
        raise KafkaException(metadata.error)

    return [one for topic in topics for one in _patiently(partial(ask, topic))]


def earliest(consumer: Consumer, wanted: Iterable[Partition]) -> Offsets:
    """Return the first offset that each partition still has."""
    return _lookup(consumer, wanted, EARLIEST)


def latest(consumer: Consumer, wanted: Iterable[Partition]) -> Offsets:
    """Return the offset that the next message of each partition gets.

    With ``isolation.level=read_committed`` it is that of the first open transaction.
    """
    return _lookup(consumer, wanted, LATEST)


def resolve(
    option: str, bound: Bound, first: Mapping[Partition, int], end: Mapping[Partition, int]
) -> Offsets:
    """Return the offset of each partition that a bound means.

    Args:
        option: the name of the option, for errors.
        bound: its value.
        first: the earliest offset of each partition.
        end: the latest offset of each partition.

    Raises:
        ValueError: the bound names other partitions than there are.
    """
    if bound == "earliest":
        return dict(first)
    if bound == "latest":
        return dict(end)
    assert isinstance(bound, dict)
    if missing := sorted(end.keys() - bound.keys()):
        raise ValueError(
            f"option {option} leaves out {', '.join(map(str, missing))}: name every partition, "
            f"with {LATEST} for the latest offset and {EARLIEST} for the earliest"
        )
    if unknown := sorted(bound.keys() - end.keys()):
        raise ValueError(
            f"option {option} names {', '.join(map(str, unknown))}, which the topics of option "
            "subscribe do not have"
        )
    special = {EARLIEST: first, LATEST: end}
    return {
        partition: special[offset][partition] if offset in special else offset
        for partition, offset in bound.items()
    }


def _lookup(consumer: Consumer, wanted: Iterable[Partition], position: int) -> Offsets:
    """Ask for the earliest or latest offsets: one request per broker, for all its partitions.

    To librdkafka's ``rd_kafka_offsets_for_times`` the two are times like any other.
    """
    questions = [TopicPartition(topic, number, position) for topic, number in wanted]
    if not questions:
        return {}

    def ask() -> Offsets:
        answers = consumer.offsets_for_times(questions, timeout=TIMEOUT)
        for answer in answers:
            if answer.error is not None:
                raise KafkaException(answer.error)
        return {Partition(one.topic, one.partition): one.offset for one in answers}

    return _patiently(ask)


def _patiently(ask: Callable[[], T]) -> T:
    """Ask again, for some time, while the answer is an error that passes by itself."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            return ask()
        except KafkaException as failure:
            if failure.args[0].code() not in _PASSING or time.monotonic() > deadline:
                raise
        time.sleep(_RETRY_AFTER)

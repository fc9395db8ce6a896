"""What the brokers know of topics: their partitions and the offsets these begin and end at."""

import time
from collections.abc import Iterable, Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from .offsets import EARLIEST, LATEST, Bound, Offsets, Partition

# Seconds for one question to the brokers, repeated errors that pass by themselves included.
TIMEOUT = 15.0
_RETRY_AFTER = 0.2


def partitions(consumer: Consumer, topics: Iterable[str]) -> list[Partition]:
    """Return the partitions of topics, in order.

    Raises:
        ValueError: a topic does not exist.
        KafkaException: the brokers cannot be reached or refuse.
    """
    found = []
    for topic in topics:
        metadata = consumer.list_topics(topic, timeout=TIMEOUT).topics[topic]
        if metadata.error is not None:
            if metadata.error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise ValueError(f"topic {topic!r} of option subscribe does not exist")
            raise KafkaException(metadata.error)
        found += [Partition(topic, number) for number in sorted(metadata.partitions)]
    return found


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
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            answers = consumer.offsets_for_times(questions, timeout=TIMEOUT)
            errors = [answer.error for answer in answers if answer.error is not None]
            if not errors:
                return {Partition(one.topic, one.partition): one.offset for one in answers}
            raise KafkaException(errors[0])
        except KafkaException as failure:
            # A leader that just moved answers so until the metadata is fresh.
            if not failure.args[0].retriable() or time.monotonic() > deadline:
                raise
        time.sleep(_RETRY_AFTER)

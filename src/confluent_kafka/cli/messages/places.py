"""The partitions to read, and the offsets at which to start and to stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.topics.place import Place
from confluent_kafka.cli.topics.selection import matching, no_match, no_partition, no_topic

if TYPE_CHECKING:
    from confluent_kafka import ShareConsumer


def places_of(
    consumer: Consumer | ShareConsumer, topics: list[str], wanted: list[int] | None, timeout: float
) -> list[Place]:
    """Return the partitions to read, and fail if one does not exist."""
    # The list of all topics: a request for one topic could create it.
    known = consumer.list_topics(timeout=timeout).topics
    places = []
    for topic in _named(topics, known):
        if topic not in known:
            _fail_unlisted(consumer, topic, known, timeout)
        if (error := known[topic].error) is not None:
            _fail_topic(topic, error)
        there = sorted(known[topic].partitions)
        for number in wanted or there:
            if number not in known[topic].partitions:
                fail(no_partition(topic, number, there))
            places.append((topic, number))
    return places


def _named(topics: list[str], known: Iterable[str]) -> list[str]:
    """Return the topics, and those that match the patterns, each once. A pattern begins with ^."""
    found: dict[str, None] = {}
    for topic in topics:
        meant = matching(topic, known)
        if not meant:
            fail(no_match(topic))
        found |= dict.fromkeys(meant)
    return list(found)


def _fail_unlisted(
    consumer: Consumer | ShareConsumer, topic: str, known: Iterable[str], timeout: float
) -> NoReturn:
    """Fail for a topic that the list lacks: it does not exist, or this user may not read it."""
    error = consumer.list_topics(topic, timeout).topics[topic].error
    if error is not None and error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        _fail_topic(topic, error)
    fail(no_topic(topic, known))


def _fail_topic(topic: str, error: KafkaError) -> NoReturn:
    if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        fail(f"topic {topic!r} is forbidden for this user: {error.str()}")
    fail(f"topic {topic!r}: {error.str()}")


def assign(
    consumer: Consumer,
    places: list[Place],
    begin: Bound,
    end: Bound | None,
    timeout: float,
    stored: Mapping[Place, int] | None = None,
) -> dict[Place, int] | None:
    """Assign the partitions at `begin`; return the offsets to stop at, or None for no end.

    Args:
        consumer: the consumer.
        places: the partitions.
        begin: where to start.
        end: where to stop; None for no end.
        timeout: how many seconds to wait for the cluster.
        stored: the offsets of partitions that start elsewhere.
    """
    ends = None if end is None else offsets_of(consumer, places, end, timeout)
    starts = offsets_of(consumer, places, begin, timeout) | dict(stored or {})
    consumer.assign([TopicPartition(*place, offset) for place, offset in starts.items()])
    if ends is None:
        return None
    return {place: last for place, last in ends.items() if not 0 <= last <= starts[place]}


def offsets_of(
    consumer: Consumer, places: list[Place], bound: Bound, timeout: float
) -> dict[Place, int]:
    if bound.kind == "offset":
        return dict.fromkeys(places, bound.number)
    if bound.kind == "time":
        asked = [TopicPartition(*place, bound.number) for place in places]
        found = {}
        for answer in consumer.offsets_for_times(asked, timeout):
            if answer.error is not None:
                raise KafkaException(answer.error)
            found[answer.topic, answer.partition] = answer.offset
    elif bound.kind == "beginning":
        return dict.fromkeys(places, OFFSET_BEGINNING)
    else:
        found = dict.fromkeys(places, OFFSET_END)
    # The current end: messages that arrive later are neither skipped nor waited for.
    for place, offset in found.items():
        if offset == OFFSET_END:
            low, high = consumer.get_watermark_offsets(TopicPartition(*place), timeout)
            found[place] = max(low, high - bound.number) if bound.kind == "last" else high
    return found

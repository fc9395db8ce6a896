"""Topics that arguments name: each by its name, or several by a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

import click

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.cli.administration import partition_of, settled
from confluent_kafka.cli.ending import fail
from confluent_kafka.cli.values import topic_name

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient, TopicDescription

_T = TypeVar("_T")


def name_or_pattern(text: str) -> str:
    """Return the name of a topic, or a regular expression, which begins with ``^``.

    Args:
        text: the argument.
    """
    if not text.startswith("^"):
        return topic_name(text)
    try:
        re.compile(text)
    except re.error as error:
        raise click.BadParameter(f"{text!r} is not a regular expression: {error}") from None
    return text


def described(
    admin: AdminClient, wanted: Iterable[str] | None, timeout: float
) -> tuple[dict[str, TopicDescription], list[str]]:
    """Describe the topics that arguments name.

    Args:
        admin: a connected client.
        wanted: values of name_or_pattern(); None is every topic of the cluster.
        timeout: seconds to wait.

    Returns:
        The topics by name, and a line for each topic that failed or does not exist.
    """
    texts = ["^"] if wanted is None else list(wanted)
    names = [text for text in texts if not text.startswith("^")]
    patterns = [text for text in texts if text.startswith("^")]
    unmatched = []
    known = sorted(admin.list_topics(timeout=timeout).topics) if patterns else []
    for pattern in patterns:
        matching = [name for name in known if re.search(pattern, name)]
        if not matching and wanted is not None:
            unmatched.append(f"no topic matches {pattern!r}")
        names += matching
    # describe_topics(), because list_topics(name) lets brokers create a topic that is missing.
    collection = TopicCollection(list(dict.fromkeys(names)))
    futures = admin.describe_topics(collection, request_timeout=timeout)
    found, failures = settled_topics(admin, futures, timeout)
    return found, unmatched + failures


def settled_topics(
    admin: AdminClient, futures: Mapping[str, Future[_T]], timeout: float
) -> tuple[dict[str, _T], list[str]]:
    """Wait for every answer, as settled(), and suggest a name for each topic that is missing.

    Args:
        admin: a connected client.
        futures: the answers by topic.
        timeout: seconds to wait for the names of all topics.

    Returns:
        The results by topic, and a line for each topic that failed or does not exist.
    """
    missing = [name for name, future in futures.items() if _is_missing(future)]
    there = {name: future for name, future in futures.items() if name not in missing}
    found, failures = settled("topic", there)
    if missing:
        known = admin.list_topics(timeout=timeout).topics
        hints = {name: did_you_mean(name, known) for name in missing}
        failures += [
            f"topic {name!r} does not exist{': ' if hint else ''}{hint}"
            for name, hint in hints.items()
        ]
    return found, failures


def existing(
    admin: AdminClient, wanted: Iterable[str] | None, timeout: float
) -> dict[str, TopicDescription]:
    """Return the topics that arguments name, as described(). End the command if one fails."""
    found, failures = described(admin, wanted, timeout)
    if failures:
        fail(*failures)
    return found


def topic_or_partition(text: str) -> TopicPartition | str:
    """Return the partition or the topic that an argument TOPIC[:PARTITION] names."""
    return partition_of(text) if ":" in text else topic_name(text)


def partitions_of(
    admin: AdminClient, chosen: Iterable[TopicPartition | str], timeout: float
) -> list[TopicPartition]:
    """Return partitions, with all partitions of a topic. End the command if one does not exist.

    Args:
        admin: a connected client.
        chosen: values of topic_or_partition().
        timeout: seconds to wait.
    """
    asked = list(chosen)
    topics = [each if isinstance(each, str) else each.topic for each in asked]
    counts = {
        name: len(topic.partitions) for name, topic in existing(admin, topics, timeout).items()
    }
    places: dict[TopicPartition, None] = {}
    for each in asked:
        if isinstance(each, str):
            places |= dict.fromkeys(TopicPartition(each, number) for number in range(counts[each]))
        elif each.partition < counts[each.topic]:
            places[each] = None
        else:
            last = counts[each.topic] - 1
            has = f"partitions 0 to {last}" if last else "partition 0"
            fail(f"topic {each.topic!r} has no partition {each.partition}, only {has}")
    return list(places)


def by_name(places: Iterable[TopicPartition]) -> list[str]:
    """Return partitions as TOPIC:PARTITION."""
    return [f"{place.topic}:{place.partition}" for place in places]


def _is_missing(future: Future[_T]) -> bool:
    error = future.exception()
    return (
        isinstance(error, KafkaException)
        and error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    )

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

    from confluent_kafka.admin import AdminClient, TopicMetadata

_T = TypeVar("_T")

_DENIED = KafkaError.TOPIC_AUTHORIZATION_FAILED
_MISSING = KafkaError.UNKNOWN_TOPIC_OR_PART


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
) -> tuple[dict[str, TopicMetadata], list[str]]:
    """Return the topics that arguments name, with their partitions.

    Args:
        admin: a connected client.
        wanted: values of name_or_pattern(); None is every topic of the cluster.
        timeout: seconds to wait.

    Returns:
        The topics by name, and a line for each topic that failed or does not exist.
    """
    # Any broker can answer this, while describe_topics() waits for the controller, which may be
    # the broker that is down.
    known = admin.list_topics(timeout=timeout).topics
    names: dict[str, None] = {}
    failures = []
    for text in sorted(known) if wanted is None else wanted:
        matching = [text]
        if text.startswith("^"):
            matching = [name for name in sorted(known) if re.search(text, name)]
            if not matching:
                failures.append(f"no topic matches {text!r}")
        names |= dict.fromkeys(matching)
    found = {name: known[name] for name in names if name in known}
    broken = {name: topic.error for name, topic in found.items() if topic.error is not None}
    failures += [f"topic {name!r}: {error.str()}" for name, error in broken.items()]
    failures += _reasons(admin, [name for name in names if name not in known], known, timeout)
    return {name: topic for name, topic in found.items() if name not in broken}, failures


def _reasons(
    admin: AdminClient, missing: list[str], known: Iterable[str], timeout: float
) -> list[str]:
    """Return a line for each topic that the list lacks. This user may not be allowed to see it."""
    if not missing:
        return []
    # describe_topics(), because list_topics(name) lets brokers create a topic that is missing.
    futures = admin.describe_topics(TopicCollection(missing), request_timeout=timeout)
    denied = [name for name, future in futures.items() if _failed(future, _DENIED)]
    lines = [f"topic {name!r} is forbidden for this user" for name in denied]
    return lines + [_no_topic(name, known) for name in missing if name not in denied]


def _no_topic(name: str, known: Iterable[str]) -> str:
    hint = did_you_mean(name, known)
    return f"topic {name!r} does not exist{': ' if hint else ''}{hint}"


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
    missing = [name for name, future in futures.items() if _failed(future, _MISSING)]
    there = {name: future for name, future in futures.items() if name not in missing}
    found, failures = settled("topic", there)
    known = admin.list_topics(timeout=timeout).topics if missing else ()
    return found, failures + [_no_topic(name, known) for name in missing]


def existing(
    admin: AdminClient, wanted: Iterable[str] | None, timeout: float
) -> dict[str, TopicMetadata]:
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


def _failed(future: Future[_T], code: int) -> bool:
    error = future.exception()
    return isinstance(error, KafkaException) and error.args[0].code() == code

"""Topics that arguments name: each by its name, or several by a regular expression."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar

from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import settled
from confluent_kafka.cli.topics.selection import (
    Selection,
    matching,
    no_match,
    no_partition,
    no_topic,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient, TopicMetadata

_T = TypeVar("_T")

_DENIED = KafkaError.TOPIC_AUTHORIZATION_FAILED
_MISSING = KafkaError.UNKNOWN_TOPIC_OR_PART


def described(
    admin: AdminClient, wanted: Iterable[str] | None, timeout: float
) -> tuple[dict[str, TopicMetadata], list[str]]:
    """Return the topics that arguments name, with their partitions.

    Args:
        admin: a connected client.
        wanted: values of topic_or_pattern(); None is every topic of the cluster.
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
        meant = matching(text, known)
        if not meant:
            failures.append(no_match(text))
        names |= dict.fromkeys(meant)
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
    return lines + [no_topic(name, known) for name in missing if name not in denied]


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
    return found, failures + [no_topic(name, known) for name in missing]


def existing(
    admin: AdminClient, wanted: Iterable[str] | None, timeout: float
) -> dict[str, TopicMetadata]:
    """Return the topics that arguments name, as described(). End the command if one fails."""
    found, failures = described(admin, wanted, timeout)
    if failures:
        fail(*failures)
    return found


def chosen_partitions(
    admin: AdminClient, chosen: Iterable[Selection], timeout: float
) -> tuple[list[TopicPartition], list[str]]:
    """Return the partitions that arguments name, each once.

    Args:
        admin: a connected client.
        chosen: values of selection() or selection_or_pattern().
        timeout: seconds to wait.

    Returns:
        The partitions, and a line for each topic or partition that failed or does not exist.
    """
    asked = list(chosen)
    found, failures = described(admin, dict.fromkeys(each.topic for each in asked), timeout)
    places: dict[TopicPartition, None] = {}
    for each in asked:
        for name in matching(each.topic, found):
            if name not in found:
                continue
            known = found[name].partitions
            for number in sorted(known if each.partitions is None else each.partitions):
                if number in known:
                    places[TopicPartition(name, number)] = None
                else:
                    failures.append(no_partition(name, number, known))
    return list(places), failures


def partitions_of(
    admin: AdminClient, chosen: Iterable[Selection], timeout: float
) -> list[TopicPartition]:
    """Return partitions as chosen_partitions(). End the command if one does not exist.

    Args:
        admin: a connected client.
        chosen: values of selection() or selection_or_pattern().
        timeout: seconds to wait.
    """
    places, failures = chosen_partitions(admin, chosen, timeout)
    if failures:
        fail(*dict.fromkeys(failures))
    return places


def by_name(places: Iterable[TopicPartition]) -> list[str]:
    """Return partitions as TOPIC:PARTITION."""
    return [f"{place.topic}:{place.partition}" for place in places]


def _failed(future: Future[_T], code: int) -> bool:
    error = future.exception()
    return isinstance(error, KafkaException) and error.args[0].code() == code

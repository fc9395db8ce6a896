"""Offsets of partitions: the first one, the end, and the one at a time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, TopicPartition
from confluent_kafka.cli.base.terminal import counted

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient, ListOffsetsResultInfo, OffsetSpec

# A group can have offsets for topics that were deleted, or that this user may not read.
_UNKNOWN = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError._NOENT,  # no partition of the request has a leader
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.LEADER_NOT_AVAILABLE,
    }
)


def offsets_at(
    admin: AdminClient,
    places: Iterable[tuple[str, int]],
    spec: OffsetSpec,
    timeout: float,
    isolation: IsolationLevel | None = None,
) -> dict[tuple[str, int], int | None]:
    """Return the offset of each partition, or None if it is unknown.

    It is unknown if the partition was deleted, has no leader, or this user may not read it.

    Args:
        admin: the client.
        places: topics and partitions.
        spec: which offset to look up. A time after all messages has the offset -1.
        timeout: seconds to wait for the brokers.
        isolation: READ_COMMITTED returns the last stable offset as the end.
    """
    futures = _asked(admin, places, spec, timeout, isolation)
    return {place: _offset(one) for place, one in futures.items()}


def offsets_of_some(
    admin: AdminClient, places: Iterable[tuple[str, int]], spec: OffsetSpec, timeout: float
) -> tuple[dict[tuple[str, int], int | None], list[str]]:
    """Return offsets as offsets_at() does, even if some of the brokers do not answer.

    Args:
        admin: the client.
        places: topics and partitions.
        spec: which offset to look up.
        timeout: seconds to wait for the brokers.

    Returns:
        The offsets, and a line for each reason why offsets are unknown.
    """
    found: dict[tuple[str, int], int | None] = {}
    reasons: dict[str, list[str]] = {}
    for place, future in _asked(admin, places, spec, timeout).items():
        try:
            found[place] = _offset(future)
        except KafkaException as error:
            found[place] = None
            reasons.setdefault(error.args[0].str(), []).append(f"{place[0]}:{place[1]}")
    return found, [
        f"offsets of {counted(len(names), 'partition')} are unknown, such as {names[0]}: {reason}"
        for reason, names in reasons.items()
    ]


def _asked(
    admin: AdminClient,
    places: Iterable[tuple[str, int]],
    spec: OffsetSpec,
    timeout: float,
    isolation: IsolationLevel | None = None,
) -> dict[tuple[str, int], Future[ListOffsetsResultInfo]]:
    asked = {TopicPartition(*place): spec for place in places}
    if not asked:
        return {}
    futures = admin.list_offsets(asked, isolation_level=isolation, request_timeout=timeout)
    return {(place.topic, place.partition): one for place, one in futures.items()}


def _offset(future: Future[ListOffsetsResultInfo]) -> int | None:
    try:
        return future.result().offset
    except KafkaException as error:
        if error.args[0].code() in _UNKNOWN:
            return None
        raise

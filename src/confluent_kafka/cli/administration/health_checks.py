"""The checks of `health`. Each check is a row, also if the cluster does not answer it."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException
from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.admin import AdminClient, ClusterMetadata, ConfigResource, OffsetSpec
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.topics.partition_offsets import offsets_at

COLUMNS = ("check", "ok", "value", "limit", "found")

# A line names this many of the partitions or brokers that have a problem.
_NAMED = 3
# Seconds that a request gets even when the time is over: its error says which part did not answer.
_LEAST = 0.1
_LEAST_IN_SYNC = "min.insync.replicas"


class Row(NamedTuple):
    """The result of a check.

    Attributes:
        check: its name.
        ok: whether the cluster is healthy in this respect.
        value: the number that was checked; None if it is unknown.
        limit: the highest number that is healthy; None if the check has none.
        found: a sentence for people.
    """

    check: str
    ok: bool
    value: int | None
    limit: int | None
    found: str


def checked(admin: AdminClient, limits: Mapping[str, int], end: float) -> Iterator[Row]:
    """Yield the result of each check.

    Args:
        admin: a client.
        limits: the highest lag of each group.
        end: the time of time.monotonic() at which the checks should be over.
    """

    def left() -> float:
        return max(_LEAST, end - time.monotonic())

    try:
        admin.connect(left())
        metadata = admin.list_topics(timeout=left())
    except KafkaException as error:
        yield Row("brokers", False, 0, None, _reason(error))
        return
    yield _answered("brokers", lambda: _brokers(admin, metadata, left()))
    yield _answered("controller", lambda: _controller(admin, left()))
    partitions = _partitions(metadata)
    yield _counted("offline", [name for name, one in partitions if one.leader < 0])
    lagging = [name for name, one in partitions if len(one.isrs) < len(one.replicas)]
    yield _counted("under-replicated", lagging)
    yield _answered("under-min-isr", lambda: _under_min_isr(admin, metadata, left()))
    for group, limit in limits.items():
        ask = functools.partial(_lag, admin, group, limit, left())
        yield _answered(f"lag {group}", ask)


def _answered(check: str, ask: Callable[[], Row]) -> Row:
    """Return the result of a check. A request that fails is a result, too."""
    try:
        return ask()
    except KafkaException as error:
        return Row(check, False, None, None, _reason(error))


def _reason(error: KafkaException) -> str:
    reason: str = error.args[0].str()
    return reason


def _partitions(metadata: ClusterMetadata) -> list[tuple[str, Any]]:
    return [
        (f"{name}:{number}", partition)
        for name, topic in sorted(metadata.topics.items())
        for number, partition in sorted(topic.partitions.items())
    ]


def _counted(check: str, names: list[str]) -> Row:
    found = counted(len(names), "partition") + (f": {_some(names)}" if names else "")
    return Row(check, not names, len(names), 0, found)


def _some(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")


def _brokers(admin: AdminClient, metadata: ClusterMetadata, timeout: float) -> Row:
    """Ask each broker for its features. A broker is missing if it only has replicas."""
    known = sorted(metadata.brokers)
    asked = {
        broker: admin.describe_features(broker=broker, request_timeout=timeout) for broker in known
    }
    silent = []
    for broker, future in asked.items():
        try:
            future.result()
        except KafkaException as error:
            silent.append(f"broker {broker} does not answer ({_reason(error)})")
    with_replicas = {node for _, one in _partitions(metadata) for node in one.replicas}
    silent += [f"broker {broker} is missing" for broker in sorted(with_replicas - set(known))]
    total = len(with_replicas | set(known))
    found = f"{total - len(silent)} of {counted(total, 'broker')} answer"
    return Row("brokers", not silent, total - len(silent), None, _and(found, silent))


def _and(found: str, problems: list[str]) -> str:
    return f"{found}: {_some(problems)}" if problems else found


def _controller(admin: AdminClient, timeout: float) -> Row:
    node = admin.describe_cluster(request_timeout=timeout).result().controller
    if node is None or node.id < 0:
        return Row("controller", False, None, None, "there is no controller")
    return Row("controller", True, node.id, None, f"broker {node.id}")


def _under_min_isr(admin: AdminClient, metadata: ClusterMetadata, timeout: float) -> Row:
    """Find the partitions that refuse producers with acks=all."""
    resources = [ConfigResource("topic", name) for name in metadata.topics]
    least: dict[str, int] = {}
    if not resources:
        return _counted("under-min-isr", [])
    # The broker that has just answered: librdkafka would wait for a controller that is down.
    broker = None if metadata.orig_broker_id < 0 else metadata.orig_broker_id
    answers = admin.describe_configs(resources, request_timeout=timeout, broker=broker)
    for resource, future in answers.items():
        try:
            least[resource.name] = int(future.result()[_LEAST_IN_SYNC].value or 1)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:  # deleted meanwhile
                raise
    names = [
        f"{name}:{number}"
        for name in sorted(least)
        for number, one in sorted(metadata.topics[name].partitions.items())
        if len(one.isrs) < least[name]
    ]
    return _counted("under-min-isr", names)


def _lag(admin: AdminClient, group: str, limit: int, timeout: float) -> Row:
    """Compare the number of messages that a group still has to read with a limit."""
    check = f"lag {group}"
    request = [ConsumerGroupTopicPartitions(group)]
    answer = admin.list_consumer_group_offsets(request, request_timeout=timeout)[group].result()
    committed = {
        (place.topic, place.partition): place.offset
        for place in answer.topic_partitions or []
        if place.offset >= 0
    }
    if not committed:
        return Row(check, False, None, limit, _unknown_group(admin, group, timeout))
    ends = offsets_at(admin, committed, OffsetSpec.latest(), timeout)
    lag = sum(_lags(committed, ends))
    found = counted(lag, "message")
    return Row(check, lag <= limit, lag, limit, found + f", more than {limit:,}" * (lag > limit))


def _lags(
    committed: Mapping[tuple[str, int], int], ends: Mapping[tuple[str, int], int | None]
) -> Iterable[int]:
    """Yield the lag of each partition that still exists."""
    for place, offset in committed.items():
        end = ends[place]
        if end is not None:
            yield max(0, end - offset)


def _unknown_group(admin: AdminClient, group: str, timeout: float) -> str:
    listed = admin.list_consumer_groups(request_timeout=timeout).result().valid or []
    names = [one.group_id for one in listed]
    if group in names:
        return "the group has not committed an offset"
    near = did_you_mean(group, names)
    return f"there is no group {group!r}" + (f": {near}" if near else "")

"""``topics describe``: the partitions of topics, and the partitions that have a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import click

from confluent_kafka import TopicIdCollection, Uuid
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.uuids import base64_of, uuid_of
from confluent_kafka.cli.base.values import topic_or_pattern
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    answering_broker,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.topics.names import described

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, PartitionMetadata, TopicMetadata

_COLUMNS = ("topic", "partition", "leader", "replicas", "in sync")
_LEAST = "min.insync.replicas"


class _State(NamedTuple):
    """A partition, and the least number of replicas in sync for acks=all. None: not requested."""

    topic: str
    partition: PartitionMetadata
    least: int | None


_Test = Callable[[_State], bool]
# Names of columns, rows, and a line for each topic that failed.
_Table = tuple[tuple[str, ...], list[tuple[Any, ...]], list[str]]


def _is_under_replicated(state: _State) -> bool:
    return len(state.partition.isrs) < len(state.partition.replicas)


def _is_at_min_isr(state: _State) -> bool:
    return len(state.partition.isrs) == state.least


def _is_under_min_isr(state: _State) -> bool:
    return state.least is not None and len(state.partition.isrs) < state.least


def _is_unavailable(state: _State) -> bool:
    return state.partition.leader < 0


def _topic_id(text: str) -> Uuid:
    found = uuid_of(text)
    if found == Uuid(0, 0):
        raise click.BadParameter(f"{text!r} is the id of no topic: it is zero")
    return found


def describe(
    topics: Annotated[
        list[str] | None,
        argument(
            parse=topic_or_pattern,
            help="Topics, or regular expressions, which begin with ^. Without them, all topics.",
        ),
    ] = None,
    ids: Annotated[
        list[Uuid] | None,
        option(
            "--id",
            parse=_topic_id,
            metavar="TOPIC_ID",
            help="Also show the topic with this id, such as an id in a broker's log. Can be "
            "given more than once.",
        ),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    under_replicated: Annotated[
        bool, option(help="Only partitions with a replica that is not in sync.")
    ] = False,
    at_min_isr: Annotated[
        bool,
        option(
            help="Only partitions with exactly min.insync.replicas replicas in sync. If one more "
            "replica fails, producers with acks=all are refused."
        ),
    ] = False,
    under_min_isr: Annotated[
        bool,
        option(
            help="Only partitions with fewer replicas in sync than min.insync.replicas. They "
            "refuse producers with acks=all."
        ),
    ] = False,
    unavailable: Annotated[bool, option(help="Only partitions without a leader.")] = False,
    with_overrides: Annotated[
        bool, option(help="Show the settings that topics have set, instead of the partitions.")
    ] = False,
) -> None:
    """Show each partition of topics: leader, replicas, and the replicas that are in sync.

    If you give several of the options that begin with "Only", the command shows the partitions
    that match one of them.
    """
    chosen = (under_replicated, at_min_isr, under_min_isr, unavailable)
    tests = (_is_under_replicated, _is_at_min_isr, _is_under_min_isr, _is_unavailable)
    wanted: list[_Test] = [test for test, is_chosen in zip(tests, chosen, strict=True) if is_chosen]
    if with_overrides and wanted:
        raise click.BadParameter(
            "shows settings: it cannot be combined with options for partitions",
            param_hint="--with-overrides",
        )
    with administering(connection, timeout) as admin:
        named, missing = _names_of(admin, ids or [], timeout)
        everything = not topics and not ids
        asked = None if everything else [*(topics or []), *named]
        found, failures = described(admin, asked, timeout)
        failures = missing + failures
        if with_overrides:
            names, rows, more = _overrides(admin, found, timeout)
        else:
            names, rows, more = _partitions(admin, found, wanted, timeout)
    if found or not failures:
        show(names, rows, as_json)
    if failures + more:
        fail(*failures, *more)


def _names_of(admin: AdminClient, ids: list[Uuid], timeout: float) -> tuple[list[str], list[str]]:
    """Return the names of topics, and a line for each id that failed."""
    if not ids:
        return [], []
    futures = admin.describe_topics(TopicIdCollection(ids), request_timeout=timeout)
    found, failures = settled("topic id", {base64_of(each): one for each, one in futures.items()})
    return [topic.name for topic in found.values()], failures


def _overrides(admin: AdminClient, topics: Iterable[str], timeout: float) -> _Table:
    settings, failures = overrides(admin, topics, timeout)
    rows = [
        (topic, name, value) for topic, values in settings.items() for name, value in values.items()
    ]
    return ("topic", "setting", "value"), rows, failures


def overrides(
    admin: AdminClient, topics: Iterable[str], timeout: float
) -> tuple[dict[str, dict[str, str | None]], list[str]]:
    """Return the settings that topics have set themselves.

    Args:
        admin: a connected client.
        topics: their names.
        timeout: seconds to wait.

    Returns:
        The values by topic and name, and a line for each topic that failed.
    """
    from confluent_kafka.admin import ConfigSource

    found, failures = _configs(admin, topics, timeout)
    return {
        topic: {
            name: entry.value
            for name, entry in sorted(entries.items())
            if entry.source is ConfigSource.DYNAMIC_TOPIC_CONFIG
        }
        for topic, entries in found.items()
    }, failures


def _configs(
    admin: AdminClient, topics: Iterable[str], timeout: float
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    from confluent_kafka.admin import ConfigResource

    resources = [ConfigResource("topic", name) for name in topics]
    if not resources:
        return {}, []
    broker = answering_broker(admin, timeout)
    futures = admin.describe_configs(resources, request_timeout=timeout, broker=broker)
    return settled("topic", {each.name: one for each, one in futures.items()})


def _partitions(
    admin: AdminClient,
    topics: dict[str, TopicMetadata],
    wanted: list[_Test],
    timeout: float,
) -> _Table:
    if not {_is_at_min_isr, _is_under_min_isr} & set(wanted):
        states = list(_states(topics, {}))
        return _COLUMNS, [_row(each) for each in states if _passes(each, wanted)], []
    found, failures = _configs(admin, topics, timeout)
    least = {name: int(entries[_LEAST].value) for name, entries in found.items()}
    rows = [(*_row(each), each.least) for each in _states(topics, least) if _passes(each, wanted)]
    return (*_COLUMNS, "min in sync"), rows, failures


def _passes(state: _State, tests: list[_Test]) -> bool:
    return not tests or any(test(state) for test in tests)


def _states(topics: dict[str, TopicMetadata], least: dict[str, int]) -> Iterator[_State]:
    for name, topic in topics.items():
        for _, partition in sorted(topic.partitions.items()):
            yield _State(name, partition, least.get(name))


def _row(state: _State) -> tuple[Any, ...]:
    partition = state.partition
    leader = None if _is_unavailable(state) else partition.leader
    return state.topic, partition.id, leader, partition.replicas, partition.isrs

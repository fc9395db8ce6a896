"""``topics offsets`` and ``topics delete-records``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from confluent_kafka import TopicPartition
from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, report
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    settled,
    show,
    show_changes,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.topics.names import (
    by_name,
    chosen_partitions,
    partitions_of,
)
from confluent_kafka.cli.topics.selection import Selection, selection_or_pattern

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, ListOffsetsResultInfo, OffsetSpec

# OffsetSpec has a class method of each name.
_KINDS = ("earliest", "latest", "max-timestamp", "earliest-local", "latest-tiered")


def _kind_or_time(text: str) -> str | int:
    """Return the name of an OffsetSpec, or a time in milliseconds since 1970."""
    if text in _KINDS:
        return text
    bound = Bound.parse(text, None, offsets=False, others=_KINDS[2:])
    return bound.number if bound.kind == "time" else _KINDS[bound.kind == "end"]


def offsets(
    topics: Annotated[
        list[Selection],
        argument(
            parse=selection_or_pattern,
            metavar="TOPIC[:PARTITION,...]...",
            help="Topics with all their partitions, or some partitions. ^ begins a regular "
            "expression for topics.",
        ),
    ],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    at: Annotated[
        str,
        option(
            "--at",
            parse=_kind_or_time,
            metavar="WHERE",
            help=f"Position: {', '.join(_KINDS)}, or a time such as 2026-01-31T12:00Z or -1h for "
            "the first message at or after it.",
        ),
    ] = "latest",
) -> None:
    """Show an offset of each partition: by default the end, which the next message will have.

    Offset and timestamp are unknown if the partition has no such message. The timestamp is in
    milliseconds since 1970; brokers return it only for max-timestamp and a time.
    """
    with administering(connection, timeout) as admin:
        places, failures = chosen_partitions(admin, topics, timeout)
        results, more = _looked_up(admin, dict.fromkeys(places, _spec(at)), timeout)
    if results or not failures + more:
        show(
            ("topic", "partition", "offset", "timestamp"),
            (
                (place.topic, place.partition, _known(one.offset), _known(one.timestamp))
                for place, one in results.items()
            ),
            as_json,
        )
    if failures + more:
        fail(*failures, *more)


def _spec(at: str | int) -> OffsetSpec:
    from confluent_kafka.admin import OffsetSpec

    if isinstance(at, int):
        return OffsetSpec.for_timestamp(at)
    spec: OffsetSpec = getattr(OffsetSpec, at.replace("-", "_"))()
    return spec


def _known(number: int) -> int | None:
    return number if number >= 0 else None


def _looked_up(
    admin: AdminClient, wanted: Mapping[TopicPartition, OffsetSpec], timeout: float
) -> tuple[dict[TopicPartition, ListOffsetsResultInfo], list[str]]:
    """Return the offsets of partitions, and a line for each partition that failed."""
    if not wanted:
        return {}, []
    asked = admin.list_offsets(dict(wanted), request_timeout=timeout)
    found, failures = settled("partition", dict(zip(by_name(asked), asked.values(), strict=True)))
    return {
        place: found[name]
        for place, name in zip(asked, by_name(asked), strict=True)
        if name in found
    }, failures


def delete_records(
    where: Annotated[
        list[Selection],
        argument(
            parse=selection_or_pattern,
            metavar="TOPIC[:PARTITION,...]...",
            help="Topics with all their partitions, or some partitions. ^ begins a regular "
            "expression for topics.",
        ),
    ],
    before: Annotated[
        str,
        option(
            "--before",
            metavar="WHERE",
            help="Delete the messages before this offset or time, or all messages up to the end.",
        ),
    ],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
) -> None:
    """Delete the oldest messages of partitions. Shows what it will delete, and asks first.

    The number of messages is an estimate from the offsets. It is too high for partitions with
    transactions, because the ends of transactions also have offsets.
    """
    bound = Bound.parse(before, "--before")
    with administering(connection, timeout) as admin:
        places = partitions_of(admin, where, timeout)
        plan = _plan(admin, places, bound, timeout)
        count = sum(end - begin for begin, end in plan.values())
        if not (as_json and yes and count):
            _show(plan, {}, as_json)
        if not count:
            return
        confirm(f"Delete {counted(count, 'message')}?", yes)
        done, failures = _delete(admin, plan, timeout)
    if as_json:
        _show(plan, done, as_json)
    else:
        report(*(f"partition {name} begins at {offset}" for name, offset in done.items()))
    if failures:
        fail(*failures)


def _show(
    plan: dict[TopicPartition, tuple[int, int]], done: Mapping[str, int], as_json: bool
) -> None:
    rows = {
        name: (place.topic, place.partition, begin, end, end - begin)
        for name, (place, (begin, end)) in zip(by_name(plan), plan.items(), strict=True)
    }
    names = ("topic", "partition", "begin", "new begin", "messages")
    show_changes(names, rows, done, as_json)


def _plan(
    admin: AdminClient, places: list[TopicPartition], bound: Bound, timeout: float
) -> dict[TopicPartition, tuple[int, int]]:
    """Return the first offset of each partition, and the first offset after the deletion."""
    from confluent_kafka.admin import OffsetSpec

    begins = _all_looked_up(admin, places, OffsetSpec.earliest(), timeout)
    ends = _all_looked_up(admin, places, OffsetSpec.latest(), timeout)
    targets = dict(ends)
    if bound.kind == "time":
        found = _all_looked_up(admin, places, OffsetSpec.for_timestamp(bound.number), timeout)
        # If no message is as late as the time, all of them are older.
        targets = {place: one if one >= 0 else ends[place] for place, one in found.items()}
    elif bound.kind == "beginning":
        targets = begins
    elif bound.kind == "offset":
        targets = dict.fromkeys(places, bound.number)
        _check_ends(targets, ends)
    return {place: (begins[place], max(begins[place], targets[place])) for place in places}


def _check_ends(targets: dict[TopicPartition, int], ends: dict[TopicPartition, int]) -> None:
    after = [
        f"partition {name!r}: {targets[place]} is after its end, which is {ends[place]}"
        for place, name in zip(targets, by_name(targets), strict=True)
        if targets[place] > ends[place]
    ]
    if after:
        fail(*after)


def _all_looked_up(
    admin: AdminClient, places: Iterable[TopicPartition], spec: OffsetSpec, timeout: float
) -> dict[TopicPartition, int]:
    found, failures = _looked_up(admin, dict.fromkeys(places, spec), timeout)
    if failures:
        fail(*failures)
    return {place: one.offset for place, one in found.items()}


def _delete(
    admin: AdminClient, plan: dict[TopicPartition, tuple[int, int]], timeout: float
) -> tuple[dict[str, int], list[str]]:
    """Delete messages. Return the new first offsets by partition, and a line for each failure."""
    wanted = [
        TopicPartition(place.topic, place.partition, end)
        for place, (begin, end) in plan.items()
        if end > begin
    ]
    asked: dict[TopicPartition, Any] = dict(
        admin.delete_records(wanted, request_timeout=timeout, operation_timeout=timeout)
    )
    done, failures = settled("partition", dict(zip(by_name(asked), asked.values(), strict=True)))
    return {name: result.low_watermark for name, result in done.items()}, failures

"""A plan for the offsets of a group: old and new offsets, and what deserves a remark."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from confluent_kafka.cli.groups.offset_target import Target
from confluent_kafka.cli.groups.view import View
from confluent_kafka.cli.topics.partition_offsets import offsets_at
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

COLUMNS = (
    *("topic", "partition", "old offset", "new offset"),
    *("end", "lag before", "lag after", "remark"),
)


class Change(NamedTuple):
    """The change of the offset of one partition.

    Attributes:
        place: the partition.
        old: the committed offset, or None.
        new: the offset to commit, or None if the offset stays as it is.
        end: the end offset of the partition, or None.
        remark: what deserves attention, or None.
        is_unreadable: whether the partition does not exist or cannot be read.
    """

    place: Place
    old: int | None
    new: int | None
    end: int | None
    remark: str | None
    is_unreadable: bool = False

    @property
    def row(self) -> tuple[Any, ...]:
        """The values of COLUMNS."""
        after = self.old if self.new is None else self.new
        lags = (_lag(self.old, self.end), _lag(after, self.end))
        return (*self.place, self.old, self.new, self.end, *lags, self.remark)


def _lag(offset: int | None, end: int | None) -> int | None:
    return None if offset is None or end is None else max(0, end - offset)


def plan(
    admin: AdminClient, group: View, places: Iterable[Place], target: Target, timeout: float
) -> list[Change]:
    """Return the change of each partition. New offsets are within the log of the partition.

    Args:
        admin: the client.
        group: the group.
        places: the partitions.
        target: where to move the group.
        timeout: seconds to wait for the brokers.
    """
    from confluent_kafka.admin import OffsetSpec

    places = list(places)
    starts = offsets_at(admin, places, OffsetSpec.earliest(), timeout)
    ends = offsets_at(admin, places, OffsetSpec.latest(), timeout)
    at_time: dict[Place, int | None] = {}
    if target.kind == "time":
        at_time = offsets_at(admin, places, OffsetSpec.for_timestamp(target.number), timeout)
    changes = []
    for place in places:
        old, start, end = group.committed.get(place), starts[place], ends[place]
        new: int | None = None
        remark: str | None
        if start is None or end is None:
            remark = "the partition does not exist or cannot be read: not changed"
        else:
            wanted, remark = _wanted(target, place, old, (start, end), at_time.get(place))
            if wanted is not None:
                new = min(max(wanted, start), end)
            if wanted is not None and new != wanted:
                side = "before the start" if wanted < start else "after the end"
                remark = f"{wanted} is {side} of the log"
        changes.append(Change(place, old, new, end, remark, start is None or end is None))
    return changes


def _wanted(
    target: Target, place: Place, old: int | None, log: tuple[int, int], at_time: int | None
) -> tuple[int | None, str | None]:
    """Return the offset that the target asks for, and a remark."""
    match target.kind:
        case "beginning":
            return log[0], None
        case "end":
            return log[1], None
        case "offset":
            return target.number, None
        case "file" | "group":
            return (target.offsets or {})[place], None
        case "time":
            if at_time is None or at_time < 0:
                return log[1], "no message at or after this time: the end is used"
            return at_time, None
    if old is None:
        return None, "no committed offset: not changed"
    return old + target.number, None  # current, or shift

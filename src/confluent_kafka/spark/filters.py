"""Filters that Spark pushes down, as limits of the offsets to read from each partition.

Spark pushes filters down if ``spark.sql.python.filterPushdown.enabled`` is true. The source applies
filters on topic, partition and offset exactly. Spark always applies filters on timestamp itself,
because producers set timestamps and they may be out of order. The source only uses a lower limit:
Kafka's index returns the first message that is late enough, and the messages before it need not be
read. An upper limit gives no offset, because an older message may follow any message.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import eq, ge, gt, le, lt
from typing import Any

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    Not,
)

from .offsets import Partition
from .positions import TimeLookup
from .ranges import OffsetRange

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_COMPARISONS: dict[type[Filter], Callable[[Any, Any], bool]] = {
    EqualTo: eq,
    EqualNullSafe: eq,
    GreaterThan: gt,
    GreaterThanOrEqual: ge,
    LessThan: lt,
    LessThanOrEqual: le,
}


@dataclass(frozen=True)
class _Test:
    """A filter on a column that is the same for all messages of a partition."""

    column: str
    filter: Filter

    def __call__(self, partition: Partition) -> bool:
        found = partition.topic if self.column == "topic" else partition.number
        return _passes(self.filter, found)


@dataclass
class Limits:
    """The limits that filters set for a read. Spark sends them to the executors with the reader."""

    first: int = 0
    """The lowest offset of every partition."""
    end: int | None = None
    """The offset after the highest offset of every partition; None if there is no such limit."""
    since: int | None = None
    """Milliseconds since 1970: messages before the first message of this time are not needed."""
    tests: list[_Test] = field(default_factory=list)

    def push(self, filters: Iterable[Filter]) -> Iterator[Filter]:
        """Take filters that a row must all pass; yield the ones that Spark must apply, too."""
        for one in filters:
            column = _column(one)
            if isinstance(one, IsNotNull) and column in ("topic", "partition", "offset"):
                continue
            if column in ("topic", "partition") and _comparable(one, str, int):
                self.tests.append(_Test(column, one))
                continue
            if column == "timestamp" and _comparable(one, datetime):
                self._limit_time(one)
            if column != "offset" or not _comparable(one, int) or not self._limit_offset(one):
                yield one

    def narrow(self, ranges: Iterable[OffsetRange], at: TimeLookup) -> list[OffsetRange]:
        """Return the parts of ranges that pass the filters, without empty ranges.

        Args:
            ranges: the ranges to read without filters.
            at: looks up offsets by time: `Positions.at`.
        """
        covered = [one for one in ranges if all(test(one.partition) for test in self.tests)]
        if self.since is None:
            found: Mapping[Partition, int | None] = {one.partition: 0 for one in covered}
        else:
            found = at({one.partition: self.since for one in covered})
        narrowed = []
        for one in covered:
            # None means that no message of the partition is late enough.
            since = found[one.partition]
            start = max(one.start, self.first, one.end if since is None else since)
            end = one.end if self.end is None else min(one.end, self.end)
            if start < end:
                narrowed.append(OffsetRange(one.partition, start, end))
        return narrowed

    def _limit_offset(self, one: Filter) -> bool:
        """Narrow the offsets; return whether exactly the rows that pass are left."""
        match one:
            case EqualTo(value=value) | EqualNullSafe(value=value):
                least, end = value, value + 1
            case GreaterThan(value=value):
                least, end = value + 1, None
            case GreaterThanOrEqual(value=value):
                least, end = value, None
            case LessThan(value=value):
                least, end = 0, value
            case LessThanOrEqual(value=value):
                least, end = 0, value + 1
            case In(value=values) if values:
                least, end = min(values), max(values) + 1
            case _:
                return False
        self.first = max(self.first, least)
        if end is not None:
            self.end = end if self.end is None else min(self.end, end)
        return not isinstance(one, In)

    def _limit_time(self, one: Filter) -> None:
        """Note the earliest time that a message may have."""
        match one:
            case EqualTo(value=value) | GreaterThan(value=value) | GreaterThanOrEqual(value=value):
                since = (value - _EPOCH) // timedelta(milliseconds=1)
                self.since = max(0, since, self.since or 0)
            case _:
                pass


def _inner(one: Filter) -> Filter:
    return one.child if isinstance(one, Not) else one


def _column(one: Filter) -> str | None:
    """Return the name of the one column that a filter is about; None for a part of a column."""
    path: tuple[str, ...] = getattr(_inner(one), "attribute", ())
    return path[0] if len(path) == 1 else None


def _comparable(one: Filter, *types: type) -> bool:
    """Return whether a filter compares with values of these types, and not with null."""
    inner = _inner(one)
    if isinstance(inner, In):
        return all(isinstance(value, types) for value in inner.value)
    return isinstance(inner, tuple(_COMPARISONS)) and isinstance(_value(inner), types)


def _passes(one: Filter, found: object) -> bool:
    if isinstance(one, Not):
        return not _passes(one.child, found)
    if isinstance(one, In):
        return found in one.value
    return _COMPARISONS[type(one)](found, _value(one))


def _value(one: Filter) -> Any:
    """Return the value that a comparison compares with."""
    return getattr(one, "value")  # noqa: B009 - their base class lacks it

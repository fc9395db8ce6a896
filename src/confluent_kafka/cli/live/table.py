"""A table of the live view: its columns, the kinds of their values, and its order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any, NamedTuple

from confluent_kafka.cli.live.snapshot import Pair

Row = tuple[Any, ...]


class Kind(Enum):
    """The kind of a column's values. It decides how the values are shown and sorted."""

    NAME = "a text"
    NUMBER = "a number that identifies something, such as a partition"
    COUNT = "a number of things"
    PROBLEMS = "a number of things that should be 0"
    RATE = "a number of things a second"
    SLOPE = "a change a second, with its sign"


_AMOUNTS = frozenset({Kind.COUNT, Kind.PROBLEMS, Kind.RATE, Kind.SLOPE})


class Column(NamedTuple):
    """A column.

    Attributes:
        name: its name.
        kind: what its values are.
    """

    name: str
    kind: Kind


class Table(NamedTuple):
    """A table that is made from two states of a cluster.

    Attributes:
        columns: its columns.
        keys: how many columns, from the first one on, identify a row.
        order: the column that its rows are sorted by.
        rows: returns its rows in no particular order.
        most: the most rows; None is no limit.
    """

    columns: tuple[Column, ...]
    keys: int
    order: str
    rows: Callable[[Pair], list[Row]]
    most: int | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(each.name for each in self.columns)

    def sorted(self, pair: Pair) -> list[Row]:
        """Return the first rows in the order of the table."""
        return in_order(self.columns, self.rows(pair), self.order)[: self.most]


def in_order(
    columns: Sequence[Column], rows: Iterable[Row], order: str, backwards: bool = False
) -> list[Row]:
    """Return sorted rows: names and numbers ascending, amounts descending, unknown values last.

    Rows that are equal in the column stay in their order.

    Args:
        columns: the columns.
        rows: the rows.
        order: the name of the column to sort by.
        backwards: whether to reverse the order of the known values.
    """
    number = [each.name for each in columns].index(order)
    downwards = (columns[number].kind in _AMOUNTS) != backwards
    rows = list(rows)
    known = [row for row in rows if row[number] is not None]
    known.sort(key=lambda row: row[number], reverse=downwards)
    return known + [row for row in rows if row[number] is None]

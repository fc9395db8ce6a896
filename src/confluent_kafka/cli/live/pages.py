"""What the live view can show, and what Enter opens."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from confluent_kafka.cli.base.terminal import printable
from confluent_kafka.cli.live.rows import (
    TABLES,
    partitions_of_broker,
    partitions_of_group,
    partitions_of_topic,
)
from confluent_kafka.cli.live.snapshot import Pair
from confluent_kafka.cli.live.table import Column, Kind, Row, Table, in_order
from confluent_kafka.cli.topics.place import Place

_MESSAGES = (
    Column("offset", Kind.NUMBER),
    Column("time", Kind.NAME),
    Column("key", Kind.NAME),
    Column("value", Kind.NAME),
)


class Page:
    """A table on the screen, with its filter and order.

    Args:
        title: the title of the table.
        table: the table.
        opens: returns the page that a row opens.

    Attributes:
        filter: a text that is in the names of all rows that are shown.
        order: the column that the rows are sorted by.
        backwards: whether the rows are in the opposite order.
    """

    def __init__(self, title: str, table: Table, opens: Callable[[Row], Page] | None = None):
        self.title = title
        self.table = table
        self.opens = opens
        self.filter = ""
        self.order = table.order
        self.backwards = False
        # The rows of the table, until there is another state: a cluster can have many partitions.
        self._kept: tuple[Pair, list[Row]] | None = None

    def rows(self, pair: Pair) -> list[Row]:
        """Return the rows that the filter lets through, in order."""
        if self._kept is None or self._kept[0] is not pair:
            self._kept = pair, self.table.sorted(pair)
        rows = self._kept[1]
        if self.filter:
            rows = [row for row in rows if self._matches(row)]
        if (self.order, self.backwards) == (self.table.order, False):
            return rows
        return in_order(self.table.columns, rows, self.order, self.backwards)

    def _matches(self, row: Row) -> bool:
        wanted = self.filter.casefold()
        return any(
            wanted in str(value).casefold()
            for column, value in zip(self.table.columns, row, strict=True)
            if column.kind is Kind.NAME and value is not None
        )

    def sort_by_next(self) -> None:
        """Sort by the next column. The first column follows the last column."""
        names = self.table.names
        self.order = names[(names.index(self.order) + 1) % len(names)]
        self.backwards = False


class MessagesPage(Page):
    """The last messages of a partition, the newest one first.

    Args:
        place: the partition.

    Attributes:
        place: the partition.
        loaded: whether the messages were read.
        problem: why they cannot be read, or an empty text.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self.loaded = False
        self.problem = ""
        self._messages: dict[int, Mapping[str, Any]] = {}
        super().__init__(
            f"{place[0]}:{place[1]}",
            Table(_MESSAGES, keys=1, order="offset", rows=lambda _: self._rows()),
        )
        self.backwards = True

    def load(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Replace the earlier messages.

        Args:
            messages: the messages, as samples.sample() returns them.
        """
        self._messages = {each["offset"]: each for each in messages}
        self.loaded = True
        self._kept = None

    def message(self, row: Row) -> Mapping[str, Any]:
        """Return the message of a row."""
        return self._messages[row[0]]

    def _rows(self) -> list[Row]:
        return [
            (offset, _time(each["timestamp"]), _text(each["key"]), _text(each["value"]))
            for offset, each in self._messages.items()
        ]


def _time(milliseconds: int) -> str | None:
    if milliseconds < 0:
        return None
    try:
        moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    except (OverflowError, ValueError):  # a producer can set any timestamp
        return str(milliseconds)
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def _text(value: Any) -> str | None:
    """Return a key or value on one line. None is null."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def message_lines(message: Mapping[str, Any]) -> list[str]:
    """Return a message as lines of JSON, without control characters.

    Args:
        message: the message, as samples.sample() returns it.
    """
    text = json.dumps(message, ensure_ascii=False, indent=2)
    return [printable(line) for line in text.split("\n")]


def first_page(view: str) -> Page:
    """Return the page of a view.

    Args:
        view: a name in TABLES.
    """
    opens: Mapping[str, Callable[[Row], Page]] = {
        "brokers": lambda row: Page(
            f"broker {row[0]}", partitions_of_broker(row[0]), lambda each: MessagesPage(each[:2])
        ),
        "topics": lambda row: Page(
            row[0],
            partitions_of_topic(row[0]),
            lambda each: MessagesPage((row[0], each[0])),
        ),
        "groups": _group,
        "slowest": _group,
    }
    return Page(view, TABLES[view], opens[view])


def _group(row: Row) -> Page:
    return Page(row[0], partitions_of_group(row[0]), lambda each: MessagesPage(each[:2]))

"""Fits rows into the width of a terminal: names become shorter, and numbers stay whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from confluent_kafka.cli.base.terminal import cell
from confluent_kafka.cli.live.table import Column, Kind, Row

_GAP = 2
_LEAST = 5  # a name keeps at least this many cells
_ELLIPSIS = "…"
_PARTS = re.compile(r"(?<=-)|\s(?=\S+$)")  # divides the name of a column into at most two parts
_STYLES = {Kind.PROBLEMS: "bold red", Kind.SLOPE: "yellow"}
_FORMATS = {Kind.COUNT: "{:,}", Kind.PROBLEMS: "{:,}", Kind.RATE: "{:,.1f}", Kind.SLOPE: "{:+,.1f}"}


def shown(column: Column, value: Any) -> str:
    """Return a value as text. Control characters of names are escapes.

    Args:
        column: the column of the value.
        value: the value; None is unknown.
    """
    if value is None or column.kind not in _FORMATS:
        return cell(value)
    return _FORMATS[column.kind].format(value)


def style(column: Column, value: Any) -> str:
    """Return the style of a value: a problem is red, and a lag that grows is yellow."""
    if column.kind not in _STYLES or value is None or value <= 0:
        return ""
    return _STYLES[column.kind]


def elided(text: str, width: int) -> str:
    """Return a text with an ellipsis in its middle, if it is wider than allowed.

    Names often differ at their ends only, such as ``payments.orders.v1``.

    Args:
        text: the text.
        width: the cells of the terminal that it may take.
    """
    if cell_len(text) <= width:
        return text
    end = (width - 1) // 2
    tail = text[len(text) - end :]
    while cell_len(tail) > end:  # characters that are two cells wide
        tail = tail[1:]
    return set_cell_size(text, width - 1 - cell_len(tail)) + _ELLIPSIS + tail


class Fitted:
    """Rows as lines of a terminal.

    Args:
        columns: the columns.
        rows: the values of each row.
        width: the cells of a line. If it is too narrow for the numbers, the last columns are left
            out.
        order: the name of the column that the rows are sorted by.
    """

    def __init__(
        self, columns: Sequence[Column], rows: Sequence[Row], width: int, order: str
    ) -> None:
        self._columns = columns
        self._rows = rows
        self._order = order
        self._texts = [[shown(*pair) for pair in zip(columns, row, strict=True)] for row in rows]
        self._heads = [[each.name] for each in columns]
        if sum(self._natural()) + _GAP * (len(columns) - 1) > width:
            self._heads = [_PARTS.split(each.name) for each in columns]
        self._widths = _fitting(columns, self._heads, self._natural(), width)

    def _natural(self) -> list[int]:
        """Return the widths of the columns if nothing becomes shorter."""
        return [
            max(map(cell_len, (*head, *(row[number] for row in self._texts))))
            for number, head in enumerate(self._heads)
        ]

    def header(self) -> list[Text]:
        """Return the lines with the names of the columns. A long name is on several lines."""
        height = max(map(len, self._heads[: len(self._widths)]))
        padded = [[""] * (height - len(head)) + head for head in self._heads]
        styles = [self._style(each) for each in self._columns]
        return [self._line([head[line] for head in padded], styles) for line in range(height)]

    def _style(self, column: Column) -> str:
        return "bold underline" if column.name == self._order else "bold"

    def line(self, number: int) -> Text:
        """Return the line of a row.

        Args:
            number: the number of the row.
        """
        pairs = zip(self._columns, self._rows[number], strict=True)
        return self._line(self._texts[number], [style(*pair) for pair in pairs])

    def _line(self, texts: Sequence[str], styles: Sequence[str]) -> Text:
        line = Text(no_wrap=True, overflow="crop", end="")
        for column, width, text, each in zip(
            self._columns, self._widths, texts, styles, strict=False
        ):
            content = elided(text, width)
            space = " " * (width - cell_len(content))
            left = column.kind is Kind.NAME
            line.append("" if left else space).append(content, each)
            line.append(space if left else "").append(" " * _GAP)
        return line


def _fitting(
    columns: Sequence[Column], heads: list[list[str]], widths: list[int], width: int
) -> list[int]:
    """Return the widths of the columns that fit, the first columns at least."""
    least = [
        min(each, max(_LEAST, *map(cell_len, head))) if column.kind is Kind.NAME else each
        for column, head, each in zip(columns, heads, widths, strict=True)
    ]
    count = len(columns)
    while count > 1 and sum(least[:count]) + _GAP * (count - 1) > width:
        count -= 1
    found = widths[:count]
    while sum(found) + _GAP * (count - 1) > width:
        shrinking = [number for number in range(count) if found[number] > least[number]]
        if not shrinking:  # only the first column is left
            return [width]
        found[max(shrinking, key=found.__getitem__)] -= 1
    return found

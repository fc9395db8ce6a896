"""Tables on a terminal: whole words and numbers, however narrow it is."""

from __future__ import annotations

import contextlib
import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.live import Live
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from confluent_kafka.cli.base.terminal import cell, open_console

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

_GAP = 2
_ITEM_ENDS = re.compile(r"(?<=[,;]) +")
_HEADER = 2  # lines: the names of the columns, and the rule below them


def draw(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table to the terminal.

    Args:
        names: names of the columns.
        rows: the values of each row; None is an unknown value.
    """
    open_console().print(Drawn(names, rows), crop=False)


@contextlib.contextmanager
def watched(names: Sequence[str]) -> Iterator[Callable[[Iterable[Sequence[Any]]], None]]:
    """Lend a function that draws a table in the place of the one before.

    Args:
        names: names of the columns.
    """
    with Live(console=open_console(), auto_refresh=False) as live:
        yield lambda rows: live.update(Drawn(names, rows), refresh=True)


class Drawn:
    """A table that rich draws. It breaks lines between words, and never within a word.

    If the columns are too wide for that, the first ones stay a table, and the values of the others
    follow below each row with their names.

    Args:
        names: names of the columns.
        rows: the values of each row; None is an unknown value.
        right: columns that are aligned right although they are text, such as ``1.5 MB``. Columns
            of numbers always are.
    """

    def __init__(
        self,
        names: Sequence[str],
        rows: Iterable[Sequence[Any]],
        right: Collection[str] = (),
    ) -> None:
        values = [list(row) for row in rows]
        self._names = list(names)
        # A long list can continue on the next line after each comma.
        self._rows = [[cell(value, ", ") for value in row] for row in values]
        self._right = [
            name in right or _is_numeric(row[number] for row in values)
            for number, name in enumerate(names)
        ]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Any]:
        """Draw the table at the available width."""
        columns = [list(column) for column in zip(self._names, *self._rows, strict=True)]
        widths = _fitting(columns, options.max_width)
        if widths is not None:
            yield self._table(widths)
            return
        widest = [max(map(cell_len, column)) for column in columns]
        kept = 1
        while sum(widest[: kept + 1]) + _GAP * kept <= options.max_width:
            kept += 1
        wide = options.update(width=max(options.max_width, widest[0]))
        lines = console.render_lines(self._table(widest[:kept]), wide, pad=False)
        for number, line in enumerate(lines):
            yield from (*line, Segment.line())
            if number >= _HEADER:
                yield from self._below(self._rows[number - _HEADER], kept, options.max_width)

    def _table(self, widths: list[int]) -> Table:
        table = Table(
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0)
        )
        for name, width, right in zip(self._names, widths, self._right, strict=False):
            table.add_column(name, width=width, justify="right" if right else "left")
        for row in self._rows:
            cells = zip(row, widths, strict=False)
            table.add_row(*("\n".join(_lines(text, width)) for text, width in cells))
        return table

    def _below(self, row: list[str], kept: int, width: int) -> Iterator[RenderableType]:
        """Yield lines with the values that do not fit into the row, and with their names."""
        line = ""
        for name, text in zip(self._names[kept:], row[kept:], strict=True):
            if text in ("", "-"):
                continue
            pair = f"{name}: {text}"
            if line and cell_len(line) + _GAP + cell_len(pair) > width:
                yield from _continuation(line, width)
                line = ""
            line = f"{line}{' ' * _GAP}{pair}"
        if line:
            yield from _continuation(line, width)


def _continuation(line: str, width: int) -> Iterator[Text]:
    lines = [line]
    if cell_len(line) > width:  # one value, which may be a list
        first, *others = _lines(line.strip(), width - 2 * _GAP)
        lines = [" " * _GAP + first, *(" " * 2 * _GAP + each for each in others)]
    for each in lines:
        # A word that is longer than the terminal is wide stays whole: it can then be copied.
        yield Text(each, style="dim", no_wrap=True, overflow="ignore")


def _lines(text: str, width: int) -> list[str]:
    """Divide a text into lines: after commas and semicolons, or else between words.

    So ``rich 15.0.0, click 8.5.1`` keeps each name and its number together.
    """
    lines, line = [], ""
    for item in _ITEM_ENDS.split(text):
        longer = f"{line} {item}" if line else item
        if cell_len(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        *full, line = textwrap.wrap(
            item, width, break_long_words=False, break_on_hyphens=False
        ) or [""]
        lines += full
    return [*lines, line]


def _is_numeric(values: Iterable[object]) -> bool:
    kinds = {type(value) for value in values if value is not None}
    return bool(kinds) and kinds <= {int, float}


def _fitting(columns: list[list[str]], width: int) -> list[int] | None:
    """Return widths at which no word is broken, or None if the table is too wide for that."""
    room = width - _GAP * (len(columns) - 1)
    widths = [max(map(cell_len, column)) for column in columns]
    least = [max(cell_len(word) for text in column for word in _words(text)) for column in columns]
    if sum(least) > room:
        return None
    while sum(widths) > room:
        # The widest column that can still become narrower.
        number = max(
            (each for each in range(len(widths)) if widths[each] > least[each]),
            key=widths.__getitem__,
        )
        widths[number] -= 1
    return widths


def _words(text: str) -> list[str]:
    return text.split() or [""]

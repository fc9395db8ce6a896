"""The list of rows on the screen, with a cursor that stays on its row when the rows change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widget import Widget

from confluent_kafka.cli.live.fitting import Fitted
from confluent_kafka.cli.live.table import Row, Table


class Listing(Widget, can_focus=True):
    """Draws only the rows that fit on the screen: a cluster can have thousands of topics."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "Open"),
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("home", "move(-1000000000)", "First", show=False),
        Binding("end", "move(1000000000)", "Last", show=False),
        # The screen would use them to move between its widgets.
        Binding("tab", "app.next_view(1)", "Next view", show=False),
        Binding("shift+tab", "app.next_view(-1)", "View before", show=False),
    ]

    class Opened(Message):
        """The user has opened a row."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    def __init__(self) -> None:
        super().__init__()
        self._table: Table | None = None
        self._order = ""
        self._rows: Sequence[Row] = ()
        self._cursor = 0
        self._top = 0
        self._empty = ""
        self._fitted: Fitted | None = None
        self._width = 0

    def put(self, table: Table, rows: Sequence[Row], order: str, empty: str) -> None:
        """Show these rows.

        Args:
            table: their table. If it is a new table, the cursor is on its first row.
            rows: the rows.
            order: the column that they are sorted by.
            empty: the text to show if there is no row.
        """
        key = self.key if table is self._table else None
        if table is not self._table:
            self._cursor = self._top = 0
        self._table, self._rows, self._order, self._empty = table, rows, order, empty
        self._fitted = None
        keys = [row[: table.keys] for row in rows]
        if key in keys:
            self._cursor = keys.index(key)
        self._cursor = max(0, min(self._cursor, len(rows) - 1))
        self.refresh()

    @property
    def key(self) -> Row | None:
        """What identifies the row under the cursor; None if there is no row."""
        if self._table is None or not self._rows:
            return None
        return self._rows[self._cursor][: self._table.keys]

    def go_to(self, key: Row | None) -> None:
        """Move the cursor to a row, if it is there."""
        keys = [] if self._table is None else [row[: self._table.keys] for row in self._rows]
        if key in keys:
            self._cursor = keys.index(key)
            self.refresh()

    def render(self) -> Text:
        """Draw the header and the rows around the cursor."""
        if self._table is None or not self._rows:
            return Text(self._empty, style="dim")
        if self._fitted is None or self._width != self.size.width:
            # The widths are those of all rows, so that no column moves while the user scrolls.
            self._width = self.size.width
            self._fitted = Fitted(self._table.columns, self._rows, self._width, self._order)
        lines = self._fitted.header()
        shown = max(1, self.size.height - len(lines))
        self._top = min(self._top, self._cursor, max(0, len(self._rows) - shown))
        self._top = max(self._top, self._cursor - shown + 1)
        for number in range(self._top, min(self._top + shown, len(self._rows))):
            line = self._fitted.line(number)
            if number == self._cursor:
                line.pad_right(max(0, self.size.width - line.cell_len))
                line.stylize("reverse")
            lines.append(line)
        return Text("\n").join(lines)

    def action_move(self, steps: int) -> None:
        """Move the cursor by some rows."""
        self._cursor = max(0, min(self._cursor + steps, len(self._rows) - 1))
        self.refresh()

    def action_page(self, direction: int) -> None:
        """Move the cursor by a screen."""
        self.action_move(direction * max(1, self.size.height - 2))

    def action_open(self) -> None:
        """Open the row under the cursor."""
        if self._rows:
            self.post_message(self.Opened(self._rows[self._cursor]))

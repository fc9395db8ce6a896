"""A text above the live view: a message, or what the keys do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from confluent_kafka.cli.base.terminal import printable


class Details(ModalScreen[None]):
    """Shows lines until the user closes it.

    Args:
        title: the title.
        lines: the lines, without control characters.
    """

    CSS = """
    Details Static { height: auto; }
    Details { align: center middle; }
    Details VerticalScroll {
        width: 90%; height: auto; max-height: 90%; padding: 0 1;
        border: round $accent; background: $surface;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,question_mark", "dismiss", "Close", key_display="esc"),
        Binding("ctrl+c", "app.interrupt", "Interrupt", show=False, priority=True),
    ]

    def __init__(self, title: str, lines: Iterable[str]) -> None:
        super().__init__()
        self._title = title
        self._lines = lines

    def compose(self) -> ComposeResult:
        """Yield the text, which can be longer than the screen."""
        with VerticalScroll() as box:
            box.border_title = Text(printable(self._title))
            yield Static(Text("\n".join(self._lines)))

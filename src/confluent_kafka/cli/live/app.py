"""The live view on a terminal. The cluster is asked in another thread, so keys never wait."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from typing import Any, ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Footer, Input, Static

from confluent_kafka import KafkaException
from confluent_kafka._daemon_threads import DaemonThreads
from confluent_kafka.cli.base.ending import INTERRUPTED
from confluent_kafka.cli.base.terminal import printable
from confluent_kafka.cli.live import status
from confluent_kafka.cli.live.details import Details
from confluent_kafka.cli.live.listing import Listing
from confluent_kafka.cli.live.navigation import Navigation
from confluent_kafka.cli.live.pages import MessagesPage, message_lines
from confluent_kafka.cli.live.rows import TABLES
from confluent_kafka.cli.live.snapshot import History, Snapshot
from confluent_kafka.cli.topics.place import Place

_WINDOW = 10.0  # rates are averages over this many seconds
_KEYS = [
    "1 2 3 4      brokers, topics, groups, slowest partitions",
    "Tab          the next view",
    "Up Down      another row; also j, k, PageUp, PageDown, Home, End",
    "Enter        opens the row: partitions, then messages, then a message",
    "Escape       removes the filter, or goes back",
    "p Space      pauses, or continues",
    "s            sorts by the next column",
    "S            sorts the other way around",
    "/            shows only rows whose names contain a text",
    "r            reads now: the messages, or the cluster",
    "q Ctrl-C     ends",
]

Messages = list[dict[str, Any]]


class LiveView(App[int]):
    """The live view. It ends with the exit status of the command.

    Args:
        look: returns the state of the cluster.
        read: returns the last messages of a partition.
        every: the seconds between two samples.
        view: the view to begin with, a name in TABLES.

    Attributes:
        failure: the exception that has ended it, which is a fault of this program.
    """

    ENABLE_COMMAND_PALETTE = False
    TITLE = "confluent-kafka top"
    CSS = """
    Static { height: 1; }
    #error { color: $text-error; display: none; }
    Input { height: 1; border: none; padding: 0; display: none; }
    Listing { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"view({name!r})", name, show=False)
            for number, name in enumerate(TABLES, 1)
        ),
        Binding("escape", "leave", "Back"),
        Binding("p,space", "pause", "Pause", key_display="p"),
        Binding("s", "sort", "Sort"),
        Binding("S", "sort_backwards", "Sort the other way around", show=False),
        Binding("slash", "filter", "Filter", key_display="/"),
        Binding("r", "read", "Read now", show=False),
        Binding("question_mark", "keys", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
        Binding("ctrl+c", "interrupt", "Interrupt", show=False, priority=True),
    ]

    class Answered(Message):
        """A call in another thread has ended."""

        def __init__(self, future: Future[Any], page: MessagesPage | None) -> None:
            super().__init__()
            self.future = future
            self.page = page

    def __init__(
        self,
        look: Callable[[], Snapshot],
        read: Callable[[Place], Messages],
        every: float,
        view: str = "groups",
    ) -> None:
        super().__init__()
        self.failure: BaseException | None = None
        self._look = look
        self._read = read
        self._every = every
        self._at = Navigation(view)
        self._state, self._views, self._path = Static(), Static(), Static()
        self._listing = Listing()
        self._error = Static(id="error")
        self._filter = Input(placeholder="part of a name: Enter keeps it, Escape removes it")
        self._history = History(_WINDOW)
        self._answered_at = "the start"
        self._problem = ""
        self._paused = False
        self._sampling = False
        # Two calls, so that messages can be read while the cluster is asked.
        self._threads = DaemonThreads(2, "top")

    def compose(self) -> ComposeResult:
        """Yield the parts of the screen, from top to bottom."""
        yield from (self._state, self._views, self._path, self._listing, self._error, self._filter)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        """Begin to sample. A signal closes the view, so that the terminal is restored."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.action_interrupt)
        self._listing.focus()
        self._sample()
        self.set_interval(self._every, self._sample)

    # --- calls of the cluster -------------------------------------------------------------

    def _sample(self) -> None:
        """Ask the cluster, unless it has not answered yet or the view is paused."""
        if not self._sampling and not self._paused:
            self._sampling = True
            self._call(self._look)
        self._draw()

    def _call(self, call: Callable[[], Any], page: MessagesPage | None = None) -> None:
        future = self._threads.submit(call)
        future.add_done_callback(lambda done: self.post_message(self.Answered(done, page)))

    def on_live_view_answered(self, answer: Answered) -> None:
        """Take the result of a call. The view continues after errors of the cluster."""
        error = answer.future.exception()
        if error is not None and not isinstance(error, KafkaException):
            self.failure = error
            self.exit()
            return
        reason = "" if error is None else error.args[0].str()
        if answer.page is not None:
            answer.page.problem = reason
            if error is None:
                answer.page.load(answer.future.result())
        else:
            self._sampling, self._problem = False, reason
            if error is None:
                self._answered_at = datetime.now().strftime("%H:%M:%S")
                self._history.add(answer.future.result())
        self._draw()

    # --- the screen -----------------------------------------------------------------------

    def on_resize(self) -> None:
        """Fit the lines into the new width."""
        self._draw()

    def _draw(self) -> None:
        pair, page = self._history.pair, self._at.page
        rows = [] if pair is None else page.rows(pair)
        state = Text("asking the cluster ...") if pair is None else status.summary(pair.last)
        if pair is not None:
            state.append(f", {self._answered_at}")
        if self._paused:
            state.append("  PAUSED", "bold yellow")
        self._state.update(state)
        self._views.update(status.views(self._at.view))
        self._path.update(status.path(self._at.pages, len(rows), self.size.width))
        empty = status.no_rows(page, pair is not None)
        self._listing.put(page.table, rows, page.order, empty)
        text = self._problem_text()
        self._error.update(Text(printable(text), no_wrap=True, overflow="ellipsis"))
        self._error.display = bool(text)

    def _problem_text(self) -> str:
        pair, page = self._history.pair, self._at.page
        if self._problem:
            return f"no answer since {self._answered_at}: {self._problem}"
        if isinstance(page, MessagesPage) and page.problem:
            return f"the messages cannot be read: {page.problem}"
        if pair is not None and pair.last.failures:
            first, *others = pair.last.failures
            return f"{first} (and {len(others):,} more)" if others else first
        return ""

    # --- keys -----------------------------------------------------------------------------

    def on_listing_opened(self, opened: Listing.Opened) -> None:
        """Show what a row opens: another page, or a message."""
        page = self._at.page
        if isinstance(page, MessagesPage):
            lines = message_lines(page.message(opened.row))
            self.push_screen(Details(f"{page.title} offset {opened.row[0]}", lines))
        else:
            self._at.open(opened.row, self._listing.key)
            self.action_read()

    def action_view(self, name: str) -> None:
        """Show another view."""
        self._at.show(name)
        self._draw()

    def action_next_view(self, steps: int) -> None:
        """Show the next view. The first view follows the last view."""
        self._at.move(steps)
        self._draw()

    def action_leave(self) -> None:
        """Remove the filter, or go back to the row that led to this page."""
        if self._filter.display or self._at.page.filter:
            self._close_filter()
            self._set_filter("")
        else:
            key = self._at.go_back()
            self._draw()
            self._listing.go_to(key)

    def action_pause(self) -> None:
        """Stop or continue to take samples."""
        self._paused = not self._paused
        self._sample()

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._at.page.sort_by_next()
        self._draw()

    def action_sort_backwards(self) -> None:
        """Sort the other way around."""
        self._at.page.backwards = not self._at.page.backwards
        self._draw()

    def action_read(self) -> None:
        """Read the messages of the page, or else ask the cluster now."""
        page = self._at.page
        if isinstance(page, MessagesPage):
            self._call(lambda: self._read(page.place), page)
        self._sample()

    def action_keys(self) -> None:
        """Show what the keys do."""
        self.push_screen(Details("Keys", _KEYS))

    async def action_quit(self) -> None:
        """End with the status 0."""
        self.exit(0)

    def action_interrupt(self) -> None:
        """End as after Ctrl-C."""
        self.exit(INTERRUPTED)

    # --- the filter -----------------------------------------------------------------------

    def action_filter(self) -> None:
        """Let the user type a filter."""
        self._filter.value = self._at.page.filter
        self._filter.display = True
        self._filter.focus()

    def on_input_changed(self, changed: Input.Changed) -> None:
        """Filter while the user types."""
        if changed.input.display:
            self._set_filter(changed.value)

    def on_input_submitted(self) -> None:
        """Keep the filter."""
        self._close_filter()

    def _set_filter(self, text: str) -> None:
        self._at.page.filter = text
        self._draw()

    def _close_filter(self) -> None:
        self._filter.display = False
        self._listing.focus()

"""The lines above the rows of the live view: the state of the cluster, and what is shown."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from confluent_kafka.cli.base.terminal import counted, printable
from confluent_kafka.cli.live.fitting import elided
from confluent_kafka.cli.live.pages import MessagesPage, Page
from confluent_kafka.cli.live.rows import TABLES
from confluent_kafka.cli.live.snapshot import Snapshot


def summary(state: Snapshot) -> Text:
    """Return a line about a cluster. Problems are red.

    Args:
        state: the state of the cluster.
    """
    parts = Text(counted(len(state.brokers), "broker"))
    topics = {topic for topic, _ in state.partitions}
    for count, text in (
        (len(state.missing), f"{len(state.missing)} down"),
        (len(state.offline), f"{len(state.offline):,} offline"),
        (len(state.under_replicated), f"{len(state.under_replicated):,} under-replicated"),
    ):
        if count:
            parts.append(", ").append(text, "bold red")
    return parts.append(f", {counted(len(topics), 'topic')}, {counted(len(state.groups), 'group')}")


def views(chosen: str) -> Text:
    """Return a line with the views and the keys that show them.

    Args:
        chosen: the view that is shown.
    """
    line = Text()
    for number, name in enumerate(TABLES, 1):
        style = "reverse" if name == chosen else ""
        line.append(f" {number} {name} ", style).append(" ")
    return line


def path(pages: Iterable[Page], count: int, width: int) -> Text:
    """Return a line about the pages that lead to the one that is shown.

    Args:
        pages: the pages. The last one is shown.
        count: how many rows it has.
        width: the cells of the line.
    """
    titles = [printable(page.title) for page in pages]
    *_, last = pages
    details = f"  {counted(count, 'row')}, sorted by {last.order}"
    details += ", backwards" if last.backwards else ""
    details += f", filter {printable(last.filter)!r}" if last.filter else ""
    return Text(elided(" > ".join(titles), max(9, width - len(details))), "bold").append(
        details, "not bold dim"
    )


def no_rows(page: Page, is_known: bool) -> str:
    """Return a line for a page that has no row.

    Args:
        page: the page.
        is_known: whether the state of the cluster is known.
    """
    if not is_known:
        return ""
    if isinstance(page, MessagesPage) and not page.loaded:
        return "" if page.problem else "reading the messages ..."
    return "no name contains the filter" if page.filter else "nothing to show"

"""``python -m confluent_kafka top``: a live view of brokers, topics, groups and messages."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.durations import duration
from confluent_kafka.cli.base.ending import FAILED, fail
from confluent_kafka.cli.connection.administration import AsJson, Timeout, administering, show
from confluent_kafka.cli.connection.settings import Connection, settings

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

CHANGES = False
EXAMPLES = (
    "confluent-kafka top -b localhost:9092",
    "confluent-kafka top groups --once --json -F prod.properties",
)

_SHORTEST = 0.1


class Shown(StrEnum):
    """What the command shows."""

    BROKERS = "brokers"
    TOPICS = "topics"
    GROUPS = "groups"
    SLOWEST = "slowest"


def _interval(text: Any) -> float:
    seconds = duration(text)
    if seconds < _SHORTEST:
        raise click.BadParameter(f"{text!r} is too short: the shortest is {_SHORTEST}s")
    return seconds


def top(
    view: Annotated[
        Shown | None,
        argument(
            help="What to show. slowest shows partitions whose lag grows most. By default the "
            "live view begins with groups, and --once shows all.",
        ),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 10,
    every: Annotated[
        float,
        option(
            metavar="DURATION",
            parse=_interval,
            show_default="2s",
            help="Time between two samples of the cluster, such as 500ms or 10s.",
        ),
    ] = 2.0,
    once: Annotated[
        bool, option(help="Take two samples, write the tables to stdout, and end.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a cluster live: brokers, topics, groups with their lag, rates and messages.

    Enter opens a row, Escape goes back, and ? shows all keys. The command changes nothing.

    Exit status: 0 done, 1 the cluster refused, 2 wrong usage, 130 Ctrl-C.
    """
    if as_json and not once:
        raise click.BadParameter("needs --once", param_hint="--json")
    if once:
        with administering(connection, timeout) as admin:
            _show_once(admin, view, every, timeout, as_json)
        return
    if not sys.stdout.isatty():
        raise click.UsageError("the live view needs a terminal: --once writes its tables to stdout")
    try:
        import textual  # noqa: F401
    except ImportError as error:
        raise click.UsageError(
            f"the live view needs the package textual: pip install 'textual>=8' ({error}). "
            "--once works without it"
        ) from None
    config = settings(connection)
    if config.get("debug") and sys.stderr.isatty():
        raise click.BadParameter(
            "the log of debug would be written over the live view: add 2>kafka.log",
            param_hint="-X",
        )
    with administering(connection, timeout) as admin:
        status = _show_live(admin, config, view or Shown.GROUPS, every, timeout)
    raise click.exceptions.Exit(status)


def _show_live(
    admin: AdminClient, config: Mapping[str, Any], view: Shown, every: float, timeout: float
) -> int:
    """Show the live view until the user ends it, and return the exit status."""
    from confluent_kafka.cli.live.app import LiveView
    from confluent_kafka.cli.live.sampling import last_messages, sample

    app = LiveView(
        lambda: sample(admin, timeout),
        lambda place: last_messages(config, place, timeout),
        every,
        view,
    )
    status = app.run(mouse=False)
    if app.failure is not None:
        raise app.failure
    return FAILED if status is None else status


def _show_once(
    admin: AdminClient, view: Shown | None, every: float, timeout: float, as_json: bool
) -> None:
    from confluent_kafka.cli.live.rows import TABLES
    from confluent_kafka.cli.live.sampling import sample
    from confluent_kafka.cli.live.snapshot import Pair

    first = sample(admin, timeout)
    time.sleep(every)
    pair = Pair(first, sample(admin, timeout))
    for number, name in enumerate(Shown if view is None else [view]):
        rows = TABLES[name].sorted(pair)
        if as_json:
            show(("table", *TABLES[name].names), [(name, *row) for row in rows], as_json)
            continue
        if number:
            print()
        show(TABLES[name].names, rows, as_json)
    if pair.last.failures:
        fail(*pair.last.failures)

"""What the commands that look after a cluster share: the client, tables, confirmation."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from confluent_kafka.admin import AdminClient
from confluent_kafka.cli.ending import configuring, ending
from confluent_kafka.cli.settings import settings

Timeout = Annotated[float, typer.Option(min=0.1, max=3600, help="Seconds to wait for the cluster.")]
AsJson = Annotated[bool, typer.Option("--json", "-J", help="A line of JSON for each row.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]


@contextlib.contextmanager
def administering(
    brokers: str | None, file: Path | None, properties: list[str] | None, timeout: float
) -> Iterator[AdminClient]:
    """Lend a client that is connected; what fails ends the command as ending() says.

    Args:
        brokers: value of --brokers.
        file: value of -F.
        properties: values of -X.
        timeout: seconds to wait for a broker.
    """
    config = settings(brokers, file, properties)
    with ending():
        with configuring():
            admin = AdminClient(config)
        with admin:
            admin.connect(timeout)
            yield admin


def show(names: Sequence[str], rows: Iterable[Sequence[Any]], as_json: bool) -> None:
    """Write a table to stdout: drawn on a terminal, else with tabs, or as JSON.

    Args:
        names: of the columns.
        rows: their values; None is unknown.
        as_json: whether each row is a JSON object.
    """
    if as_json:
        for row in rows:
            print(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False))
    elif sys.stdout.isatty():
        Console().print(table(names, rows))
    else:
        print("\t".join(names))
        for row in rows:
            print("\t".join(_text(value) for value in row))


def table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """The same as something that rich draws.

    Args:
        names: of the columns.
        rows: their values.
    """
    drawn = Table(box=box.SIMPLE_HEAD)
    for name in names:
        drawn.add_column(name, overflow="fold")
    for row in rows:
        drawn.add_row(*(_text(value) for value in row))
    return drawn


def confirm(question: str, yes: bool) -> None:
    """Ask before something that cannot be undone; without a terminal --yes is needed.

    Args:
        question: what would be done.
        yes: value of --yes.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter("is required without a terminal", param_hint="--yes")
    typer.confirm(question, abort=True)


def pairs(arguments: Iterable[str], option: str) -> dict[str, str]:
    """Arguments of the form NAME=VALUE.

    Args:
        arguments: the arguments.
        option: whose they are, for the message.
    """
    found = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{argument!r}: needs NAME=VALUE", param_hint=option)
        found[name] = value
    return found


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ",".join(str(each) for each in value)
    return str(value)

"""What the commands that look after a cluster share: the client, tables, confirmation."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich import box
from rich.table import Table

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._embedded import UNSUPPORTED, is_embedded, is_unsupported
from confluent_kafka.cli.ending import INTERRUPTED, configuring, ending, fail
from confluent_kafka.cli.settings import settings
from confluent_kafka.cli.terminal import open_console, printable

_T = TypeVar("_T")
_Choice = TypeVar("_Choice", bound=Enum)

_PARTITION = re.compile(r"(.+):(\d+)")

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
            try:
                yield admin
            except KafkaException as error:
                if is_unsupported(error) and is_embedded(admin.cluster_id(timeout)):
                    fail(f"{UNSUPPORTED}: {error.args[0].str()}")
                raise


def show(names: Sequence[str], rows: Iterable[Sequence[Any]], as_json: bool) -> None:
    """Write a table to stdout: drawn on a terminal, else with tabs, or as JSON.

    Args:
        names: of the columns.
        rows: their values; None is unknown.
        as_json: whether each row is a JSON object.
    """
    with ending():
        if as_json:
            for row in rows:
                print(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False))
        elif sys.stdout.isatty():
            open_console().print(table(names, rows))
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


def settled(kind: str, futures: Mapping[str, Future[_T]]) -> tuple[dict[str, _T], list[str]]:
    """Wait for every answer: one that failed does not hide the others.

    Args:
        kind: what the names are, for the messages.
        futures: by name.

    Returns:
        The results by name, and a line for each name that failed.
    """
    results, failures = {}, []
    for name, future in futures.items():
        try:
            results[name] = future.result()
        except KafkaException as error:
            if is_unsupported(error):  # by the cluster, whatever the name
                raise
            failures.append(f"{kind} {name!r}: {error.args[0].str()}")
    return results, failures


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
    try:
        agreed = typer.confirm(question)
    except typer.Abort:  # Ctrl-C, or the end of stdin
        raise typer.Exit(INTERRUPTED) from None
    if not agreed:
        fail("nothing was done")


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


def choice(members: Iterable[_Choice], text: str, option: str) -> _Choice:
    """The member with this name, in any case.

    Args:
        members: an enumeration, or some of its members; UNKNOWN cannot be chosen.
        text: the name.
        option: whose value that is, for the message.
    """
    names = {member.name.lower(): member for member in members if member.name != "UNKNOWN"}
    try:
        return names[text.lower()]
    except KeyError:
        raise typer.BadParameter(
            f"{text!r} is none of {', '.join(names)}", param_hint=option
        ) from None


def partition_of(text: str) -> TopicPartition:
    """The partition of an argument TOPIC:PARTITION.

    Args:
        text: the argument.
    """
    found = _PARTITION.fullmatch(text)
    if found is None:
        raise typer.BadParameter(f"{text!r}: needs TOPIC:PARTITION")
    return TopicPartition(found[1], int(found[2]))


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return printable(",".join(str(each) for each in value))
    return printable(str(value))

"""What the administrative commands share: the client, tables, confirmation."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import click

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.ending import INTERRUPTED, configuring, ending, fail, report
from confluent_kafka.cli.base.terminal import cell, printable
from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.connection.settings import CONNECTION, Connection, settings

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient

_T = TypeVar("_T")
_Key = TypeVar("_Key")
_Choice = TypeVar("_Choice", bound=Enum)

_PARTITION = re.compile(r"(.+):(\d+)")

Timeout = Annotated[
    float,
    option(min=0.1, max=3600, panel=CONNECTION, help="Seconds to wait for the cluster."),
]
AsJson = Annotated[bool, option("--json", "-J", help="Write a JSON object for each row.")]
Yes = Annotated[bool, option("--yes", "-y", help="Do not ask for confirmation.")]


@contextlib.contextmanager
def administering(connection: Connection, timeout: float) -> Iterator[AdminClient]:
    """Lend a connected client. A failure ends the command, as ending() describes.

    Args:
        connection: the options of the command.
        timeout: seconds to wait for a broker.
    """
    # Here, since the commands that send and read messages use other parts of this module.
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.admin._embedded import UNSUPPORTED, is_embedded, is_unsupported

    config = settings(connection)
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
    """Write a table to stdout: drawn on a terminal, separated by tabs elsewhere, or as JSON.

    Args:
        names: names of the columns.
        rows: the values of each row; None is an unknown value.
        as_json: whether to write each row as a JSON object.
    """
    with ending():
        if as_json:
            for row in rows:
                print(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False))
        elif sys.stdout.isatty():
            from confluent_kafka.cli.base.tables import draw

            draw(names, rows)
        else:
            print("\t".join(names))
            for row in rows:
                print("\t".join(cell(value) for value in row))


def show_changes(
    names: Sequence[str],
    rows: Mapping[_Key, Sequence[Any]],
    done: Collection[_Key],
    as_json: bool,
) -> None:
    """Write a table of changes. As JSON, each row also contains whether its change was made.

    Args:
        names: names of the columns.
        rows: the values of each row, by the change.
        done: the changes that were made.
        as_json: whether to write each row as a JSON object.
    """
    if as_json:
        show((*names, "done"), [(*row, key in done) for key, row in rows.items()], as_json)
    else:
        show(names, rows.values(), as_json)


def report_change(text: str, as_json: bool, row: Mapping[str, Any], done: bool = True) -> None:
    """Report a change: write a line to stdout, or a JSON object.

    Args:
        text: the line.
        as_json: whether to write a JSON object.
        row: what was changed, by the names of columns.
        done: whether the change was made; False with --check. It is the last field of the object.
    """
    if as_json:
        show((*row, "done"), [(*row.values(), done)], as_json)
    else:
        report(text)


def settled(kind: str, futures: Mapping[str, Future[_T]]) -> tuple[dict[str, _T], list[str]]:
    """Wait for every answer, also after one of them has failed.

    Args:
        kind: what the names stand for, such as "topic"; for the messages.
        futures: the answers by name.

    Returns:
        The results by name, and a line for each name that failed.
    """
    from confluent_kafka.admin._embedded import is_unsupported

    results, failures = {}, []
    for name, future in futures.items():
        try:
            results[name] = future.result()
        except KafkaException as error:
            if is_unsupported(error):  # the cluster does not support it for any name
                raise
            failures.append(f"{kind} {name!r}: {error.args[0].str()}")
    return results, failures


def answering_broker(admin: AdminClient, timeout: float) -> int | None:
    """Return a broker that answers, or None if it has no id yet.

    Every broker can answer requests for configurations. By default, librdkafka sends them to the
    controller, and waits for it if it is down.

    Args:
        admin: a connected client.
        timeout: seconds to wait.
    """
    broker = admin.list_topics(timeout=timeout).orig_broker_id
    return None if broker < 0 else broker


def check_broker(admin: AdminClient, broker: int | None, timeout: float) -> None:
    """End the command if there is no such broker. Its client would wait for the timeout.

    Args:
        admin: a connected client.
        broker: the id of the broker; None is any broker.
        timeout: seconds to wait.
    """
    known = sorted(admin.list_topics(timeout=timeout).brokers)
    if broker is not None and broker not in known:
        fail(f"there is no broker {broker}, only {', '.join(map(str, known))}")


def confirm(question: str, yes: bool) -> None:
    """Ask before a change that cannot be undone. Without a terminal, --yes is required.

    Args:
        question: the question, which names the change.
        yes: value of --yes.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise click.BadParameter("is required without a terminal", param_hint="--yes")
    try:
        agreed = click.confirm(printable(question))
    except click.Abort:  # Ctrl-C, or the end of stdin
        raise click.exceptions.Exit(INTERRUPTED) from None
    if not agreed:
        fail("nothing was done")


def pairs(arguments: Iterable[str], option: str) -> dict[str, str]:
    """Return arguments of the form NAME=VALUE as a dictionary.

    Args:
        arguments: the arguments.
        option: the option or argument that has them, for the message.
    """
    found = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{argument!r}: needs NAME=VALUE", param_hint=option)
        found[name] = value
    return found


def choice(members: Iterable[_Choice], text: str, option: str) -> _Choice:
    """Return the member of an enumeration that has this name, in upper or lower case.

    Args:
        members: an enumeration, or some of its members. Users cannot choose UNKNOWN.
        text: the name.
        option: the option that has this value, for the message.
    """
    names = {member.name.lower(): member for member in members if member.name != "UNKNOWN"}
    try:
        return names[text.lower()]
    except KeyError:
        raise click.BadParameter(
            f"{text!r} is not one of {', '.join(names)}", param_hint=option
        ) from None


def partition_of(text: str) -> TopicPartition:
    """Return the partition that an argument TOPIC:PARTITION names.

    Args:
        text: the argument.
    """
    found = _PARTITION.fullmatch(text)
    if found is None:
        raise click.BadParameter(f"{text!r}: needs TOPIC:PARTITION")
    return TopicPartition(topic_name(found[1]), int(found[2]))

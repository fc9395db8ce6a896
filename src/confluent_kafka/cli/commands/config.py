"""``python -m confluent_kafka config``: the configuration properties of librdkafka."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, NoReturn

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import AsJson, show
from confluent_kafka.cli.shell.command import Group

app = Group(
    help="List the configuration properties of clients.\n\n"
    "Exit status: 0 listed, 1 no property matches, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka config list",
        "confluent-kafka config list linger.ms",
    ),
)

_COLUMNS = ("property", "client", "type", "default", "range", "importance", "meaning")


class Client(StrEnum):
    """Which clients have a property."""

    producer = "producer"
    consumer = "consumer"
    every = "all"


@app.command(
    name="list",
    examples=(
        "confluent-kafka config list 'sasl.*'",
        "confluent-kafka config list timeout --client consumer --json",
    ),
)
def list_(
    pattern: Annotated[
        str | None,
        argument(help="Part of the name, or a pattern for the whole name with * and ?."),
    ] = None,
    client: Annotated[
        Client | None,
        option(help="List only the properties of producers, of consumers, or of all clients."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List properties with their types, defaults, ranges, importance and meaning."""
    from confluent_kafka._properties import properties

    every = properties()
    rows = [
        (
            ", ".join(each["names"]),
            each["client"],
            each["type"],
            each["default"] or None,
            each["range"].replace(" .. ", " to ") or None,
            each["importance"],
            each["meaning"],
        )
        for each in every
        if _matches(each["names"], pattern)
        and (client is None or each["client"].startswith(client.value))
    ]
    if not rows:
        _fail(every, pattern)
    show(_COLUMNS, rows, as_json)


def _matches(names: list[str], pattern: str | None) -> bool:
    from fnmatch import fnmatchcase

    wanted = (pattern or "").lower()
    if "*" in wanted or "?" in wanted:
        return any(fnmatchcase(name, wanted) for name in names)
    return any(wanted in name for name in names)


def _fail(every: list[dict[str, Any]], pattern: str | None) -> NoReturn:
    from confluent_kafka._suggestions import did_you_mean

    near = did_you_mean(pattern or "", (name for each in every for name in each["names"]))
    name = "the options" if pattern is None else repr(pattern)
    fail(f"no property matches {name}{f': {near}' if near else ''}")

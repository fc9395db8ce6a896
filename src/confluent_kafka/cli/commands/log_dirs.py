"""``python -m confluent_kafka log-dirs``: the replicas on the disks of brokers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    check_broker,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, LogDirDescription

_COLUMNS = ("broker", "directory", "topic", "partition", "bytes", "lag", "future")

CHANGES = False
EXAMPLES = (
    "confluent-kafka log-dirs -b localhost:9092",
    "confluent-kafka log-dirs --broker 1 --topic orders --json -F prod.properties",
)


def log_dirs(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    broker: Annotated[
        list[int] | None,
        option("--broker", help="List only replicas of this broker. Can be given more than once."),
    ] = None,
    topic: Annotated[
        list[str] | None,
        option(
            "--topic",
            parse=topic_name,
            help="List only replicas of this topic. Can be given more than once.",
        ),
    ] = None,
    moving: Annotated[
        bool,
        option("--moving", help="List only replicas that are being moved to the directory."),
    ] = False,
) -> None:
    """List the replicas in the log directories of brokers, with their sizes.

    Exit status: 0 listed, 1 the command failed, a broker did not answer, or a broker cannot use a
    directory, 2 wrong usage, 130 ended by Ctrl-C.
    """
    with administering(connection, timeout) as admin:
        for each in broker or []:
            check_broker(admin, each, timeout)
        asked = admin.describe_log_dirs(broker or _all(admin, timeout), request_timeout=timeout)
        found, failures = settled("broker", {str(node): one for node, one in asked.items()})
    rows = [row for node in found for row in _rows(int(node), found[node], topic, moving)]
    show(_COLUMNS, sorted(rows), as_json)
    failures += [
        f"broker {node}: {path}: {directory.error.str()}"
        for node, directories in found.items()
        for path, directory in directories.items()
        if directory.error is not None
    ]
    if failures:
        fail(*failures)


def _all(admin: AdminClient, timeout: float) -> list[int]:
    return sorted(admin.list_topics(timeout=timeout).brokers)


def _rows(
    node: int, directories: dict[str, LogDirDescription], topics: list[str] | None, moving: bool
) -> Iterator[tuple[Any, ...]]:
    for path, directory in directories.items():
        for place, replica in directory.replicas.items():
            if (not topics or place.topic in topics) and (replica.is_future or not moving):
                yield (
                    *(node, path, place.topic, place.partition),
                    *(replica.size, replica.offset_lag, replica.is_future),
                )

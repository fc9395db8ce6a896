"""``topics list``: lists all topics of a cluster, or the topics that arguments select."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from confluent_kafka import TopicCollection
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.uuids import base64_of
from confluent_kafka.cli.base.values import topic_or_pattern
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.topics.names import described

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

COLUMNS = ("topic", "partitions", "replicas")


def list_(
    topics: Annotated[
        list[str] | None,
        argument(
            parse=topic_or_pattern,
            help="Topics, or regular expressions, which begin with ^. Without them, all topics.",
        ),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    internal: Annotated[
        bool,
        option(
            help="Also show internal topics, whose names begin with two underscores. An argument "
            "that selects them shows them, too."
        ),
    ] = False,
    ids: Annotated[bool, option("--ids", help="Also show the ids of the topics.")] = False,
) -> None:
    """List the topics with their partitions and replicas.

    If nothing matches an argument, the exit status is 1.
    """
    with administering(connection, timeout) as admin:
        if topics is None:
            known = admin.list_topics(timeout=timeout).topics
            shown = {name: topic for name, topic in known.items() if internal or _is_plain(name)}
            failures: list[str] = []
        else:
            shown, failures = described(admin, topics, timeout)
        rows: list[tuple[Any, ...]] = [
            (
                name,
                len(topic.partitions),
                max((len(one.replicas) for one in topic.partitions.values()), default=0),
            )
            for name, topic in sorted(shown.items())
        ]
        if ids:
            found, more = _ids(admin, shown, timeout)
            failures += more
            rows = [(*row, found.get(row[0])) for row in rows]
    if shown or not failures:
        show((*COLUMNS, "id") if ids else COLUMNS, rows, as_json)
    if failures:
        fail(*failures)


def _is_plain(name: str) -> bool:
    return not name.startswith("__")


def _ids(
    admin: AdminClient, topics: Iterable[str], timeout: float
) -> tuple[dict[str, str], list[str]]:
    """Return the ids of topics, and a line for each topic that failed."""
    names = list(topics)
    if not names:
        return {}, []
    futures = admin.describe_topics(TopicCollection(names), request_timeout=timeout)
    found, failures = settled("topic", futures)
    return {name: base64_of(each.topic_id) for name, each in found.items()}, failures

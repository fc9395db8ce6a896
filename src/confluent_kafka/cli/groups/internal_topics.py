"""The internal topics of Kafka Streams applications: changelogs and repartition topics."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import report_change, settled
from confluent_kafka.cli.groups.views import listed
from confluent_kafka.cli.topics.names import settled_topics

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

# How Kafka Streams names them, after the application.id and a hyphen.
_INTERNAL = re.compile(
    r".+-(changelog|repartition|KTABLE-FK-JOIN-SUBSCRIPTION-(REGISTRATION|RESPONSE)-\d+-topic)"
)


def topics_of_groups(
    admin: AdminClient, groups: Iterable[str], timeout: float
) -> dict[str, list[str]]:
    """Return the internal topics that exist, by streams group, as the groups' topologies name them.

    Ends the command if a group cannot be described.

    Args:
        admin: the client.
        groups: the names of the groups.
        timeout: seconds to wait for the brokers.
    """
    futures = admin.describe_streams_groups(list(groups), request_timeout=timeout)
    found, failures = settled("group", futures)
    if failures:
        fail(*failures)
    known = admin.list_topics(timeout=timeout).topics
    topics = {}
    for name, group in found.items():
        internal = {
            topic
            for part in group.subtopologies
            for topic in (
                *part.state_changelog_topics,
                *part.repartition_source_topics,
                *part.repartition_sink_topics,
            )
        }
        # A state store can use its input topic as its changelog.
        sources = {topic for part in group.subtopologies for topic in part.source_topics}
        topics[name] = sorted((internal - sources) & known.keys())
    return topics


def topics_of_application(admin: AdminClient, application: str, timeout: float) -> list[str]:
    """Return the topics whose names have the form of internal topics of an application.

    Args:
        admin: the client.
        application: its application.id.
        timeout: seconds to wait for the brokers.
    """
    groups, failures = listed(admin, timeout)
    if failures:  # a topic could belong to a group that was not listed
        fail(*failures)
    # The names of the application "a-b" also begin with "a-".
    others = [f"{name}-" for name in groups if name.startswith(f"{application}-")]
    prefix = f"{application}-"
    return [
        name
        for name in sorted(admin.list_topics(timeout=timeout).topics)
        if name.startswith(prefix)
        and _INTERNAL.fullmatch(name, len(prefix) - 1)
        and not name.startswith(tuple(others))
    ]


def delete_topics(
    admin: AdminClient, topics: Iterable[str], timeout: float, as_json: bool
) -> list[str]:
    """Delete topics, report each of them, and return a line for each that was not deleted.

    Args:
        admin: the client.
        topics: the topics.
        timeout: seconds to wait for the brokers.
        as_json: whether to report as JSON objects.
    """
    names = list(dict.fromkeys(topics))
    if not names:
        return []
    futures = admin.delete_topics(names, operation_timeout=timeout, request_timeout=timeout)
    deleted, failures = settled_topics(admin, futures, timeout)
    for name in deleted:
        report_change(f"topic {name} was deleted", as_json, {"topic": name})
    return failures

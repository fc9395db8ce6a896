"""Partitions as options name them: ``orders`` is all of a topic, ``orders:0,2`` some of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

import click

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.cli.ending import fail
from confluent_kafka.cli.values import topic_name

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cli.group_view import Place

_NUMBERS = re.compile(r"\d+(,\d+)*")


class Selection(NamedTuple):
    """A topic, and its partitions. None stands for all partitions."""

    topic: str
    partitions: frozenset[int] | None

    def has(self, place: Place) -> bool:
        """Return whether a partition is selected."""
        topic, partition = place
        return topic == self.topic and (self.partitions is None or partition in self.partitions)


def selection(text: str) -> Selection:
    """Return the selection that a text names.

    Args:
        text: TOPIC or TOPIC:PARTITION,...
    """
    topic, colon, numbers = text.partition(":")
    if not colon:
        return Selection(topic_name(topic), None)
    if not _NUMBERS.fullmatch(numbers):
        raise click.BadParameter(f"{text!r}: needs TOPIC or TOPIC:PARTITION,...")
    return Selection(topic_name(topic), frozenset(map(int, numbers.split(","))))


def selected(selections: Iterable[Selection], place: Place) -> bool:
    """Return whether a partition is part of one of the selections.

    Args:
        selections: the selections.
        place: the partition.
    """
    return any(each.has(place) for each in selections)


def existing(admin: AdminClient, selections: list[Selection], timeout: float) -> list[Place]:
    """Return the selected partitions in order, or end the command if one of them does not exist.

    Args:
        admin: the client.
        selections: the selections.
        timeout: seconds to wait for the brokers.
    """
    # describe_topics(), because list_topics() lets brokers create a topic that is missing.
    names = list(dict.fromkeys(each.topic for each in selections))
    asked = admin.describe_topics(TopicCollection(names), request_timeout=timeout)
    found: set[Place] = set()
    failures = []
    for each in selections:
        try:
            known = {one.id for one in asked[each.topic].result().partitions}
        except KafkaException as error:
            failures.append(_reason(admin, each.topic, error.args[0], timeout))
            continue
        wanted = known if each.partitions is None else each.partitions
        failures += [
            f"topic {each.topic!r} has no partition {number}: its partitions are 0 to {max(known)}"
            for number in sorted(wanted - known)
        ]
        found |= {(each.topic, number) for number in wanted}
    if failures:
        fail(*dict.fromkeys(failures))
    return sorted(found)


def _reason(admin: AdminClient, topic: str, error: KafkaError, timeout: float) -> str:
    if error.code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
        return f"topic {topic!r}: {error.str()}"
    return no_topic(topic, admin.list_topics(timeout=timeout).topics)


def no_topic(topic: str, known: Collection[str]) -> str:
    """Return a line that says that a topic does not exist, with the nearest name.

    Args:
        topic: the name that was given.
        known: the names of the topics that exist.
    """
    near = did_you_mean(topic, known)
    return f"topic {topic!r} does not exist{': ' if near else ''}{near}"

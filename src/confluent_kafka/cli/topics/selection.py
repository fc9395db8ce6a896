"""Partitions as arguments name them: ``orders`` is all of a topic, ``orders:0,2`` some of it.

Where several topics make sense, ``^ord`` is all partitions of the topics that match it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

import click

from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.cli.base.values import topic_name, topic_or_pattern

if TYPE_CHECKING:
    from confluent_kafka.cli.topics.place import Place

_NUMBERS = re.compile(r"\d+(,\d+)*")


class Selection(NamedTuple):
    """A topic or a pattern, and partitions. None stands for all partitions."""

    topic: str
    partitions: frozenset[int] | None

    def __str__(self) -> str:
        if self.partitions is None:
            return self.topic
        return f"{self.topic}:{','.join(map(str, sorted(self.partitions)))}"

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


def selection_or_pattern(text: str) -> Selection:
    """Return the selection that a text names. A text that begins with ``^`` is a pattern.

    Args:
        text: TOPIC, TOPIC:PARTITION,... or a regular expression for topics.
    """
    return Selection(topic_or_pattern(text), None) if text.startswith("^") else selection(text)


def selected(selections: Iterable[Selection], place: Place) -> bool:
    """Return whether a partition is part of one of the selections.

    Args:
        selections: the selections.
        place: the partition.
    """
    return any(each.has(place) for each in selections)


def matching(text: str, known: Iterable[str]) -> list[str]:
    """Return the topics that a text means: itself or, if it is a pattern, those that match it.

    Args:
        text: a topic, or a regular expression that begins with ^. As in a subscription, it need not
            match the whole name.
        known: the names of the topics that exist.
    """
    if not text.startswith("^"):
        return [text]
    return [name for name in sorted(known) if re.search(text, name)]


def no_match(pattern: str) -> str:
    """Return a line that says that no topic matches a pattern."""
    return f"no topic matches {pattern!r}"


def no_topic(topic: str, known: Iterable[str]) -> str:
    """Return a line that says that a topic does not exist, with the nearest name.

    Args:
        topic: the name that was given.
        known: the names of the topics that exist.
    """
    near = did_you_mean(topic, known)
    return f"topic {topic!r} does not exist{': ' if near else ''}{near}"


def no_partition(topic: str, number: int, known: Collection[int]) -> str:
    """Return a line that says that a partition does not exist.

    Args:
        topic: its topic.
        number: the number that was given.
        known: the partitions that exist.
    """
    has = "partition 0" if len(known) == 1 else f"partitions 0 to {max(known, default=0)}"
    return f"topic {topic!r} has no partition {number}, only {has}"

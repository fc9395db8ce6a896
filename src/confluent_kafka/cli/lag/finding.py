"""A finding: something that explains why a group is behind, with its evidence."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from confluent_kafka.cli.topics.place import Place

_SHOWN = 10  # partitions or members in the evidence of a finding
REBALANCING = frozenset({"preparing_rebalance", "completing_rebalance", "assigning", "reconciling"})


class Severity(IntEnum):
    """How much a finding matters. The first one matters most."""

    CRITICAL = 0
    WARNING = 1
    NOTE = 2


@dataclass(frozen=True)
class Finding:
    """Something that explains the lag, or will make the group late.

    Attributes:
        severity: how much it matters.
        name: the kind of finding, for scripts.
        text: what is wrong, and what to do about it.
        evidence: what was seen.
        commands: what to type next, without the options for the connection.
    """

    severity: Severity
    name: str
    text: str
    evidence: list[str]
    commands: list[str]


def place_name(place: Place) -> str:
    """Return a partition as commands name it: ``orders:0``."""
    return f"{place[0]}:{place[1]}"


def evidence(lines: Iterable[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    every = list(lines)
    more = [f"and {len(every) - _SHOWN} more"] if len(every) > _SHOWN else []
    return every[:_SHOWN] + more


def topics_of(places: Iterable[Place]) -> list[str]:
    """Return the topics of partitions, in order."""
    return sorted({topic for topic, _ in places})


def selections(places: Iterable[Place]) -> str:
    """Return the options that select exactly these partitions: ``--topic orders:0,2``."""
    numbers: dict[str, list[str]] = {}
    for topic, number in sorted(places):
        numbers.setdefault(topic, []).append(str(number))
    return " ".join(f"--topic {topic}:{','.join(each)}" for topic, each in numbers.items())


def command(text: str, *names: str) -> str:
    """Return a command to type: names that a shell would interpret are in quotes.

    Args:
        text: the command, with ``{}`` for each name.
        *names: the names, which come from the cluster or the user.
    """
    return text.format(*map(shlex.quote, names))

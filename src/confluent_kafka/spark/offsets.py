"""Offsets of partitions, and Spark's JSON for them.

``{"flights": {"0": 23, "1": -2}}`` means offset 23 of partition 0, and the earliest offset of
partition 1. -2 means the earliest offset, and -1 the latest. The checkpoints of a streaming query
contain the same JSON.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

LATEST = -1
EARLIEST = -2


class Partition(NamedTuple):
    """A partition of a topic."""

    topic: str
    number: int

    def __str__(self) -> str:
        return f"{self.topic} [{self.number}]"


Offsets: TypeAlias = dict[Partition, int]


@dataclass(frozen=True)
class Times:
    """A bound given as timestamps: in each partition, the first message that is not older."""

    option: str
    """The option that contained them, for errors."""
    of: int | Mapping[Partition, int]
    """Milliseconds since 1970 UTC: one timestamp for all partitions, or one for each."""
    error_if_none: bool
    """Whether a partition without such an offset is an error; otherwise its end is used."""


Bound: TypeAlias = Literal["earliest", "latest"] | Offsets | Times
JsonOffsets: TypeAlias = dict[str, dict[str, int]]


def parse_bound(text: str) -> Bound:
    """Return the bound that ``startingOffsets`` or ``endingOffsets`` sets.

    Args:
        text: ``earliest``, ``latest`` or JSON.

    Raises:
        ValueError: the text is something else, or the JSON has another shape.
    """
    word = text.strip().lower()
    if word == "earliest":
        return "earliest"
    if word == "latest":
        return "latest"
    return from_json(
        load(text, "neither earliest nor latest nor JSON", '{"topic": {"0": 23, "1": -2}}')
    )


def parse_times(text: str) -> dict[Partition, int]:
    """Return the bound that ``startingOffsetsByTimestamp`` or ``endingOffsetsByTimestamp`` sets.

    Args:
        text: JSON, ``{topic: {partition: milliseconds since 1970}}``.

    Raises:
        ValueError: it is not JSON, or has another shape.
    """
    document = load(text, "not JSON", '{"topic": {"0": 1357034400000, "1": 1357034400000}}')
    return _numbers(document, 0, "a timestamp: milliseconds since 1970, 0 or more")


def from_json(document: Any) -> Offsets:
    """Return the offsets in a decoded JSON document.

    Raises:
        ValueError: the document is not ``{topic: {partition: offset}}``.
    """
    allowed = f"an offset: 0 or more, {LATEST} for the latest, {EARLIEST} for the earliest"
    return _numbers(document, EARLIEST, allowed)


def load(text: str, problem: str, example: str) -> Any:
    """Return the document in a JSON text that a user wrote.

    Args:
        text: the JSON.
        problem: the description of a text that is not JSON, for the error.
        example: JSON as it should be.

    Raises:
        ValueError: the text is not JSON, or an object has a name twice.
    """
    try:
        return json.loads(text, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise ValueError(f"{text!r} is {problem} ({error}); JSON looks like {example}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; refuse a name given twice, of which json would keep the last value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} is given twice")
    return found


def _numbers(document: Any, least: int, allowed: str) -> dict[Partition, int]:
    if not isinstance(document, dict):
        raise ValueError(f"{document!r} is not an object of topics")
    numbers: dict[Partition, int] = {}
    for topic, partitions in document.items():
        if not isinstance(partitions, dict):
            raise ValueError(f"topic {topic!r}: {partitions!r} is not an object of partitions")
        for number, value in partitions.items():
            if not (number.isascii() and number.isdecimal()):
                raise ValueError(f"topic {topic!r}: {number!r} is not the number of a partition")
            partition = Partition(topic, int(number))
            if type(value) is not int or not least <= value < 1 << 63:
                raise ValueError(f"{partition}: {value!r} is not {allowed}")
            numbers[partition] = value
    return numbers


def to_json(offsets: Mapping[Partition, int]) -> JsonOffsets:
    """Return offsets as a document for JSON, sorted by topic and partition.

    The order matters: Spark treats an offset as new if its text differs.
    """
    document: JsonOffsets = {}
    for partition, offset in sorted(offsets.items()):
        document.setdefault(partition.topic, {})[str(partition.number)] = offset
    return document

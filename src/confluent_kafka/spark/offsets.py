"""Offsets of partitions, and the JSON that Spark writes them in.

``{"flights": {"0": 23, "1": -2}}`` is offset 23 of partition 0 and the earliest (-2; the latest
is -1) of partition 1. Checkpoints of a streaming query hold the same JSON.
"""

import json
from collections.abc import Mapping
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
Bound: TypeAlias = Literal["earliest", "latest"] | Offsets
JsonOffsets: TypeAlias = dict[str, dict[str, int]]


def parse_bound(text: str) -> Bound:
    """Return what ``startingOffsets`` or ``endingOffsets`` says.

    Args:
        text: ``earliest``, ``latest`` or JSON.

    Raises:
        ValueError: it is none of them, or the JSON has another shape.
    """
    word = text.strip().lower()
    if word == "earliest":
        return "earliest"
    if word == "latest":
        return "latest"
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{text!r} is neither earliest nor latest nor JSON ({error}); "
            'JSON looks like {"topic": {"0": 23, "1": -2}}'
        ) from None
    return from_json(document)


def from_json(document: Any) -> Offsets:
    """Return the offsets in a decoded JSON document.

    Raises:
        ValueError: the document is not ``{topic: {partition: offset}}``.
    """
    if not isinstance(document, dict):
        raise ValueError(f"{document!r} is not an object of topics")
    offsets: Offsets = {}
    for topic, partitions in document.items():
        if not isinstance(partitions, dict):
            raise ValueError(f"topic {topic!r}: {partitions!r} is not an object of partitions")
        for number, offset in partitions.items():
            if not (number.isascii() and number.isdecimal()):
                raise ValueError(f"topic {topic!r}: {number!r} is not the number of a partition")
            if type(offset) is not int or offset < EARLIEST:
                raise ValueError(
                    f"{Partition(topic, int(number))}: {offset!r} is not an offset: "
                    f"0 or more, {LATEST} for the latest, {EARLIEST} for the earliest"
                )
            offsets[Partition(topic, int(number))] = offset
    return offsets


def to_json(offsets: Mapping[Partition, int]) -> JsonOffsets:
    """Return offsets as a document for JSON, in the order of topics and partitions.

    The order matters: Spark takes an offset for new when its text differs.
    """
    document: JsonOffsets = {}
    for partition, offset in sorted(offsets.items()):
        document.setdefault(partition.topic, {})[str(partition.number)] = offset
    return document

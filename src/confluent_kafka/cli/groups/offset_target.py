"""The offsets that ``reset-offsets`` is to set: what its options mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.topics.place import Place


class Target(NamedTuple):
    """Where to move a group.

    Attributes:
        kind: beginning, end, offset or time, as in Bound; or current, shift, file or group.
        number: the offset, the time in milliseconds since 1970, or the shift.
        offsets: the offsets of the file, or of the other group.
    """

    kind: str
    number: int = 0
    offsets: Mapping[Place, int] | None = None


def target_of(text: str) -> Target:
    """Return the target that a value of --to names.

    Args:
        text: the value.
    """
    if text == "current":
        return Target("current")
    bound = Bound.parse(text, None, others=("current",))
    return Target(bound.kind, bound.number)
